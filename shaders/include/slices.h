// What reductions share: the slice of a threadgroup, and how its threads meet.
#include "params/reduce.h"

constant constexpr uint SIMD = 32;

// The elements of one slice.
struct Slice {
    size_t first, last;
};

static inline Slice slice_of(uint index, uint n, uint parts) {
    const size_t each = REDUCE_EACH(size_t(n), parts), first = min(size_t(index) * each, size_t(n));
    return {first, min(first + each, size_t(n))};
}
