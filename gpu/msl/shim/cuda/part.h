// A launch of some of a grid's threadgroups, all of one size. A grid that ends in partial threadgroups is launched in parts, since
// CUDA has only threadgroups of one size in a launch. It is the second parameter of kernels that can be launched so. Plain C, so
// that both sides include it.
#ifndef ASSAY_MSL_CUDA_PART_H
#define ASSAY_MSL_CUDA_PART_H

typedef struct msl_part {
    uint32_t first[3];           // position of the first threadgroup in the grid
    uint32_t threads[3];         // of a whole threadgroup
    uint32_t groups[3], grid[3]; // of the whole grid: threadgroups, threads
} msl_part;

#ifdef __cplusplus
// msl_place corrects what the special registers tell of a part to what is true of the grid.
MSL_INLINE void msl_place(msl_thread &t, const msl_part &p) {
    uint32_t whole = p.threads[0] * p.threads[1] * p.threads[2];
    for (int i = 0; i < 3; i++) {
        t.threadgroup_position_in_grid[i] += p.first[i];
        t.thread_position_in_grid[i] = t.threadgroup_position_in_grid[i] * p.threads[i] + t.thread_position_in_threadgroup[i];
        t.dispatch_threads_per_threadgroup[i] = p.threads[i];
        t.threadgroups_per_grid[i] = p.groups[i];
        t.threads_per_grid[i] = t.grid_size[i] = p.grid[i];
    }
    t.dispatch_simdgroups_per_threadgroup = (whole + MSL_SIMD - 1) / MSL_SIMD;
    t.dispatch_quadgroups_per_threadgroup = (whole + MSL_QUAD - 1) / MSL_QUAD;
}
#endif

#endif
