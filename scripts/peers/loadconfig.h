// Included before the files of ggml: gcc 12's intrinsic says that it reads 8 bytes of a configuration of 64, so that stores to the rest are
// dropped, and products end in an illegal instruction.
#if defined(__x86_64__)
#include <immintrin.h>
#define _tile_loadconfig(config) __asm__ volatile("ldtilecfg %0" ::"m"(*(const char(*)[64])(config)))
#endif
