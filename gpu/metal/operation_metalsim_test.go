//go:build metalsim && cgo && !darwin

package metal

import (
	"context"
	"errors"
	"sync"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

// multiply is a library matmul of n × n matrices of ones.
func multiply(t *testing.T, e *engine, n uint32) gpu.Launch {
	t.Helper()
	k, err := e.Kernel(catalog.MustFind("matmul_mps_f32"))
	if err != nil {
		t.Fatal(err)
	}
	a, b, out := newFloats(t, e, int(n*n), 1), newFloats(t, e, int(n*n), 1), newFloats(t, e, int(n*n), 0)
	return gpu.Launch{Kernel: k, Params: gemm.MatmulParams{M: n, N: n, K: n, Batch: 1}, Bindings: gpu.Bind(a, b, nil, out)}
}

// closeWith releases the buffers of launches and closes the engine.
func closeWith(t *testing.T, e *engine, launches ...gpu.Launch) {
	t.Helper()
	for _, l := range launches {
		for _, b := range l.Bindings {
			if b.Buffer == nil {
				continue
			}
			if err := b.Buffer.Release(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func prepareAll(t *testing.T, e *engine, launches ...gpu.Launch) []gpu.Program {
	t.Helper()
	var all []gpu.Program
	for _, l := range launches {
		p, err := e.Prepare(l, l)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// An operation is prepared once for all launches of its sizes, and released with the last program that uses it.
func TestOperationsAreShared(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	small, large := multiply(t, e, 8), multiply(t, e, 16)
	programs := prepareAll(t, e, small, small, large)
	if len(e.operations) != 2 {
		t.Errorf("%d operations for products of two sizes: %v", len(e.operations), e.operations)
	}
	for i, left := range []int{2, 1, 0} {
		if err := programs[i].Release(); err != nil {
			t.Error(err)
		}
		if len(e.operations) != left {
			t.Errorf("%d operations after %d releases, want %d", len(e.operations), i+1, left)
		}
	}
	bad := small
	bad.Bindings = gpu.Bind(nil, nil, nil, nil)
	if _, err := e.Prepare(large, bad); !errors.Is(err, gpu.ErrInvalid) || len(e.operations) != 0 {
		t.Errorf("a program that was refused keeps %d operations, %v", len(e.operations), err)
	}
	closeWith(t, e, small, large)
}

// Queues that submit the same operation encode it one at a time: the simulator reports concurrent encoding.
func TestOperationOnManyQueues(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	product := multiply(t, e, 4)
	p := prepareAll(t, e, product)[0]
	var work sync.WaitGroup
	for range 4 {
		q, err := e.NewQueue("one of many")
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			for range 50 {
				s, err := q.Submit(p, 20)
				if err == nil {
					_, err = s.Wait(context.Background())
				}
				if err != nil {
					t.Error(err)
				}
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if err := p.Release(); err != nil {
		t.Error(err)
	}
	closeWith(t, e, product)
}

// Operations that the table does not have are refused by name.
func TestOperationsThatAreNot(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	k := catalog.MustFind("matmul_mps_f32")
	renamed := func(change func(m *shaders.Impl, op *shaders.Op)) shaders.Kernel {
		op, impl := *k.Impl.Op, *k.Impl
		impl.Op = &op
		change(&impl, &op)
		return impl.Kernel(impl.Types[0])
	}
	for _, c := range []struct {
		name   string
		kernel shaders.Kernel
		says   []string
	}{
		{"no row", renamed(func(_ *shaders.Impl, op *shaders.Op) { op.Name = "convolution" }), []string{"have no convolution"}},
		{"a constant more", renamed(func(m *shaders.Impl, op *shaders.Op) { m.Constants = op.Constants }), []string{"matmul has 3 arguments and 4 constants", "take 3 and 2"}},
	} {
		err := e.Supports(c.kernel)
		if says(t, err, c.says...); !errors.Is(err, gpu.ErrUnsupported) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, typ := range shaders.Types()[shaders.F16+1:] {
		other := renamed(func(m *shaders.Impl, _ *shaders.Op) { m.Types = []shaders.Type{typ} })
		err := e.Supports(other)
		if says(t, err, "no matmul of these element types"); !errors.Is(err, gpu.ErrUnsupported) {
			t.Errorf("%v: %v", typ, err)
		}
	}
	spec := specOf(&k)
	spec.dims = []uint32{1, 2}
	_, err := e.device.newLibraryOp(spec, "short")
	says(t, err, "2 sizes for matmul, want 4")
	for _, typ := range []uint32{uint32(len(shaders.Types())), 31, 32, 200} {
		spec.dims, spec.types = []uint32{1, 2, 3, 1}, []uint32{typ, typ, typ}
		_, err := e.device.newLibraryOp(spec, "unknown type")
		says(t, err, "no matmul of these element types")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
