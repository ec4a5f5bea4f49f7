// A program that leaks on purpose at a known rate, or does what looks like it, to test the watch of other programs.
//
//   leaky WHAT RATE SECONDS    RATE in units a second: bytes, or handles, threads; WHAT is malloc, mmap, fork, handles,
//                              threads, cache (fills with a time constant of a sixth of SECONDS), teeth, none
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *sleeper(void *arg) {
    pause();
    return arg;
}

// one more unit of what leaks; bytes are taken in blocks of 16 KiB.
enum { block = 16384 };

// lost keeps the compiler from leaving out what is never used.
static char *volatile lost;

static void add_malloc(void) {
    char *p = malloc(block);
    if (p) memset(p, 1, block);
    lost = p;
}

static void add_mmap(void) {
    char *p = mmap(NULL, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) memset(p, 1, block);
    lost = p;
}

static void add_handle(void) {
    if (dup(1) < 0) perror("dup");
}

static void add_thread(void) {
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 65536);
    if (pthread_create(&t, &a, sleeper, NULL)) perror("pthread_create");
}

// teeth grow to a size and are released.
static char *tooth[4096];
static int teeth;

static void add_tooth(void) {
    if (teeth == 4096 || (teeth && teeth % 256 == 0 && rand() % 2)) {
        while (teeth) free(tooth[--teeth]);
    }
    tooth[teeth] = malloc(block);
    if (tooth[teeth]) memset(tooth[teeth], 1, block);
    teeth++;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const char *what = argv[1];
    double rate = atof(argv[2]), seconds = atof(argv[3]), start = now(), done = 0;
    void (*add)(void) = NULL;
    double unit = block;
    if (!strcmp(what, "malloc") || !strcmp(what, "cache") || !strcmp(what, "fork")) add = add_malloc;
    if (!strcmp(what, "mmap")) add = add_mmap;
    if (!strcmp(what, "teeth")) add = add_tooth;
    if (!strcmp(what, "handles")) add = add_handle, unit = 1;
    if (!strcmp(what, "threads")) add = add_thread, unit = 1;
    if (!strcmp(what, "fork")) {
        pid_t child = fork();
        if (child > 0) { // the child leaks, and the parent waits
            while (now() - start < seconds) usleep(10000);
            return 0;
        }
    }
    int epoch = 0;
    for (double at = 0; at < seconds; at = now() - start) {
        double want = rate * at;
        if (!strcmp(what, "cache")) want = rate * seconds / 6 * (1 - exp(-at / (seconds / 6)));
        for (; add && done + unit <= want; done += unit) add();
        if (at > (epoch + 1) * seconds / 10) {
            printf("epoch %d loss %.3f\n", ++epoch, 1 / (1 + at));
            fflush(stdout);
        }
        usleep(2000);
    }
    return 0;
}
