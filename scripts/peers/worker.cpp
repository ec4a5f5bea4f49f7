#include "worker.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <sched.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

static const double warm_seconds = 3e-3;

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double time_of(const Run &run, int repeat) {
    if (!run) return -1;
    const double waking = now();
    do run(1);
    while (now() - waking < warm_seconds); // until all stopped threads are back on a core
    const double start = now();
    run(repeat);
    return (now() - start) / repeat;
}

// Answers each count of repetitions with a time, until the pipe is closed.
static void serve(const Peer &peer, const Item &item, int threads, int in, int out) {
    const Run run = peer.make(item, threads);
    int repeat;
    while (read(in, &repeat, sizeof repeat) == (ssize_t)sizeof repeat) {
        const double seconds = time_of(run, repeat);
        if (write(out, &seconds, sizeof seconds) != (ssize_t)sizeof seconds) break;
    }
}

// Keeps this process on one core: those of a virtual machine differ in what they share with others.
static void stay_on(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

Worker::Worker(const Peer &peer, const Item &item, int threads, int core) {
    int down[2], up[2];
    if (pipe2(down, 02000000) != 0 || pipe2(up, 02000000) != 0) throw std::runtime_error("no pipe");
    pid = fork();
    if (pid < 0) throw std::runtime_error("no process");
    if (pid == 0) {
        close(down[1]), close(up[0]);
        if (threads == 1) stay_on(core);
        try {
            serve(peer, item, threads, down[0], up[1]);
        } catch (const std::exception &e) {
            fprintf(stderr, "%s, %s: %s\n", peer.name.c_str(), item.name.c_str(), e.what());
        }
        _exit(0);
    }
    close(down[0]), close(up[1]);
    to = down[1], from = up[0];
}

double Worker::sample(int repeat) {
    double seconds;
    kill(pid, SIGCONT);
    if (write(to, &repeat, sizeof repeat) != (ssize_t)sizeof repeat) return -1;
    if (read(from, &seconds, sizeof seconds) != (ssize_t)sizeof seconds) return -1;
    kill(pid, SIGSTOP);
    return seconds;
}

Worker::~Worker() {
    kill(pid, SIGKILL);
    close(to), close(from);
    waitpid(pid, nullptr, 0);
}
