// Copies by a whole SIMD group, which a program declares under the compiler's internal names.
#ifndef ASSAY_MSL_MACHINE_COPIES_H
#define ASSAY_MSL_MACHINE_COPIES_H

namespace msl {
// Places in memory of elements of some bytes, rows of some elements.
struct tile {
    uintptr_t at;
    ulong row;
    ulong2 size;
};

// copy_tile copies this lane's share of rows, done when it returns. What the source lacks is zero or, with mode 1, the
// last element of the row or column.
MSL_INLINE void copy_tile(ulong bytes, tile to, tile from, ulong2 origin, int mode) {
    for (ulong y = lane(); y < to.size.y; y += MSL_SIMD)
        for (ulong x = 0; x < to.size.x; x++) {
            bool inside = x < from.size.x && y < from.size.y;
            ulong fx = metal::min(x, from.size.x - 1), fy = metal::min(y, from.size.y - 1);
            uintptr_t p = to.at + (y * to.row + x) * bytes;
            uintptr_t q = from.at + ((origin.y + fy) * from.row + origin.x + fx) * bytes;
            for (ulong i = 0; i < bytes; i++)
                *(unsigned char *)(p + i) = inside || mode == 1 ? *(const unsigned char *)(q + i) : 0;
        }
}

// Both directions do the same here; `used`, since a program refers to them by their labels alone.
#define MSL_HIDDEN extern "C" __attribute__((used, visibility("hidden")))
#define MSL_COPY(id, name)                                                                                                  \
    MSL_HIDDEN void *msl_copy_2d_##id(ulong bytes, ulong, void *to, ulong to_row, ulong, ulong2 to_size,              \
                                        const void *from, ulong from_row, ulong, ulong2 from_size, long2 origin,        \
                                        int mode) __asm("air.simdgroup_async_copy_2d." name);                         \
    MSL_HIDDEN void *msl_copy_1d_##id(ulong bytes, ulong, void *to, const void *from, ulong n)                        \
        __asm("air.simdgroup_async_copy_1d." name);                                                                   \
    void *msl_copy_2d_##id(ulong bytes, ulong, void *to, ulong to_row, ulong, ulong2 to_size, const void *from,       \
                             ulong from_row, ulong, ulong2 from_size, long2 origin, int mode) {                         \
        copy_tile(bytes, {(uintptr_t)to, to_row, to_size}, {(uintptr_t)from, from_row, from_size}, ulong2(origin), mode); \
        return to;                                                                                                      \
    }                                                                                                                   \
    void *msl_copy_1d_##id(ulong bytes, ulong, void *to, const void *from, ulong n) {                                 \
        copy_tile(bytes, {(uintptr_t)to, 1, ulong2(1, n)}, {(uintptr_t)from, 1, ulong2(1, n)}, ulong2(0), 0);           \
        return to;                                                                                                      \
    }
MSL_COPY(out, "p1i8.p3i8")
MSL_COPY(in, "p3i8.p1i8")
MSL_HIDDEN void msl_wait_events(int, void **) __asm("air.wait_simdgroup_events");
void msl_wait_events(int, void **) { metal::simdgroup_barrier(metal::mem_flags::mem_threadgroup); }
#undef MSL_HIDDEN
#undef MSL_COPY
} // namespace msl

#endif
