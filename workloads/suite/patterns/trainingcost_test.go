package patterns

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// Recomputed results equal the original ones: the weights after a step are bit-identical, and use less memory.
func TestCheckpointsGiveTheSameWeights(t *testing.T) {
	for _, tc := range []struct{ layers, segment, saves int }{{5, 2, 1}, {6, 3, 1}, {4, 1, 0}, {3, 3, 0}, {2, 8, 0}, {9, 3, 3}} {
		size := sizes{n: 16, width: 4, layers: tc.layers, t: shaders.F32}
		b := bench.New(benchtest.New(t, gputest.Script{}).Env)
		s := b.NewScope(t.Context())
		inputs := bench.Buffers{}
		if err := seedTask(s, size, inputs); err != nil {
			t.Fatal(err)
		}
		var both [2]shared
		for i, steps := range [][]bench.Step{wholeStep(size), checkpointed(size, tc.segment)} {
			c, err := share(s, steps, inputs)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(c.launches...); err != nil {
				t.Errorf("%+v: %v", tc, err)
			}
			both[i] = c
		}
		if err := sameWeights(s, size, inputs, both[0], both[1]); err != nil {
			t.Errorf("%+v: %v", tc, err)
		}
		wrong := checkpointed(size, tc.segment)
		for i := range wrong { // the gradient of the wrong layer's result
			if wrong[i].Op == "matmul" && wrong[i].Args[3] == "dw 2" {
				wrong[i].Args[0] = activation(0)
			}
		}
		if c, err := share(s, wrong, inputs); err != nil {
			t.Error(err)
		} else if err := sameWeights(s, size, inputs, c); err == nil || !strings.Contains(err.Error(), "wrong result: w 2[") {
			t.Errorf("%+v: wrong gradients: %v", tc, err)
		}
		held := [2]int64{both[0].held, both[1].held}
		if layer := int64(4 * size.n * size.width); held[0]-held[1] < int64(tc.saves)*layer {
			t.Errorf("%+v: %d B held, then %d; want %d results of %d B less", tc, held[0], held[1], tc.saves, layer)
		}
		s.Release()
	}
}

// If the gradients of the weights can reuse the activations' buffers, checkpoints save nothing, and the run says why.
func TestCheckpointsThatSaveNothing(t *testing.T) {
	for width, want := range map[int]bool{8: true, 4: false} {
		b := benchtest.New(t, gputest.Script{})
		set := workloads.Values{"compare": checkpoints, "width": width, "layers": 9, "min_batch": 8, "max_batch": 8}
		if err := b.Run(t.Context(), t, Training(), set); err != nil {
			t.Fatal(err)
		}
		all, some := b.Measured[0].Number(workloads.HeldBytes), b.Measured[1].Number(workloads.HeldBytes)
		said := slices.ContainsFunc(b.Findings, func(f workloads.Finding) bool { return strings.Contains(f.Text, "reuse their buffers") })
		if !(some > 0) || said != want || (all == some) != want {
			t.Errorf("width %d: %g B held, then %g; %+v", width, all, some, b.Findings)
		}
	}
}

func TestSegmentIsAboutTheRoot(t *testing.T) {
	for layers, want := range map[int]int{2: 2, 4: 2, 5: 3, 9: 3, 16: 4, 64: 8} {
		if got := segmentOf(0, layers); got != want {
			t.Errorf("%d layers: a checkpoint every %d, want %d", layers, got, want)
		}
	}
	if got := segmentOf(7, 16); got != 7 {
		t.Errorf("every %d, want 7", got)
	}
}

func TestEpochsTellWhatThePoolCreates(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"compare": epochs, "width": 6, "min_batch": 4, "max_batch": 4, "steps": 2}
	if err := b.Run(t.Context(), t, Training(), set); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	var names []string
	for i := range b.Measured {
		r := &b.Measured[i]
		names = append(names, r.Variant)
		if r.Status != workloads.OK || !(r.Time().Median > 0) || !(r.Number(workloads.HeldBytes) > 0) || !(r.Number(buffersCreated) > 0) || math.IsNaN(r.Number(workloads.ErrorMax)) {
			t.Errorf("%s: %s, %+v", r.Variant, r.Failure.Text, r.Values)
		}
	}
	if fmt.Sprint(names) != "[pool kept pool cleared]" {
		t.Errorf("variants %q", names)
	}
	want := "3 layers of 6, a batch of 4 in f32: with a pool cleared before each epoch, "
	if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, want) {
		t.Errorf("findings %+v, want %q", b.Findings, want)
	}
}
