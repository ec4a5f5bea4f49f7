//go:build linux && (amd64 || arm64)

// Graphs: commands that are submitted over and over are launched together. Where a stream takes each launch on its own, kernels that
// take less time than the host needs for a launch would be timed at the host's pace.

#include "driver.h"

enum { RELAXED = 2 }; // a capture during which every thread may call everything

// GRAPH is about how many commands a graph has, and LARGEST what a single run of a program may have for it to become one.
enum { GRAPH = 2 * PART, LARGEST = 16 * PART };

static int has_graphs(const cuda_driver *call) {
    return call->capture_begin && call->capture_end && call->graph_instantiate && call->graph_launch && call->graph_exec_free &&
           call->graph_free;
}

static int runs_of(const cuda_program *program) { return program->count < GRAPH ? GRAPH / (int)program->count : 1; }

// repeats tells whether a graph can be made of a program at all: the events of a signal differ from run to run.
static int repeats(const cuda_program *program) {
    for (size_t i = 0; i < program->count; i++)
        if (program->commands[i].kind == COMMAND_SIGNAL || program->commands[i].kind == COMMAND_AWAIT) return 0;
    return program->count >= 1 && program->count <= LARGEST;
}

// capture makes a graph of that many runs.
static CUgraph capture(cuda_queue *queue, const cuda_program *program, int runs) {
    const cuda_driver *call = queue->device->call;
    CUgraph graph = NULL;
    if (call->capture_begin(queue->stream, RELAXED)) return NULL;
    int code = CUDA_OK;
    for (int r = 0; r < runs && !code; r++)
        for (size_t i = 0; i < program->count && !code; i++) code = cuda_encode(queue, &program->commands[i]);
    int ended = call->capture_end(queue->stream, &graph);
    if (!code && !ended) return graph;
    if (graph) call->graph_free(graph);
    return NULL;
}

// build makes the program's graph. What cannot be captured is submitted command by command from then on.
static void build(cuda_queue *queue, cuda_program *program) {
    const cuda_driver *call = queue->device->call;
    program->tried = 1;
    int runs = runs_of(program);
    CUgraph graph = has_graphs(call) ? capture(queue, program, runs) : NULL;
    if (!graph) return;
    if (call->graph_instantiate(&program->graph, graph, 0)) program->graph = NULL;
    call->graph_free(graph);
    program->graph_runs = runs;
    program->device = queue->device;
}

// A program that was submitted before is likely to be submitted again: the second time pays for the graph.
CUgraphExec cuda_program_graph(cuda_queue *queue, cuda_program *program, int repeat) {
    cuda_use(queue->device);
    pthread_mutex_lock(&program->lock);
    if (program->submitted && !program->tried && repeats(program) && repeat >= runs_of(program)) build(queue, program);
    program->submitted = 1;
    CUgraphExec graph = program->graph;
    pthread_mutex_unlock(&program->lock);
    return graph;
}

void cuda_program_drop_graph(cuda_program *program) {
    if (program->graph && !cuda_dead(program->device)) cuda_use(program->device)->graph_exec_free(program->graph);
    program->graph = NULL;
}
