// The entropy of windows as in entropy.metal. Each thread takes `run` consecutive windows; from one to the next, it only adds the
// bytes that enter and removes those that leave.

#include "common.h"
#include "entropy.h"

constant int run [[function_constant(ENTROPY_RUN)]];

// A term as an integer, so that what a byte adds when it enters is removed exactly when it leaves.
static inline uint fixed_term(uint count) { return uint(rint(ENTROPY_FIXED * term(count))); }

[[host_name("entropy_rolling_int8")]] kernel void entropy_rolling(device const uchar *x [[buffer(0)]],
                                                                  device float *out [[buffer(1)]],
                                                                  constant EntropyParams &p [[buffer(2)]],
                                                                  uint id [[thread_position_in_grid]]) {
    const uint windows = ENTROPY_WINDOWS(p.n, p.stride), first = id * uint(run);
    if (first >= windows) return;
    ushort counts[CODES] = {};
    uint sum = 0;
    Window held = {window_of(first, p).first, window_of(first, p).first};
    for (uint i = first; i < min(first + uint(run), windows); i++) {
        const Window w = window_of(i, p);
        for (; held.first < min(w.first, held.last); held.first++) {
            const uint c = counts[x[held.first]]--;
            sum -= fixed_term(c) - fixed_term(c - 1);
        }
        held = {w.first, max(held.last, w.first)};
        for (; held.last < w.last; held.last++) {
            const uint c = counts[x[held.last]]++;
            sum += fixed_term(c + 1) - fixed_term(c);
        }
        out[i] = entropy_of(float(sum) / ENTROPY_FIXED, w);
    }
}
