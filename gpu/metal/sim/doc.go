// Package sim is a simulated Metal.framework, so that the Objective-C files of gpu/metal run unchanged in tests on Linux.
// It is built with the tag metalsim, on clang, GNUstep's Foundation, gcc's Objective-C runtime and the Blocks runtime
// (scripts/metalsim-cc has the flags).
//
// The folder include has its own declarations of the part of Apple's API that a compute engine uses. gpu/msl/clang compiles source
// when a library is made, and gpu/msl/exec runs kernels on the CPU: each queue has a thread that runs
// command buffers in the order of their commits, and queues run in parallel. Between two barriers, a concurrent encoder's
// dispatches run from the last to the first, and new memory is filled with 0xff bytes, so code that relies on order
// or on zeros fails.
//
// Compiled kernels are kept in the folder that METALSIM_CACHE names, or else in assay/metalsim in the user's cache folder.
//
// The simulator keeps a ledger, as Metal's validation layer would: Live lists the objects that were not released, with their labels
// and the functions that created them; Violations lists the rules that were broken. Inject makes calls fail.
//
// It cannot show how fast a GPU is, since its times are those of the CPU; caches, memory coalescing and the
// memory model between threadgroups; the behavior of Apple's compiler and drivers; textures, rendering, heaps and indirect
// commands. A function constant that a kernel uses but that is not set reads as 0 instead of being an error, and
// objects captured by a block are not retained, since libBlocksRuntime does not know them.
package sim
