package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"assay/gpu"
	"assay/shaders"
)

// Scope owns the buffers of one case: all are released when the case ends, however it ends.
type Scope struct {
	env    *Env
	ctx    context.Context
	leases []gpu.Lease
	seeds  uint64
}

func (s *Scope) release() {
	for _, l := range s.leases {
		_ = l.Release() // a lease that the case released itself is gone already
	}
	s.leases = nil
}

// Buffer takes room for n ≥ 0 elements from the pool; label names it in books.
func (s *Scope) Buffer(t shaders.Type, n int, label string) (gpu.Buffer, error) {
	l, err := s.env.Pool.Acquire(max(t.Bytes(n), 1), label)
	if err != nil {
		return nil, err
	}
	s.leases = append(s.leases, l)
	return l, nil
}

// Upload is a buffer with data in it.
func (s *Scope) Upload(t shaders.Type, data []byte, label string) (gpu.Buffer, error) {
	b, err := s.env.Pool.Acquire(max(len(data), 1), label)
	if err != nil {
		return nil, err
	}
	s.leases = append(s.leases, b)
	return b, b.Write(0, data)
}

// Random is a buffer of n elements, uniform in [−1, 1) from the run's seed.
func (s *Scope) Random(t shaders.Type, n int, label string) (gpu.Buffer, error) {
	v := shaders.View{Type: t, Data: make([]byte, t.Bytes(n))}
	s.seeds++
	v.FillUniform(rand.New(rand.NewPCG(s.env.Seed, s.seeds)))
	return s.Upload(t, v.Data, label)
}

// Dispatch compiles the kernel of that name and binds buffers to its arguments in order; nil for one that does not
// exist under c.
func (s *Scope) Dispatch(kernel string, c shaders.Constants, params any, buffers ...gpu.Buffer) (gpu.Dispatch, error) {
	spec := shaders.MustFind(kernel)
	if err := s.env.Engine.Supports(spec); err != nil {
		return gpu.Dispatch{}, err
	}
	k, err := s.env.Engine.Kernel(spec, c)
	if err != nil {
		return gpu.Dispatch{}, err
	}
	d := gpu.Dispatch{Kernel: k, Bindings: gpu.Bind(buffers...), Params: params}
	if err := d.Check(); err != nil {
		return d, fmt.Errorf("bind %s: %w", kernel, err)
	}
	return d, nil
}

// Submit runs dispatches once, for what a case must compute before it is measured.
func (s *Scope) Submit(dispatches ...gpu.Dispatch) error {
	_, err := s.env.submit(s.ctx, dispatches...)
	return err
}
