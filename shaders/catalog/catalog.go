// Package catalog lists every kernel of this program.
package catalog

import (
	"sync"

	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/shaders/quant"
	"assay/shaders/stream"
)

// families is the list of all: a family is a package and a line here.
func families() [][]*shaders.Impl {
	return [][]*shaders.Impl{
		elementwise.Family(),
		gemm.Family(),
		norm.Family(),
		quant.Family(),
		stream.Family(),
	}
}

var built = sync.OnceValue(func() *shaders.Catalog {
	c, err := shaders.NewCatalog(families()...)
	if err != nil { // two kernels of one name: no start without noticing
		panic(err)
	}
	return c
})

// Default is the catalog of all families, built when it is first asked for.
func Default() *shaders.Catalog { return built() }

// All lists every kernel.
func All() []shaders.Kernel { return built().All() }

// Find returns the kernel of that name.
func Find(name string) (shaders.Kernel, bool) { return built().Find(name) }

// Pick returns the kernel that p selects.
func Pick(p shaders.Pick) (shaders.Kernel, error) { return built().Pick(p) }

// MustFind is Find for names that are written in the program.
func MustFind(name string) shaders.Kernel {
	k, ok := built().Find(name)
	if !ok {
		panic("catalog: no kernel " + name)
	}
	return k
}
