// Included before ggml's files: gcc 12's intrinsic claims to read 8 bytes of a configuration of 64, so stores to the rest are
// removed, and GEMMs end in an illegal instruction.
#if defined(__x86_64__)
#include <immintrin.h>
#define _tile_loadconfig(config) __asm__ volatile("ldtilecfg %0" ::"m"(*(const char(*)[64])(config)))
#endif
