// Package sim is a simulated Metal.framework, so that the Objective-C files of gpu/metal run unchanged in tests on Linux.
// It is built with the tag metalsim, on clang, GNUstep's Foundation, gcc's Objective-C runtime and the Blocks runtime
// (scripts/metalsim-cc has the flags).
//
// include holds its own declarations of the part of Apple's API that a compute engine uses. Source is compiled by
// gpu/msl/clang when a library is made, and gpu/msl/exec runs kernels on the CPU: each queue has a thread that runs
// command buffers in the order of their commits, and queues run in parallel. Between two barriers a concurrent encoder's
// dispatches run from the last to the first, and new memory is filled with 0xff bytes, so that code which relies on order
// or on zeros fails.
//
// Compiled kernels are kept in the folder that METALSIM_CACHE names, else in assay/metalsim among the user's caches.
//
// It keeps a ledger, as Metal's validation layer would: Live lists the objects that were not released, with their labels
// and the functions that made them; Violations lists the rules that were broken. Inject makes calls fail.
//
// What it cannot show: how fast a GPU is, since its times are those of the CPU; caches, memory coalescing and the
// memory model between threadgroups; what Apple's compiler and drivers do; textures, rendering, heaps and indirect
// commands. A function constant that a kernel uses but that is not set reads as 0 instead of being an error, and
// objects that a block captures are not retained, since libBlocksRuntime does not know them.
package sim
