package bench

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/quant"
	"assay/shaders/reduce"
	"assay/workloads/bench/benchtest"
)

// forgetful is a queue whose work leaves some bytes of a buffer unwritten.
type forgetful struct {
	gpu.Queue
	of          gpu.Buffer
	first, last int
}

func (f *forgetful) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	before := bytes.Clone(f.of.Bytes()[f.first:f.last])
	s, err := f.Queue.Submit(p, repeat)
	return &forgotten{s, f, before}, err
}

type forgotten struct {
	gpu.Submission
	f      *forgetful
	before []byte
}

func (s *forgotten) Wait(ctx context.Context) (gpu.Timing, error) {
	t, err := s.Submission.Wait(ctx)
	copy(s.f.of.Bytes()[s.f.first:], s.before)
	return t, err
}

// Unwritten integers are found although any value is a valid result and few are compared.
func TestUnwrittenIntegers(t *testing.T) {
	const rows, cols = 64, 1024
	for _, left := range []int{0, 1, 16} {
		b := benchtest.New(t, gputest.Script{})
		s := New(b.Env).NewScope(t.Context())
		var buffers []gpu.Buffer
		x, err := s.Random(shaders.F32, rows*cols, "x")
		buffers = append(buffers, x)
		for _, n := range []int{rows * cols, 4 * rows, 4 * rows} {
			out, failed := s.bytes(n, "out")
			if failed != nil {
				err = failed
			}
			buffers = append(buffers, out)
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Dispatch(shaders.Pick{Op: "quantize", Type: shaders.I8}, nil, quant.QuantParams{Rows: rows, Cols: cols, Block: cols}, buffers...)
		if err != nil {
			t.Fatal(err)
		}
		const at = 20_011 // not among the compared elements
		s.bench.Queue = &forgetful{s.bench.Queue, buffers[1], at, at + left}
		c, err := check(t.Context(), &Variant{Work: s.Launches([]gpu.Launch{d})})
		if err != nil || c.OK != (left == 0) || left > 0 && !strings.Contains(c.Failure, "from 16384 on were not written") {
			t.Errorf("%d bytes were not written: %+v, error %v", left, c, err)
		}
		s.Release()
	}
}

// An integer that a later launch of the set changes is right, unless the first one leaves it unwritten.
func TestIntegersThatAreChangedLater(t *testing.T) {
	const n = 1000
	for _, lost := range []bool{false, true} {
		b, _ := onCPU(t)
		s := New(b.Env).NewScope(t.Context())
		x := own(t, s, shaders.F32, n, func(i int) float32 { return float32(i % 100) })
		top := own(t, s, shaders.F32, 1, func(int) float32 { return 99 })
		out, err := s.Buffer(shaders.U32, 1, "out")
		if err != nil {
			t.Fatal(err)
		}
		start, err := s.Dispatch(shaders.Pick{Op: "argmax", Type: shaders.F32}, nil, reduce.ArgmaxParams{Parts: 1}, x, nil, out)
		if err != nil {
			t.Fatal(err)
		}
		find, err := s.Dispatch(shaders.Pick{Op: reduce.Find, Type: shaders.F32}, nil, reduce.ReduceParams{N: n, Parts: 3}, x, top, out)
		if err != nil {
			t.Fatal(err)
		}
		if lost {
			s.bench.Queue = &forgetful{s.bench.Queue, out, 0, 4}
		}
		c, err := check(t.Context(), &Variant{Work: s.Launches([]gpu.Launch{start, find})})
		if err != nil || c.OK == lost {
			t.Errorf("writes are lost: %v: %+v, error %v", lost, c, err)
		}
		s.Release()
	}
}

// Each verification compares other elements.
func TestEachVerificationComparesOthers(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	s := New(b.Env).NewScope(t.Context())
	defer s.Release()
	work := s.Launches(ringOf(t, s, 1)...).(*launches)
	var seen []uint64
	for range 3 {
		seen = append(seen, work.verified)
		if _, err := check(t.Context(), &Variant{Work: work}); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Sort(seen); len(slices.Compact(seen)) != 3 {
		t.Errorf("the verifications had the seeds %v", seen)
	}
}
