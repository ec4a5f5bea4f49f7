//go:build linux && (amd64 || arm64)

// Programs: commands that are encoded once.

#include "driver.h"

#include <stdlib.h>
#include <string.h>

cuda_program *cuda_program_new(void) {
    cuda_program *program = calloc(1, sizeof *program);
    if (program) pthread_mutex_init(&program->lock, NULL);
    return program;
}

void cuda_program_free(cuda_program *program) {
    cuda_program_drop_graphs(program);
    pthread_mutex_destroy(&program->lock);
    free(program->commands);
    free(program);
}

// add returns a new command, all zeros; NULL if there is no memory.
static cuda_command *add(cuda_program *program, enum command_kind kind) {
    if (program->count == program->room) {
        size_t room = program->room ? 2 * program->room : 4;
        cuda_command *commands = NULL;
        if (posix_memalign((void **)&commands, 64, room * sizeof *commands)) return NULL;
        if (program->count) memcpy(commands, program->commands, program->count * sizeof *commands);
        free(program->commands);
        program->commands = commands;
        program->room = room;
    }
    cuda_command *c = &program->commands[program->count++];
    memset(c, 0, sizeof *c);
    c->kind = kind;
    return c;
}

int cuda_program_launch(cuda_program *program, const cuda_launch *launch) {
    cuda_command *c = add(program, COMMAND_LAUNCH);
    if (!c) return 0;
    c->function = launch->function;
    c->shared = launch->shared;
    c->order = launch->order;
    memcpy(c->groups, launch->groups, sizeof c->groups);
    memcpy(c->threads, launch->threads, sizeof c->threads);
    memcpy(c->grid, launch->grid, sizeof c->grid);
    memcpy(c->argument.buffers, launch->buffers, sizeof c->argument.buffers);
    memcpy(c->argument.threadgroups, launch->threadgroups, sizeof c->argument.threadgroups);
    memcpy(c->argument.bytes, launch->params, launch->param_bytes);
    return 1;
}

int cuda_program_copy(cuda_program *program, uint64_t to, uint64_t from, uint64_t bytes) {
    cuda_command *c = add(program, COMMAND_COPY);
    if (!c) return 0;
    c->to = to;
    c->from = from;
    c->bytes = bytes;
    return 1;
}

int cuda_program_fill(cuda_program *program, uint64_t to, uint64_t bytes, unsigned char value) {
    cuda_command *c = add(program, COMMAND_FILL);
    if (!c) return 0;
    c->to = to;
    c->bytes = bytes;
    c->value = value;
    return 1;
}

int cuda_program_event(cuda_program *program, cuda_event *event, int signal) {
    cuda_command *c = add(program, signal ? COMMAND_SIGNAL : COMMAND_AWAIT);
    if (!c) return 0;
    c->event = event;
    return 1;
}

int cuda_program_product(cuda_program *program, const cuda_product *product) {
    cuda_command *c = add(program, COMMAND_PRODUCT);
    if (!c) return 0;
    c->product = *product;
    return 1;
}
