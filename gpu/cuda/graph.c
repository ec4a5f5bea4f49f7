//go:build linux && (amd64 || arm64)

// Graphs: commands that are submitted repeatedly are launched together. With separate launches, kernels that take less time than
// the host needs for a launch would be timed at the host's pace.

#include "driver.h"

enum { RELAXED = 2 }; // a capture mode in which any thread may make any call

// Submissions of fewer than FEWEST commands have no graph. A graph has at most GRAPH commands, except for a single run with more,
// up to LARGEST.
enum { FEWEST = 8, GRAPH = 4 * PART, LARGEST = 16 * PART };

static int has_graphs(const cuda_driver *call) {
    return call->capture_begin && call->capture_end && call->graph_instantiate && call->graph_launch && call->graph_exec_free &&
           call->graph_free;
}

// suits reports whether a submission can become a graph: the events of a signal differ from run to run, and concurrent launches
// have their own streams.
static int suits(const cuda_program *program, int repeat) {
    for (size_t i = 0; i < program->count; i++) {
        const cuda_command *c = &program->commands[i];
        if (c->kind == COMMAND_SIGNAL || c->kind == COMMAND_AWAIT || c->order != CUDA_AFTER_ALL) return 0;
    }
    return program->count <= LARGEST && program->count * (size_t)repeat >= FEWEST;
}

// runs_of returns the number of runs in each of the equal graphs of a submission.
static int runs_of(const cuda_program *program, int repeat) {
    size_t graphs = (program->count * (size_t)repeat + GRAPH - 1) / GRAPH;
    int runs = repeat / (int)graphs;
    return runs > 0 ? runs : 1;
}

// capture captures a graph of that many runs.
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

// build builds the graph for submissions of that many runs. What cannot be captured is submitted command by command.
static void build(cuda_queue *queue, const cuda_program *program, cuda_graph *made) {
    const cuda_driver *call = queue->device->call;
    CUgraph graph = has_graphs(call) ? capture(queue, program, made->runs) : NULL;
    if (!graph) return;
    if (call->graph_instantiate(&made->exec, graph, 0)) made->exec = NULL;
    call->graph_free(graph);
}

static void drop(cuda_graph *graph) {
    if (graph->exec && !cuda_dead(graph->device)) cuda_use(graph->device)->graph_exec_free(graph->exec);
    *graph = (cuda_graph){0};
}

static cuda_graph *find(cuda_program *program, int repeat) {
    for (int i = 0; i < GRAPHS; i++)
        if (program->graphs[i].repeat == repeat) return &program->graphs[i];
    return NULL;
}

// room returns the slot for a new graph: that of the least recently used one that is not in flight. NULL: all are in flight.
static cuda_graph *room(cuda_program *program) {
    cuda_graph *oldest = NULL;
    for (int i = 0; i < GRAPHS; i++) {
        cuda_graph *g = &program->graphs[i];
        if (!g->flying && (!oldest || g->used < oldest->used)) oldest = g;
    }
    if (oldest) drop(oldest);
    return oldest;
}

// A program that was submitted twice in the same way is likely to be submitted again: the second time pays for the graph.
cuda_graph *cuda_graph_take(cuda_queue *queue, cuda_program *program, int repeat) {
    cuda_use(queue->device);
    pthread_mutex_lock(&program->lock);
    cuda_graph *graph = find(program, repeat);
    if (!graph && program->repeat == repeat && suits(program, repeat) && (graph = room(program))) {
        *graph = (cuda_graph){.runs = runs_of(program, repeat), .repeat = repeat, .lock = &program->lock, .device = queue->device};
        build(queue, program, graph);
    }
    program->repeat = repeat;
    if (graph) {
        graph->used = ++program->submissions;
        graph->flying++;
    }
    pthread_mutex_unlock(&program->lock);
    return graph;
}

void cuda_graph_give(cuda_graph *graph) {
    if (!graph) return;
    pthread_mutex_t *lock = graph->lock;
    pthread_mutex_lock(lock);
    graph->flying--;
    pthread_mutex_unlock(lock);
}

void cuda_program_drop_graphs(cuda_program *program) {
    for (int i = 0; i < GRAPHS; i++) drop(&program->graphs[i]);
}
