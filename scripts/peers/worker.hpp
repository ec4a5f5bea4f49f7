// A process for each library, so that threads that wait busily do not slow another library down: all but the one that is being
// measured are stopped.
#ifndef PEERS_WORKER_H
#define PEERS_WORKER_H

#include <sys/types.h>

#include "peers.hpp"

class Worker {
public:
    Worker(const Peer &peer, const Item &item, int threads, int core); // the core if there is one thread
    ~Worker();
    Worker(const Worker &) = delete;
    // Seconds of one run, as the mean of `repeat`; negative: the library cannot do the item.
    double sample(int repeat);

private:
    pid_t pid;
    int to, from;
};

#endif
