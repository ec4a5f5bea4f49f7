// A process for each library, so that spinning threads do not slow another library down: all processes but the one being measured
// are stopped.
#ifndef PEERS_WORKER_H
#define PEERS_WORKER_H

#include <sys/types.h>

#include "peers.hpp"

class Worker {
public:
    Worker(const Peer &peer, const Item &item, int threads, int core); // the core if there is one thread
    ~Worker();
    Worker(const Worker &) = delete;
    // Seconds of one run, as the mean of `repeat`; negative: the library does not support the item.
    double sample(int repeat);

private:
    pid_t pid;
    int to, from;
};

#endif
