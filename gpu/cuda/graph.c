//go:build linux && (amd64 || arm64)

// Graphs: commands that are submitted over and over are launched together. Where a stream takes each launch on its own, kernels that
// take less time than the host needs for a launch would be timed at the host's pace.

#include "driver.h"

enum { RELAXED = 2 }; // a capture during which every thread may call everything

// Submissions of fewer than FEWEST commands have no graph. A graph has at most GRAPH commands, but for a single run that has more, up
// to LARGEST.
enum { FEWEST = 8, GRAPH = 4 * PART, LARGEST = 16 * PART };

static int has_graphs(const cuda_driver *call) {
    return call->capture_begin && call->capture_end && call->graph_instantiate && call->graph_launch && call->graph_exec_free &&
           call->graph_free;
}

// suits tells whether a graph can be made of a submission: the events of a signal differ from run to run.
static int suits(const cuda_program *program, int repeat) {
    for (size_t i = 0; i < program->count; i++)
        if (program->commands[i].kind == COMMAND_SIGNAL || program->commands[i].kind == COMMAND_AWAIT) return 0;
    return program->count <= LARGEST && program->count * (size_t)repeat >= FEWEST;
}

// runs_of is how many runs each of the equal graphs of a submission has.
static int runs_of(const cuda_program *program, int repeat) {
    size_t graphs = (program->count * (size_t)repeat + GRAPH - 1) / GRAPH;
    int runs = repeat / (int)graphs;
    return runs > 0 ? runs : 1;
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

// build makes the graph of submissions of that many runs. What cannot be captured is submitted command by command.
static void build(cuda_queue *queue, cuda_program *program, int repeat) {
    const cuda_driver *call = queue->device->call;
    cuda_graph *made = &program->graphs[program->graph_count++];
    *made = (cuda_graph){.repeat = repeat, .runs = runs_of(program, repeat)};
    CUgraph graph = has_graphs(call) ? capture(queue, program, made->runs) : NULL;
    if (!graph) return;
    if (call->graph_instantiate(&made->exec, graph, 0)) made->exec = NULL;
    call->graph_free(graph);
    program->device = queue->device;
}

static const cuda_graph *find(const cuda_program *program, int repeat) {
    for (int i = 0; i < program->graph_count; i++)
        if (program->graphs[i].repeat == repeat) return &program->graphs[i];
    return NULL;
}

// A program that was submitted twice in the same way is likely to be so again: the second time pays for the graph. Graphs stay as
// long as the program, since they may be in flight.
cuda_graph cuda_program_graph(cuda_queue *queue, cuda_program *program, int repeat) {
    cuda_use(queue->device);
    pthread_mutex_lock(&program->lock);
    const cuda_graph *known = find(program, repeat);
    if (!known && program->repeat == repeat && program->graph_count < GRAPHS && suits(program, repeat)) {
        build(queue, program, repeat);
        known = find(program, repeat);
    }
    program->repeat = repeat;
    cuda_graph graph = known ? *known : (cuda_graph){0};
    pthread_mutex_unlock(&program->lock);
    return graph;
}

void cuda_program_drop_graphs(cuda_program *program) {
    for (int i = 0; i < program->graph_count; i++)
        if (program->graphs[i].exec && !cuda_dead(program->device)) cuda_use(program->device)->graph_exec_free(program->graphs[i].exec);
    program->graph_count = 0;
}
