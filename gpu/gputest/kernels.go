package gputest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

func kernelRequirements() []requirement {
	return []requirement{
		{name: "kernel results match the reference", run: kernelsMatch, everyCase: true},
		{name: "NaN and infinity pass through as in the reference", run: kernelsSpecial, everyCase: true},
		{name: "private buffers give the same results", run: kernelsPrivate},
		{name: "zero size touches nothing", run: kernelsZeroSize},
		{name: "unsupported kernels say why", run: kernelsUnsupported},
		{name: "an equal kernel and constants give the same Kernel", run: kernelsCached},
		{name: "bad kernels and constants are refused", run: kernelsRefused},
		{name: "function constants of a user's source are of any type", run: constantsTyped},
		{name: "a grid may end in partial threadgroups", run: partialGrid},
	}
}

// eachKernel runs f as a subtest for every kernel that the engine supports.
func (r *rig) eachKernel(f func(*rig, shaders.Kernel)) {
	kernels := r.supported()
	if len(kernels) == 0 {
		r.t.Fatal("the engine supports no kernel")
	}
	for _, k := range kernels {
		r.sub(k.Name, func(r *rig) { f(r, k) })
	}
}

func (r *rig) runAndCheck(k shaders.Kernel, c shaders.Case, s setup) {
	r.t.Helper()
	j := r.newJob(k, c, s)
	r.run(j.launch)
	r.check(j)
	r.release(j.buffers...)
}

// kernelsMatch runs all cases. Every bit pattern of an integer output is a valid code, so an element that is never
// written could pass by chance: those kernels run with two poisons. In floats 0xFF… is NaN.
func kernelsMatch(r *rig) {
	r.eachKernel(func(r *rig, k shaders.Kernel) {
		for i, c := range k.Cases() {
			r.runAndCheck(k, c, setup{poison: 0xFF, seed: uint64(i)})
			if hasIntegerOutput(k) {
				r.runAndCheck(k, c, setup{poison: 0x6A, seed: uint64(i)})
			}
		}
	})
}

func hasIntegerOutput(k shaders.Kernel) bool {
	for _, i := range k.Outputs() {
		if !k.Args[i].Type.Float() {
			return true
		}
	}
	return false
}

func cost(k shaders.Kernel, c shaders.Case) shaders.Cost {
	with := k.With(c.Constants)
	return with.Cost(c.Params)
}

// specialOps is the maximum number of operations of cases that are repeated with special values; larger ones add nothing.
const specialOps = 2e6

// kernelsSpecial poisons with finite numbers, so that any NaN in the output was computed.
func kernelsSpecial(r *rig) {
	r.eachKernel(func(r *rig, k shaders.Kernel) {
		if k.Impl.Op.Finite {
			r.t.Skip("the kernel does not define results for NaN and infinity")
		}
		for i, c := range k.Cases() {
			if cost(k, c).Ops > specialOps {
				continue
			}
			r.runAndCheck(k, c, setup{poison: 0x5A, special: true, seed: 100 + uint64(i)})
		}
	})
}

func kernelsPrivate(r *rig) {
	r.eachKernel(func(r *rig, k shaders.Kernel) {
		r.runAndCheck(k, lastQuick(k), setup{storage: gpu.Private, poison: 0xFF, seed: 7})
	})
}

// lastQuick is the last case that is not too large to run once more.
func lastQuick(k shaders.Kernel) shaders.Case {
	for _, c := range slices.Backward(k.Cases()) {
		if cost(k, c).Ops <= specialOps {
			return c
		}
	}
	return k.Cases()[0]
}

// kernelsZeroSize binds one-byte buffers to the cases that have nothing to compute.
func kernelsZeroSize(r *rig) {
	r.eachKernel(func(r *rig, k shaders.Kernel) {
		ran := 0
		for _, c := range k.Cases() {
			if empty(k, c) {
				r.runEmpty(k, c)
				ran++
			}
		}
		if ran == 0 {
			r.t.Errorf("%s has no zero-size case", k.Name)
		}
	})
}

func empty(k shaders.Kernel, c shaders.Case) bool {
	for i := range k.Args {
		if k.Args[i].Access != shaders.In && k.Bytes(i, c.Params) > 0 {
			return false
		}
	}
	return true
}

func (r *rig) runEmpty(k shaders.Kernel, c shaders.Case) {
	r.t.Helper()
	const mark = 0x77
	d := gpu.Launch{Kernel: r.kernel(k, c.Constants), Params: c.Params, Bindings: make([]gpu.Binding, len(k.Args))}
	k = *d.Kernel.Spec()
	for i := range k.Args {
		if k.Uses(i) {
			d.Bindings[i].Buffer = r.buffer(max(1, k.Bytes(i, c.Params)))
			r.ok(d.Bindings[i].Buffer.Fill(mark), "fill")
		}
	}
	r.run(d)
	for i, b := range d.Bindings {
		if b.Buffer == nil {
			continue
		}
		got := make([]byte, b.Buffer.Size())
		r.ok(b.Buffer.Read(0, got), "read")
		if !bytes.Equal(got, bytes.Repeat([]byte{mark}, len(got))) {
			r.t.Errorf("%s %+v changed argument %s", k.Name, c.Params, k.Args[i].Name)
		}
		r.release(b.Buffer)
	}
}

func kernelsUnsupported(r *rig) {
	for _, k := range catalog.All() {
		err := r.engine.Supports(k)
		if err == nil {
			continue
		}
		r.fails(err, "Supports", kind(gpu.ErrUnsupported), k.Name)
		if err.Error() == gpu.ErrUnsupported.Error() {
			r.t.Errorf("Supports(%s) gives no reason", k.Name)
		}
		_, err = r.engine.Kernel(k)
		r.fails(err, "Kernel", kind(gpu.ErrUnsupported), k.Name)
	}
}

func kernelsCached(r *rig) {
	k := r.need("matmul_tiled_f32")
	given := shaders.Constants{gemm.TransposeB: 1}
	kept := maps.Clone(given)
	first := r.kernel(k, given)
	given[gemm.TransposeB] = 0 // With must have copied the map
	if got := first.Spec().Constants(); !maps.Equal(got, kept) {
		r.t.Errorf("the Kernel's constants changed with the caller's map: %v, want %v", got, kept)
	}
	if got := first.Spec().Name; got != k.Name {
		r.t.Errorf("Spec().Name is %q, want %q", got, k.Name)
	}
	if r.kernel(k, kept) != first {
		r.t.Error("a second Kernel call with equal constants compiled again")
	}
	if r.kernel(k, nil) == first {
		r.t.Error("different constants gave the same Kernel")
	}
	plain := r.kernel(k, nil)
	for _, c := range []shaders.Constants{{}, {gemm.TransposeB: 0}, {gemm.HasBias: 0, gemm.Activation: 0}} {
		if r.kernel(k, c) != plain {
			r.t.Errorf("constants %v are all 0, yet the Kernel is not the one without constants", c)
		}
	}
	r.cachedConcurrently(k)
}

func (r *rig) cachedConcurrently(k shaders.Kernel) {
	const n = 8
	var got [n]gpu.Kernel
	var errs [n]error
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { got[i], errs[i] = r.engine.Kernel(k.With(shaders.Constants{gemm.HasBias: 1})) })
	}
	wg.Wait()
	for i := range n {
		r.ok(errs[i], fmt.Sprintf("Kernel call %d of %d at once", i, n))
		if got[i] != got[0] {
			r.t.Errorf("Kernel calls at once gave different Kernels")
		}
	}
}

func kernelsRefused(r *rig) {
	k := r.need("matmul_tiled_f32")
	for _, c := range []shaders.Constants{{"no_such_constant": 1}, {gemm.Activation: int32(len(shaders.Activations()))}, {gemm.HasBias: -1}} {
		_, err := r.engine.Kernel(k.With(c))
		r.fails(err, fmt.Sprintf("constants %v", c), kind(gpu.ErrInvalid), k.Name)
	}
	op, impl := *catalog.MustFind("copy_f32").Impl.Op, *catalog.MustFind("copy_f32").Impl
	op.Name, impl.Op = "no_such_kernel", &op
	unknown := impl.Kernel(shaders.F32)
	_, err := r.engine.Kernel(unknown)
	r.fails(err, "a kernel that no source defines", []error{gpu.ErrUnsupported, gpu.ErrCompile}, unknown.Name)
}
