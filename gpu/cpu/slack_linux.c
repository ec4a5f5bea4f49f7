// Go's system monitor, a thread of its runtime, looks after calls into C every 20 µs for a while, again and again where kernels take about
// a millisecond: it took 2 to 4 % of a core, and what holds up one of two cores holds up a kernel on both. A thread's timer slack,
// 50 µs as a rule, says how much later it may be woken than it asks for: with 2 ms the monitor looks rarely, and what it does may be late.
// All threads inherit it from the first. Others need no better: Go itself sleeps for whole milliseconds when nothing else runs, and the
// CUDA engine, which waits exactly, sets its own.
#include <sys/prctl.h>

#define SLACK_NS 2000000UL

// Before Go's runtime makes its threads.
__attribute__((constructor)) static void be_late(void) { prctl(PR_SET_TIMERSLACK, SLACK_NS, 0UL, 0UL, 0UL); }
