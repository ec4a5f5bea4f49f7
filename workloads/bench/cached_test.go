package bench

import (
	"errors"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

func TestKeepHasALimit(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Inputs = workloads.NewInputCache(100)
	take := func(name string) gpu.Buffer {
		b.Env.Inputs.NextCase()
		s := New(b.Env).NewScope(t.Context())
		defer s.Release()
		buf, err := Cached(s, name, func(s *Scope) (gpu.Buffer, error) { return s.Buffer(0, 10, name) })
		if err != nil {
			t.Fatal(err)
		}
		return buf
	}
	a := take("a")
	take("b")
	if again := take("a"); again != a || b.Env.Inputs.Bytes() != 80 {
		t.Errorf("%d B kept, want 80; the same buffer: %v", b.Env.Inputs.Bytes(), again == a)
	}
	take("c") // evicts b, the least recently used
	if again := take("a"); again != a || b.Env.Inputs.Bytes() != 80 || len(b.Pool.Live()) != 2 {
		t.Errorf("%d B kept in %d buffers, want 80 B in 2", b.Env.Inputs.Bytes(), len(b.Pool.Live()))
	}
	boom := errors.New("boom")
	s := New(b.Env).NewScope(t.Context())
	_, err := Cached(s, "d", func(s *Scope) (gpu.Buffer, error) {
		if _, err := s.Buffer(0, 10, "d"); err != nil {
			t.Error(err)
		}
		return nil, boom
	})
	if !errors.Is(err, boom) || len(b.Pool.Live()) != 2 {
		t.Errorf("error %v, %d buffers live, want 2", err, len(b.Pool.Live()))
	}
	if err := b.Env.Inputs.Release(); err != nil {
		t.Error(err)
	}
	b.NoLive(t)
}

// Cached inputs are evicted when memory runs out.
func TestKeepGivesWay(t *testing.T) {
	b := benchtest.New(t, gputest.Script{MemoryLimit: 1000})
	b.Env.Inputs = workloads.NewInputCache(1 << 20)
	for _, name := range []string{"a", "b"} { // 600 B each
		b.Env.Inputs.NextCase()
		s := New(b.Env).NewScope(t.Context())
		if _, err := Cached(s, name, func(s *Scope) (gpu.Buffer, error) { return s.Buffer(0, 150, name) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b.Env.Inputs.Bytes() != 600 {
		t.Errorf("%d B kept, want 600", b.Env.Inputs.Bytes())
	}
	if err := b.Env.Inputs.Release(); err != nil {
		t.Error(err)
	}
	b.NoLive(t)
}
