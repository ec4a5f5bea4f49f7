// Go's system monitor, a runtime thread, checks on calls into C every 20 µs for a while, again and again where kernels take about
// a millisecond: it took 2 to 4 % of a core, and whatever delays one of two cores delays a kernel on both. A thread's timer
// slack, 50 µs by default, is how much later than requested it may be woken: with 2 ms the monitor wakes rarely, and its work may
// be late. All threads inherit it from the first. Others need no better: Go itself sleeps for whole milliseconds when nothing
// else runs, and the CUDA engine, which needs exact waits, sets its own.
#include <sys/prctl.h>

#define SLACK_NS 2000000UL

// Before Go's runtime creates its threads.
__attribute__((constructor)) static void be_late(void) { prctl(PR_SET_TIMERSLACK, SLACK_NS, 0UL, 0UL, 0UL); }
