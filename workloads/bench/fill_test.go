package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// Reading that takes long reports its progress, and ends at once when the run is stopped.
func TestLongFillsShowProgressAndStop(t *testing.T) {
	for _, stops := range []bool{false, true} {
		b := benchtest.New(t, gputest.Script{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var parts []measure.Progress
		b.OnProgress = func(p workloads.Progress) {
			if p.Measure.Part > 0 {
				parts = append(parts, p.Measure)
				if stops {
					cancel()
				}
			}
		}
		read := 0
		w := workloads.Workload{Name: "w", Run: func(ctx context.Context, env *workloads.Env, _ workloads.Values) error {
			return New(env).MeasureAll(ctx, []Case{{Name: "big", Build: func(s *Scope) ([]Variant, error) {
				const n = 8 * Chunk
				s.enter(measure.Compiling) // kernels that the weights are for
				room, err := s.Buffer(shaders.F32, n, "weights")
				if err != nil {
					return nil, err
				}
				return nil, errors.Join(s.FillFloats(room, shaders.F32, n, func(dst []float32, _ int) error {
					read += len(dst)
					time.Sleep(60 * time.Millisecond)
					return nil
				}), errors.New("nothing to measure"))
			}}})
		}}
		err := b.Run(ctx, t, w, nil)
		if len(parts) == 0 || parts[0].Phase != measure.Preparing || !strings.HasPrefix(parts[0].Doing(), "preparing inputs, ") {
			t.Fatalf("progress %+v", parts)
		}
		if stops && (!errors.Is(err, context.Canceled) || read > 4*Chunk) {
			t.Errorf("stopped after %d chunks: %v", read/Chunk, err)
		}
		if !stops && (len(parts) < 3 || parts[len(parts)-1].Part <= parts[0].Part) {
			t.Errorf("%d reports %+v", len(parts), parts)
		}
	}
}

// A reader gets pieces of any size, even from memory that the host cannot see.
func TestFloatsOfManyElementsAtOnce(t *testing.T) {
	for _, discrete := range []bool{false, true} {
		b := benchtest.New(t, gputest.Script{Discrete: discrete})
		w := workloads.Workload{Name: "w", Run: func(ctx context.Context, env *workloads.Env, _ workloads.Values) error {
			return New(env).MeasureAll(ctx, []Case{{Name: "big", Build: func(s *Scope) ([]Variant, error) {
				const n = 3*Chunk + 5
				x, err := s.Buffer(shaders.F32, n, "x")
				if err != nil {
					return nil, err
				}
				err = s.FillFloats(x, shaders.F32, n, func(dst []float32, at int) error {
					for i := range dst {
						dst[i] = float32(at + i)
					}
					return nil
				})
				got := make([]float32, n-1)
				err = errors.Join(err, s.Floats(x, shaders.F32)(got, 1))
				for i, v := range got {
					if v != float32(i+1) {
						t.Fatalf("discrete %v: element %d is %g", discrete, i+1, v)
					}
				}
				return nil, errors.Join(err, errors.New("nothing to measure"))
			}}})
		}}
		if err := b.Run(t.Context(), t, w, nil); err != nil {
			t.Error(err)
		}
	}
}
