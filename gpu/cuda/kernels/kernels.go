// Package kernels has the PTX of kernels: that of Assay's own kernels is built in, and clang compiles others.
package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"assay/gpu"
	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/gpu/msl/shim/cuda"
	"assay/shaders"
)

//go:generate go run ./generate

// Code is a kernel as PTX.
type Code struct {
	PTX    []byte // text, without a NUL
	Entry  string // the name of the .entry
	Source string // "built in" or "compiled by clang 16.0.6"
	Warm   bool   // it came from the cache on disk or is built in
	Parts  bool   // grids may end in partial threadgroups: cuda.Target.Parts
}

// fromProgram is the Source of code that is built in.
const fromProgram = "built in"

// BuiltIn reports whether the code is part of the program.
func (c *Code) BuiltIn() bool { return c.Source == fromProgram }

// Of returns the PTX of k with its constants. If cold, it is compiled even if it is built in or cached, provided there is a
// compiler. Errors are a *gpu.Error of kind ErrCompile, or ErrUnsupported if there is no compiler.
func Of(ctx context.Context, k shaders.Kernel, cold bool) (Code, error) {
	code, err := plain(ctx, k, cold)
	if n := k.MaxThreads(); err == nil && n > 0 {
		if code.PTX, err = clang.LimitThreads(code.PTX, code.Entry, n); err != nil {
			return Code{}, wrap(ctx, k.Name, err)
		}
	}
	return code, err
}

// plain returns the code without the attribute that a tunable adds, which is the same for all of its values.
func plain(ctx context.Context, k shaders.Kernel, cold bool) (Code, error) {
	if code, ok := builtIn(&k); ok && !cold {
		return code, nil
	}
	c, err := compiler()
	if err != nil {
		if code, ok := builtIn(&k); ok {
			return code, nil
		}
		return Code{}, gpu.Errorf(gpu.ErrUnsupported, "compile", k.Name, "this variant (%s) is not among those that are built in: %v",
			k.ID(), err)
	}
	code, err := compile(ctx, c, &k, cold)
	if err != nil {
		return Code{}, wrap(ctx, k.Name, err)
	}
	return code, nil
}

// wrap distinguishes a refused source from a compiler that was stopped or failed.
func wrap(ctx context.Context, kernel string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &gpu.Error{Kind: gpu.ErrCompile, Op: "compile", Kernel: kernel, Detail: err.Error(), Cause: err}
}

// compiler is searched for once.
var compiler = sync.OnceValues(clang.Find)

// compile compiles the source and the kernel's entry, with an empty cache if cold.
func compile(ctx context.Context, c *clang.Compiler, k *shaders.Kernel, cold bool) (Code, error) {
	s := k.Impl.Source
	parts := s.User() && !s.Generated() // Assay's own kernels are launched in whole threadgroups
	o := clang.Options{Target: cuda.Target{Parts: parts}, Note: newNote(k, c.Version()).line}
	if cold {
		dir, err := os.MkdirTemp("", "assay-cold-")
		if err != nil {
			return Code{}, fmt.Errorf("folder for a cold compile: %w", err)
		}
		defer os.RemoveAll(dir)
		o.Cache = dir
	}
	l, err := c.Compile(ctx, msl.Source{Name: s.File, Text: s.Text()}, o)
	if err != nil {
		return Code{}, err
	}
	ptx, warm, err := l.PTX(ctx, k.Name, values(k), len(k.Args))
	return Code{PTX: ptx, Entry: k.Name, Source: "compiled by " + c.Version(), Warm: warm, Parts: parts}, err
}

// values returns the values of the kernel's function constants, by index.
func values(k *shaders.Kernel) map[int][]byte {
	all := map[int][]byte{}
	for _, c := range k.Values() {
		all[c.Index] = c.Bytes()
	}
	return all
}

// Generate compiles k for embedding. Unless afresh, it reuses what is built in already with the same source, headers and flags.
func Generate(ctx context.Context, k shaders.Kernel, afresh bool) ([]byte, error) {
	if code, ok := builtIn(&k); ok && !afresh {
		return code.PTX, nil
	}
	c, err := compiler()
	if err != nil {
		return nil, err
	}
	code, err := compile(ctx, c, &k, false)
	if err == nil && len(code.PTX) == 0 {
		err = errors.New("clang emitted nothing")
	}
	return code.PTX, err
}
