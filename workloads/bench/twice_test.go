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
