// Package reduce is the family of reductions: many elements to one, in slices, so that several threadgroups share the
// work and a second dispatch reduces their partial results.
package reduce

import (
	"embed"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Constants and tunables of the family.
const (
	Indexed = "indexed"
	Threads = "threads"
)

// Tree names the implementations that join in halves, in threadgroup memory on a GPU.
const Tree = "tree"

// ReduceParams is the parameter struct of sum and max: N elements in Parts slices.
type ReduceParams struct{ N, Parts uint32 }

// ArgmaxParams is the parameter struct of argmax: N candidates in Parts slices, among Source elements.
type ArgmaxParams struct{ N, Parts, Source uint32 }

// sliced is the parameters of a reduction.
type sliced interface{ slices() (n, parts uint32) }

func (p ReduceParams) slices() (n, parts uint32) { return p.N, p.Parts }
func (p ArgmaxParams) slices() (n, parts uint32) { return p.N, p.Parts }

// Family lists the implementations.
func Family() []*shaders.Impl {
	sum, largest, index := plain(sumOp()), plain(maxOp()), argmax(argmaxOp())
	return []*shaders.Impl{
		sum, tree(sum, 4, 0),
		// The order of comparisons changes nothing, so that without threadgroups a tree is not a separate algorithm.
		largest, tree(largest, 4, shaders.Threadgroups),
		atomicSum(), atomicMax(), atomicFind(),
		index, tree(index, 8, shaders.Threadgroups),
	}
}

// tree is an implementation that joins in halves instead of using SIMD functions, with `bytes` of threadgroup memory per thread.
func tree(m *shaders.Impl, bytes uint32, needs shaders.Feature) *shaders.Impl {
	t := *m
	t.Name, t.About, t.Launch, t.Needs = Tree, m.Op.About+", joined in halves", launch(bytes, 1), needs
	return &t
}

func elements(c shaders.Call) int {
	n, _ := c.Params.(sliced).slices()
	return int(n)
}

func parts(c shaders.Call) int {
	_, p := c.Params.(sliced).slices()
	return int(p)
}

// each returns the elements of a slice, like REDUCE_EACH in the parameter header.
func each(c shaders.Call) int {
	n, p := elements(c), max(1, parts(c))
	return ((n+p-1)/p + 3) / 4 * 4
}

// slice returns the first element of slice i, and the one after its last.
func slice(c shaders.Call, i int) (first, last int) {
	n := elements(c)
	first = min(i*each(c), n)
	return first, min(first+each(c), n)
}

// valid refuses sizes beyond which an index in the shaders would overflow.
func valid(c shaders.Call) error {
	n, _ := c.Params.(sliced).slices()
	if err := shaders.Indexable("elements", int(n)); err != nil {
		return err
	}
	return nil
}

// launch has a threadgroup for each slice; `bytes` is the threadgroup memory for every `per` threads: of a thread or of a SIMD
// group.
func launch(bytes, per uint32) func(c shaders.Call, l shaders.Limits) shaders.Launch {
	return func(c shaders.Call, l shaders.Limits) shaders.Launch {
		threads := l.Fit(uint32(c.Constants[Threads]))
		for threads&(threads-1) != 0 { // the tree halves it
			threads &= threads - 1
		}
		return shaders.Launch{
			Groups: [3]uint32{uint32(parts(c)), 1, 1}, Threads: [3]uint32{threads, 1, 1},
			Shared: []int{int(threads/per*bytes+15) / 16 * 16},
		}
	}
}

func tunables() []shaders.Tunable {
	return []shaders.Tunable{
		{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{32, 64, 128, 256, 512, 1024}, Default: 256,
			About: "threads that share a slice",
		},
		shaders.AttributeTunable(0),
	}
}

// maxThreads returns the threads of a launch without device limits.
func maxThreads(c shaders.Constants) int { return int(c[Threads]) }
