// Package catalog lists all built-in kernels.
package catalog

import (
	"slices"
	"sync"

	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/blocks"
	"assay/shaders/conv"
	"assay/shaders/elementwise"
	"assay/shaders/entropy"
	"assay/shaders/gemm"
	"assay/shaders/image"
	"assay/shaders/norm"
	"assay/shaders/peak"
	"assay/shaders/quant"
	"assay/shaders/reduce"
	"assay/shaders/stream"
	"assay/shaders/train"
)

// Family is the implementations of one package.
type Family struct {
	Title string // for display
	Impls []*shaders.Impl
}

// families lists all families: a family is a package and a line here.
func families() []Family {
	return []Family{
		{"Attention", attention.Family()},
		{"Blocks", blocks.Family()},
		{"Convolution", conv.Family()},
		{"Elementwise", elementwise.Family()},
		{"Entropy", entropy.Family()},
		{"GEMM", gemm.Family()},
		{"Images", image.Family()},
		{"Normalization", norm.Family()},
		{"Peaks", peak.Family()},
		{"Quantization", quant.Family()},
		{"Reductions", reduce.Family()},
		{"Streams", stream.Family()},
		{"Training", train.Family()},
	}
}

// all holds every family, and the catalog of their kernels.
type all struct {
	families []Family
	catalog  *shaders.Catalog
}

var built = sync.OnceValue(func() all {
	a := all{families: families()}
	var lists [][]*shaders.Impl
	for _, f := range a.families {
		lists = append(lists, f.Impls)
	}
	var err error
	if a.catalog, err = shaders.NewCatalog(lists...); err != nil { // two kernels have the same name: do not start
		panic(err)
	}
	return a
})

// Families lists every family.
func Families() []Family { return slices.Clone(built().families) }

// Default is the catalog of all families, built when it is first requested.
func Default() *shaders.Catalog { return built().catalog }

// All lists every kernel.
func All() []shaders.Kernel { return Default().All() }

// Find returns the kernel of that name.
func Find(name string) (shaders.Kernel, bool) { return Default().Find(name) }

// Choose returns the kernel that p selects for a call on a device, and why; see shaders.Catalog.
func Choose(p shaders.Pick, with shaders.Constants, params any, d shaders.Device) (shaders.Kernel, string, error) {
	return built().catalog.Choose(p, with, params, d)
}

// Pick returns the kernel that p selects.
func Pick(p shaders.Pick) (shaders.Kernel, error) { return Default().Pick(p) }

// MustFind is Find for names that are constants of the program.
func MustFind(name string) shaders.Kernel {
	k, ok := Default().Find(name)
	if !ok {
		panic("catalog: no kernel " + name)
	}
	return k
}
