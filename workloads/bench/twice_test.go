package bench

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/quant"
	"assay/workloads/bench/benchtest"
)

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
		s.bench.Queue = forgetting(s.bench.Queue, buffers[1], at, at+left)
		c, err := check(t.Context(), &Variant{Work: s.Launches([]gpu.Launch{d})})
		if err != nil || c.OK != (left == 0) || left > 0 && !strings.Contains(c.Failure, "from 16384 on were not written") {
			t.Errorf("%d bytes were not written: %+v, error %v", left, c, err)
		}
		s.Release()
	}
}

// shared are sets of launches with 1001 codes in a buffer of 1004 bytes.
var shared = map[string]func(t *testing.T, s *Scope) (set []gpu.Launch, codes gpu.Buffer){
	"alone": quantized,
	"beside what is in place": func(t *testing.T, s *Scope) ([]gpu.Launch, gpu.Buffer) {
		set, codes := quantized(t, s)
		norm, _ := rmsNormOf(t, s, shaders.F32, 4, 8, 0.9)
		return append(set, norm), codes
	},
	"where floats were": func(t *testing.T, s *Scope) ([]gpu.Launch, gpu.Buffer) {
		set, codes := quantized(t, s)
		return append(reluTo(t, s, 251, codes), set...), codes
	},
	"where floats will be": func(t *testing.T, s *Scope) ([]gpu.Launch, gpu.Buffer) {
		set, codes := quantized(t, s)
		return append(set, reluTo(t, s, 251, codes)...), codes
	},
}

func quantized(t *testing.T, s *Scope) ([]gpu.Launch, gpu.Buffer) {
	t.Helper()
	const rows, cols = 7, 143
	x := own(t, s, shaders.F32, rows*cols, func(i int) float32 { return float32(i%97)/31 - 1.01 })
	codes, err := s.bytes(rows*cols, "codes")
	if err != nil {
		t.Fatal(err)
	}
	scale, zero := own(t, s, shaders.F32, rows, func(int) float32 { return 0 }), own(t, s, shaders.F32, rows, func(int) float32 { return 0 })
	d, err := s.Dispatch(shaders.Pick{Op: "quantize", Type: shaders.I8}, nil, quant.QuantParams{Rows: rows, Cols: cols, Block: cols}, x, codes, scale, zero)
	if err != nil {
		t.Fatal(err)
	}
	return []gpu.Launch{d}, codes
}

func reluTo(t *testing.T, s *Scope, n int, out gpu.Buffer) []gpu.Launch {
	t.Helper()
	x := own(t, s, shaders.F32, n, func(i int) float32 { return float32(i%97)/31 - 1.01 })
	d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: uint32(n)}, x, out)
	if err != nil {
		t.Fatal(err)
	}
	return []gpu.Launch{d}
}

// Integers are found to be unwritten whatever else uses their memory, and right ones are right, also in streams.
func TestUnwrittenIntegersInSharedMemory(t *testing.T) {
	for name, setOf := range shared {
		for _, lost := range []bool{false, true} {
			b, _ := onCPU(t)
			s := New(b.Env).NewScope(t.Context())
			set, of := setOf(t, s)
			work := s.Launches(set).(*launches)
			if name == "where floats will be" {
				of = work.inPlace.sets[0][0].before.Buffer // what is compared later
			}
			if lost {
				s.bench.Queue = leaving(s.bench.Queue, of, 777, 1003)
			}
			c, err := check(t.Context(), &Variant{Work: work})
			if err != nil || c.OK == lost || lost && !strings.Contains(c.Failure, "some bytes of q from 0 on were not written") {
				t.Errorf("%s, writes are lost: %v: %+v, error %v", name, lost, c, err)
			}
			s.Release()
		}
	}
}

func TestIntegersOfStreams(t *testing.T) {
	b, _ := onCPU(t)
	s := New(b.Env).NewScope(t.Context())
	defer s.Release()
	var works []Work
	for _, setOf := range shared {
		set, _ := setOf(t, s)
		works = append(works, s.Launches(set))
	}
	c, err := check(t.Context(), &Variant{Work: streamsOf(t, s, works...)})
	if err != nil || !c.OK {
		t.Errorf("%+v, error %v", c, err)
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
