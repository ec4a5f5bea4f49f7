package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/internal/race"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
	"assay/workloads/suite/throughput"
)

// still reports whether no point shows a parameter at these values: it only affects whole runs, or has no effect with
// the others.
func still(p *workloads.Param, v workloads.Values) bool {
	return p.Role == workloads.RolePlan || p.Role == workloads.RoleFinding || p.Applies != nil && p.Applies(v) != nil
}

// Every parameter either narrows the values to one case with one point per curve, or says why not.
func TestNarrowIsOneCase(t *testing.T) {
	for _, w := range dispatching(t) {
		v := w.Defaults(false).With(small(&w))
		for _, p := range w.Params {
			narrow, place, err := w.Narrow(v, p.Name, "")
			if still(&p, v) {
				if err == nil || !strings.HasPrefix(w.Explain(err), p.Title+": ") {
					t.Errorf("%s, %s: error %v, want one that says why", w.Name, p.Name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", w.Name, p.Name, err)
				continue
			}
			if err := w.Check(narrow); err != nil {
				t.Errorf("%s, %s: %v", w.Name, p.Name, err)
			}
			b := benchtest.New(t, gputest.Script{})
			if err := b.Run(t.Context(), t, w, narrow); err != nil {
				t.Fatal(err)
			}
			for _, r := range b.Measured {
				if r.Case != b.Measured[0].Case || r.Status != workloads.OK {
					t.Errorf("%s, %s at %s: cases %q and %q, status %s", w.Name, p.Name, place, b.Measured[0].Case, r.Case, r.Status)
				}
			}
			most := 4
			if w.Variants != nil {
				most = max(most, w.Variants(narrow))
			}
			if n := len(b.Measured); n < 1 || n > most {
				t.Errorf("%s, %s at %s: %d results, want at most %d", w.Name, p.Name, place, n, most)
			}
		}
	}
}

func TestNarrowFollowsWhatWasMoved(t *testing.T) {
	for _, tc := range []struct {
		workload, moved, last string
		set                   workloads.Values
		place                 string
		want                  workloads.Values
	}{
		{"batching", "max_size", "", nil, "max_size", workloads.Values{"sweep": "matmul", "min_size": 2048, "max_size": 2048}},
		{"batching", "min_size", "max_batch", nil, "min_size", workloads.Values{"sweep": "matmul", "min_size": 64, "max_size": 64}},
		{"batching", "max_batch", "", nil, "max_batch", workloads.Values{"sweep": "mlp", "min_batch": 128, "max_batch": 128}},
		{"batching", "dtype", "", nil, "max_size", workloads.Values{"sweep": "matmul", "min_size": 2048}},
		{"batching", "dtype", "min_batch", nil, "min_batch", workloads.Values{"sweep": "mlp", "min_batch": 1, "max_batch": 1}},
		{"batching", "width", "max_size", nil, "max_batch", workloads.Values{"sweep": "mlp", "min_batch": 128}},
		{"batching", "library", "max_batch", nil, "max_size", workloads.Values{"sweep": "matmul"}},
		{"fusion", "max_size", "", nil, "max_size", workloads.Values{"pattern": "matmul+bias+relu", "min_size": 1024}},
		{"fusion", "min_elements", "", nil, "min_elements", workloads.Values{"pattern": "add+relu", "max_elements": 1000}},
		{"fusion", "pattern", "min_size", workloads.Values{"pattern": "affine"}, "max_elements", workloads.Values{"pattern": "affine", "min_elements": 10_000_000}},
		{"fusion", "pattern", "min_size", workloads.Values{"pattern": "matmul+gelu"}, "min_size", workloads.Values{"pattern": "matmul+gelu", "max_size": 64}},
		{"quantization", "batch", "", nil, "max_block", workloads.Values{"formats": "int4", "scales": "blocks", "min_block": 256, "weights": "normal"}},
		{"quantization", "min_block", "", workloads.Values{"formats": "int8"}, "min_block", workloads.Values{"formats": "int8", "max_block": 32}},
		{"quantization", "scales", "max_block", workloads.Values{"scales": "tensor"}, "", workloads.Values{"scales": "tensor", "formats": "int4"}},
		{"quantization", "formats", "", workloads.Values{"formats": "f16"}, "", workloads.Values{"formats": "f16"}},
		{"quantization", "tensor", "", workloads.Values{"file": "x.safetensors"}, "max_block", workloads.Values{"weights": "file"}},
	} {
		w, err := workloads.Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		v := w.Defaults(false).With(tc.set)
		narrow, place, err := w.Narrow(v, tc.moved, tc.last)
		if err != nil || place != tc.place {
			t.Errorf("%s, %s after %q: place %q, error %v; want %q", tc.workload, tc.moved, tc.last, place, err, tc.place)
			continue
		}
		for name, want := range tc.want {
			if narrow[name] != want {
				t.Errorf("%s, %s: %s is %v, want %v", tc.workload, tc.moved, name, narrow[name], want)
			}
		}
		if fmt.Sprint(v) != fmt.Sprint(w.Defaults(false).With(tc.set)) {
			t.Errorf("%s, %s: the caller's values were changed", tc.workload, tc.moved)
		}
	}
}

func TestNarrowSaysWhyNot(t *testing.T) {
	for _, tc := range []struct {
		workload, moved string
		set             workloads.Values
		words           string
	}{
		{"batching", "sweep", nil, "move a matrix or a batch"},
		{"batching", "knee", nil, "whole run"},
		{"quantization", "target_snr", nil, "findings"},
		{"quantization", "file", nil, "no file is chosen"},
		{"quantization", "tensor", nil, "no file is chosen"},
		{"batching", "speed", nil, `no parameter "speed"`},
		{"batching", "max_size", workloads.Values{"max_size": 0}, "max_size must be"},
		{"fusion", "max_size", workloads.Values{"pattern": "affine"}, "affine has no matrix"},
		{"fusion", "max_elements", workloads.Values{"pattern": "matmul+gelu"}, "matmul+gelu has no vector"},
		{"quantization", "max_block", workloads.Values{"formats": "f16"}, "f16 has no scales"},
		{"quantization", "max_block", workloads.Values{"scales": "tensor"}, "choose blocks"},
		{"quantization", "rows", workloads.Values{"file": "x.safetensors"}, "a fixed size"},
		{"leak", "rate", nil, "no single points to tune"},
	} {
		w, err := workloads.Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Narrow(w.Defaults(false).With(tc.set), tc.moved, ""); err == nil || !strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s, %s: error %v, want one that says %q", tc.workload, tc.moved, err, tc.words)
		}
	}
}

// Hidden parameters are those in which two results can differ without showing it.
func TestCurvesDifferInWhatIsHidden(t *testing.T) {
	hidden := map[string]map[string]bool{
		"batching": {"width": true, "layers": true}, "fusion": {"dtype": true}, "normalization": {"dtype": true, "elements": true}, "reduction": {"dtype": true}, "elementwise": {"dtype": true},
		"broadcast":    {"dtype": true, "op": true, "channels": true, "height": true, "width": true},
		"matmul":       {"dtype": true, "m": true, "n": true, "k": true, "batch": true, "transpose": true},
		"tiles":        {"dtype": true},
		"gemv":         {"dtype": true, "layout": true, "outputs": true, "inputs": true},
		"entropy":      {"stride": true},
		"convolution":  {"dtype": true, "channels": true, "outputs": true, "images": true, "stride": true, "padding": true},
		"attention":    {"dtype": true, "heads": true, "kv_heads": true, "dim": true, "mask": true},
		"patterns":     {"dtype": true, "width": true, "steps": true, "side": true},
		"published":    {"dtype": true},
		"training":     {"dtype": true, "width": true, "layers": true, "segment": true, "steps": true},
		"quantization": {"batch": true, "scheme": true},
	}
	for _, w := range dispatching(t) {
		v := w.Defaults(false)
		for _, p := range w.Params {
			other := v.With(nil)
			switch p.Type {
			case workloads.Int:
				other[p.Name] = v.Int(p.Name) + 1
			case workloads.Choice:
				other[p.Name] = p.Choices[len(p.Choices)-1].Value
			default:
				continue
			}
			want, known := hidden[w.Name]
			if !known { // part of each case, without an axis
				want = map[string]bool{p.Name: p.Role == workloads.RoleCase && w.Axis(p.Name).Name == "" && w.Axis(p.Axis).Name == ""}
			}
			if differs := w.Curve(v) != w.Curve(other); differs != want[p.Name] {
				t.Errorf("%s: curves differ by %s: %v", w.Name, p.Name, differs)
			}
		}
	}
}

func TestBriefRunsKeepInputsAndFindNothing(t *testing.T) {
	if race.On {
		t.Skip("the goroutines are those of longer runs, which other tests show")
	}
	for _, w := range dispatching(t) {
		b := benchtest.New(t, gputest.Script{})
		b.Env.Inputs = workloads.NewInputCache(1 << 30)
		b.Env.Options = measure.Options{Short: true, Budget: time.Second, MaxSamples: 10, SampleTime: time.Nanosecond}
		// Each case does the work differently on the same inputs.
		var allocated []int
		for range 2 {
			before := b.Engine.Allocations()
			if err := b.Run(t.Context(), t, w, small(&w)); err != nil {
				t.Fatal(err)
			}
			allocated = append(allocated, b.Engine.Allocations()-before)
		}
		if allocated[1] >= allocated[0] || b.Env.Inputs.Bytes() == 0 {
			t.Errorf("%s: %d allocations, then %d, %d B kept", w.Name, allocated[0], allocated[1], b.Env.Inputs.Bytes())
		}
		if len(b.Findings) > 0 {
			t.Errorf("%s: a brief measurement found %q", w.Name, b.Findings[0].Text)
		}
		for i := range b.Measured {
			r := &b.Measured[i]
			if r.Status != workloads.OK || len(r.Samples) == 0 || len(r.Warnings) == 0 || !strings.HasPrefix(r.Warnings[0].Text, "short measurement") {
				t.Errorf("%s %s %s: status %s %q, warnings %q", w.Name, r.Case, r.Variant, r.Status, r.Failure.Text, r.Warnings)
			}
		}
		half := len(b.Measured) / 2
		for i := range half { // the same inputs give the same errors
			first, again := &b.Measured[i], &b.Measured[half+i]
			if fmt.Sprint(first.Number(workloads.ErrorMax), first.Number(workloads.WeightErrorMax), first.Number(workloads.SNR)) !=
				fmt.Sprint(again.Number(workloads.ErrorMax), again.Number(workloads.WeightErrorMax), again.Number(workloads.SNR)) {
				t.Errorf("%s %s %s: error %g and SNR %g, then %g and %g", w.Name, first.Case, first.Variant, first.Number(workloads.ErrorMax), first.Number(workloads.SNR),
					again.Number(workloads.ErrorMax), again.Number(workloads.SNR))
			}
		}
		if err := b.Env.Inputs.Release(); err != nil || b.Env.Inputs.Bytes() != 0 {
			t.Errorf("%s: %d B kept after release, error %v", w.Name, b.Env.Inputs.Bytes(), err)
		}
		b.NoLive(t)
	}
}

func TestBriefRunSeesWrongOutputs(t *testing.T) {
	right, wrong := []gputest.Step{{}}, slices.Repeat([]gputest.Step{{Wrong: true}}, 1000)
	b := benchtest.New(t, gputest.Script{Steps: append(right, wrong...)})
	b.Env.Options = measure.Options{Short: true, Budget: time.Second, MaxSamples: 11, SampleTime: time.Nanosecond}
	if err := b.Run(t.Context(), t, throughput.Batching(), workloads.Values{"sweep": "matmul", "min_size": 4, "max_size": 4}); err != nil {
		t.Fatal(err)
	}
	if r := &b.Measured[0]; r.Status != workloads.Failed || len(r.Samples) > 0 {
		t.Errorf("status %s, %d samples", r.Status, len(r.Samples))
	}
}
