// The inner loop of the tiled integer GEMMs, whose sums are exact.
#include "tile.h"

// One thread's sums: of products, and of the activations in its rows.
template <uint EACH>
struct IntegerSums {
    int at[EACH][EACH], of_a[EACH];

    void add(threadgroup const int *panel_a, threadgroup const int *panel_b, uint depth, uint2 local) {
        constexpr uint ROW = EACH * SIDE + 1;
        for (uint d = 0; d < depth; d++) {
            int va[EACH], vb[EACH];
            for (uint i = 0; i < EACH; i++) va[i] = panel_a[d * ROW + local.y + SIDE * i];
            for (uint j = 0; j < EACH; j++) vb[j] = panel_b[d * ROW + local.x + SIDE * j];
            for (uint i = 0; i < EACH; i++) {
                of_a[i] += va[i];
                for (uint j = 0; j < EACH; j++) at[i][j] += va[i] * vb[j];
            }
        }
    }
};
