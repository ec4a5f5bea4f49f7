package suite

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/suite/throughput"
)

// small has values that make a workload fast on the fake engine: sweeps of two values at the lower end, and small cases.
func small(w *workloads.Workload) workloads.Values {
	v := benchtest.Small(w)
	delete(v, "operands") // both kinds where a workload has them
	maps.Copy(v, map[string]workloads.Values{
		"batching":     {"dtype": "both", "layers": 2},
		"quantization": {"cols": 70}, // two blocks and part of a third
		"classifier":   {"formats": "int8", "allowed": 20.0},
		"broadcast":    {"channels": 3, "height": 2, "width": 5},
		"entropy":      {"min_elements": 100, "max_elements": 1000},
		"tiles":        {"compare": "blocked", "min_tile": 64, "max_tile": 128},
		"pool":         {"size": 1, "steps": 1},            // its buffers are the host's
		"published":    {"tables": "products", "scale": 1}, // few enough elements to compare all
		"graph":        {"sizes": "width=4, channels=2, heads=2, hidden=5, columns=12"},
		"training":     {"compare": "checkpoints", "layers": 5, "segment": 2}, // epochs are timed by the host
	}[w.Name])
	return v
}

// measuring lists the workloads that measure cases.
func measuring(t *testing.T) []workloads.Workload {
	t.Helper()
	var out []workloads.Workload
	for _, w := range All() {
		if w.Control || w.Series {
			continue
		}
		out = append(out, w)
	}
	return out
}

// dispatching lists the workloads timed by the engine's clock, so that each of their runs on the fake engine submits the same. Under
// the race detector it lists a third of them, which exercise the same goroutines.
func dispatching(t *testing.T) []workloads.Workload {
	t.Helper()
	n := 0
	all := slices.DeleteFunc(measuring(t), func(w workloads.Workload) bool {
		n++
		return race.On && n%3 > 0 || onHostClock(t, &w)
	})
	if len(all) == 0 {
		t.Fatal("no workload dispatches")
	}
	return all
}

// hostClock records for each workload, by name, whether the host's clock times it: one run suffices to find out.
var hostClock sync.Map

func onHostClock(t *testing.T, w *workloads.Workload) bool {
	t.Helper()
	if known, ok := hostClock.Load(w.Name); ok {
		return known.(bool)
	}
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, *w, small(w)); err != nil {
		t.Fatal(err)
	}
	host := slices.ContainsFunc(b.Measured, func(r workloads.Result) bool { return r.Values.Text(workloads.Clock) == workloads.HostClock })
	hostClock.Store(w.Name, host)
	return host
}

// everything returns the values that choose all there is to compare.
func everything(w *workloads.Workload) workloads.Values {
	v := workloads.Values{}
	for i := range w.Params {
		if p := &w.Params[i]; p.All != "" {
			v[p.Name] = p.All
		}
	}
	return v
}

// TestWorkloadsOfferEveryKernel: if an operation is measured, one more implementation takes no edit of a workload. It is chosen on
// some device, or compared with others.
func TestWorkloadsOfferEveryKernel(t *testing.T) {
	if race.On {
		t.Skip("which kernels there are does not depend on how goroutines meet, which other tests show")
	}
	offered := map[string]bool{}
	others := map[string][]workloads.Values{ // not covered by the small values
		"broadcast": {{"op": "mul"}}, "matmul": {{"dtype": "int8"}},
		"quantization": {
			{"weights": "normal", "batch": 1},
			{"weights": "normal", "batch": 1, "cols": 256},
			{"weights": "normal", "batch": 3, "cols": 256},
			{"weights": "normal", "batch": 9, "cols": 256},
			{"weights": "normal", "batch": 1, "cols": 256, "int8_activations": true},
			{"weights": "normal", "batch": 9, "cols": 256, "int8_activations": true},
			{"weights": "normal", "batch": 1, "cols": 8448, "rows": 2, "formats": "int8"},
		},
	}
	for _, w := range measuring(t) {
		runs := append([]workloads.Values{everything(&w)}, others[w.Name]...)
		for i, more := range append(runs, runs...) {
			b := benchtest.New(t, gputest.Script{Compute: 90 * (i / len(runs))})
			if err := b.Run(t.Context(), t, w, small(&w).With(more)); err != nil {
				t.Fatal(err)
			}
			for _, k := range b.Engine.Kernels() {
				offered[k.Impl.Op.Name+"/"+k.Impl.Name] = true
			}
		}
	}
	for _, k := range catalog.All() {
		if id := k.Impl.Op.Name + "/" + k.Impl.Name; k.Impl.Library == shaders.Own && !offered[id] {
			offered[id] = true
			t.Errorf("no workload offers %s", id)
		}
	}
}

func TestWorkloadsMeasureAndVerify(t *testing.T) {
	for _, w := range measuring(t) {
		t.Run(w.Name, func(t *testing.T) {
			b := benchtest.New(t, gputest.Script{Discrete: true})
			level := watchLevel(b)
			if err := b.Run(t.Context(), t, w, small(&w)); err != nil {
				t.Fatal(err)
			}
			b.NoLive(t)
			if *level != "" {
				t.Error(*level)
			}
			if len(b.Measured) == 0 || len(b.Findings) == 0 {
				t.Fatalf("%d results, %d findings", len(b.Measured), len(b.Findings))
			}
			for i := range b.Measured {
				if r := &b.Measured[i]; r.Values.Text(workloads.Clock) != workloads.HostClock {
					benchtest.CheckMeasured(t, &w, r)
				} else if r.Status == workloads.Unsupported && strings.Contains(r.Failure.Text, "not available: ") {
					continue // a part that the engine's clock cannot measure
				} else if r.Status != workloads.OK || !(r.Time().Median > 0) { // few samples by the host's clock may have no interval
					t.Errorf("%s %s: %s, %+v", r.Case, r.Variant, r.Status, r.Time())
				}
			}
			last := b.Reports[len(b.Reports)-1]
			if last.Total == 0 || last.Done != last.Total-1 || b.Iterations == 0 {
				t.Errorf("last progress %d of %d, %d iterations", last.Done, last.Total, b.Iterations)
			}
			for _, f := range b.Findings {
				if f.Workload != w.Name || !strings.HasSuffix(f.Text, ".") || f.Case != "" && !f.Mark(b.Measured) {
					t.Errorf("finding %+v points at no result", f)
				}
			}
		})
	}
}

// watchLevel watches the live bytes from iteration to iteration, and returns where it records the case in which they grew. If they
// grow without a leak, slow devices raise false alerts.
func watchLevel(b *benchtest.Rig) *string {
	grew, inCase, before := new(string), "", int64(0)
	b.OnIteration = func(caseName string) {
		live := b.Engine.Memory().Bytes
		if caseName == inCase && live > before && *grew == "" {
			*grew = fmt.Sprintf("%s: live bytes grew from %d to %d in iteration %d", caseName, before, live, b.Iterations)
		}
		inCase, before = caseName, live
	}
	return grew
}

// The recorded site of a buffer is a line of the workload, never of the shared code that acquires buffers.
func TestBuffersAreTakenByTheirWorkload(t *testing.T) {
	for name, set := range map[string]workloads.Values{
		"batching":     {"min_size": 4, "max_size": 4, "width": 8, "layers": 1, "min_batch": 1, "max_batch": 1},
		"fusion":       {"min_size": 4, "max_size": 4, "min_elements": 1024, "max_elements": 1024},
		"quantization": {"rows": 2, "cols": 32, "weights": "normal", "formats": "int8", "min_block": 64, "max_block": 64},
	} {
		w, err := workloads.Find(All(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []*workloads.InputCache{nil, workloads.NewInputCache(1 << 30)} {
			b := benchtest.New(t, gputest.Script{})
			b.Env.Inputs = keep
			lines := map[string]bool{}
			b.OnProgress = func(workloads.Progress) {
				for _, l := range b.Pool.Live() {
					lines[l.Site.String()] = true
					if family := reflect.TypeFor[workloads.Workload]().PkgPath() + "/suite/"; !strings.HasPrefix(l.Site.Func, family) {
						t.Errorf("%s: %q was acquired at %v", w.Name, l.Label, l.Site)
					}
				}
			}
			if err := b.Run(context.Background(), t, *w, set); err != nil {
				t.Fatal(err)
			}
			if len(lines) == 0 {
				t.Errorf("%s: buffers were acquired at %v, want some line", w.Name, lines)
			}
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	for _, w := range All() {
		for _, quick := range []bool{false, true} {
			if err := w.Check(w.Defaults(quick)); err != nil {
				t.Errorf("quick %v: %v", quick, err)
			}
		}
		for name := range w.Quick {
			if _, err := w.Param(name); err != nil {
				t.Error(err)
			}
		}
	}
}

// Settings that are text in a run are text in its files too: a choice that looks like a number would be read back as one.
func TestChoicesOfAxesAreWords(t *testing.T) {
	for _, w := range All() {
		for _, p := range w.Params {
			if w.Axis(p.Name).Name == "" {
				continue
			}
			for _, value := range p.ChoiceValues() {
				if _, err := strconv.ParseFloat(value, 64); err == nil {
					t.Errorf("%s: choice %s of %s reads as a number", w.Name, value, p.Name)
				}
			}
		}
	}
}

// The window's list has a heading wherever the group changes.
func TestEachGroupIsOneSection(t *testing.T) {
	begun := map[string]bool{}
	last := ""
	for _, w := range All() {
		if w.Group != last && begun[w.Group] {
			t.Errorf("%s: the group %s began before, and another one came between", w.Name, w.Group)
		}
		begun[w.Group], last = true, w.Group
	}
}

// Forms, flags and CSV columns are derived from the descriptions, which must be complete.
func TestWorkloadsAreDescribed(t *testing.T) {
	sentence := func(s string) bool {
		return len(s) > 10 && strings.ContainsAny(s[len(s)-1:], ".?") && strings.ToUpper(s[:1]) == s[:1]
	}
	name := func(s string) bool {
		return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && s[0] >= 'a'
	}
	for _, w := range All() {
		if !name(w.Name) || w.Title == "" || w.Group == "" || !sentence(w.About) || !strings.HasSuffix(w.Question, "?") || w.Run == nil {
			t.Errorf("workload %q is not described", w.Name)
		}
		seen := map[string]bool{}
		for _, p := range w.Params {
			if !name(p.Name) || seen[p.Name] || p.Title == "" || !sentence(p.About) {
				t.Errorf("%s: parameter %q is not described or occurs twice", w.Name, p.Name)
			}
			seen[p.Name] = true
			if p.Role == "" || (p.Role == workloads.RoleSweep) != (w.SweepOf(p.Name) != nil) {
				t.Errorf("%s: %s has the role %q", w.Name, p.Name, p.Role)
			}
			if (p.Type == workloads.Int || p.Type == workloads.Float) && (p.Min >= p.Max || p.Unit == "") {
				t.Errorf("%s: %s has the range %g…%g and the unit %q", w.Name, p.Name, p.Min, p.Max, p.Unit)
			}
		}
		for _, s := range w.Sweeps {
			from, err := w.Param(s.From)
			to, err2 := w.Param(s.To)
			if err != nil || err2 != nil || from.Type != workloads.Int || to.Type != workloads.Int || from.Min != to.Min ||
				from.Max != to.Max || s.Title == "" || !sentence(s.About) {
				t.Errorf("%s: the sweep of %s from %s to %s is not described", w.Name, s.Axis, s.From, s.To)
			}
			if !slices.ContainsFunc(w.Axes, func(a workloads.Axis) bool { return a.Name == s.Axis }) {
				t.Errorf("%s: a sweep of %s, which is not an axis", w.Name, s.Axis)
			}
		}
		for _, a := range w.Axes {
			if !name(a.Name) || a.Title == "" {
				t.Errorf("%s: axis %q is not described", w.Name, a.Name)
			}
		}
	}
}

func TestCheckNamesTheFault(t *testing.T) {
	for _, tc := range []struct {
		workload string
		set      workloads.Values
		want     string
	}{
		{"batching", workloads.Values{"min_size": 512, "max_size": 256}, "min_size is 512, above max_size, which is 256"},
		{"batching", workloads.Values{"knee": math.NaN()}, "knee must be a number from 0.5 to 0.99"},
		{"batching", workloads.Values{"sise": 3}, `has no parameter "sise": want one of sweep, dtype`},
		{"fusion", workloads.Values{"min_size": 2048}, "min_size is 2,048, above max_size"},
		{"fusion", workloads.Values{"min_elements": 1 << 26, "max_elements": 5}, "above max_elements"},
		{"fusion", workloads.Values{"pattern": "x"}, "pattern must be one of all, matmul+bias"},
		{"quantization", workloads.Values{"weights": "file"}, "weights is file, but no file is given"},
		{"quantization", workloads.Values{"min_block": 48}, "min_block: block of 48, want a power of two from 32 to 1024"},
		{"quantization", workloads.Values{"min_block": 256, "max_block": 64}, "min_block is 256, above max_block, which is 64"},
		{"quantization", workloads.Values{"max_block": 2048}, "max_block must be a whole number from 32 to 1,024"},
		{"matmul", workloads.Values{"m": 1, "n": 16384, "k": 16384, "batch": 16}, "m, n, k and batch make 17.2 GB per dispatch; the maximum is 5.00 GB"},
		{"matmul", workloads.Values{"m": 16384, "n": 16384, "k": 64}, "of operands; the maximum is 4.29 GB"},
		{"matmul", workloads.Values{"max_size": 4096, "batch": 2}, "make 275 GFLOP per dispatch; the maximum is 137 GFLOP"},
		{"attention", workloads.Values{"queries": "one", "heads": 128, "dim": 128, "max_length": 1 << 16}, "max_length, heads and dim make 8.59 GB per dispatch"},
		{"attention", workloads.Values{"max_length": 1 << 14}, "make 1.10 TFLOP per dispatch; the maximum is 40.0 GFLOP"},
		{"convolution", workloads.Values{"filter": "1x1", "channels": 4096, "outputs": 1, "max_side": 2048}, "max_side, filter, channels, outputs and images make"},
		{"training", workloads.Values{"max_batch": 4096, "width": 1024, "layers": 64}, "max_batch, width and layers make 12.6 GB of buffers; the maximum is 4.29 GB"},
		{"training", workloads.Values{"segment": 16}, "segment is 16, want less than layers, which is 16"},
		{"leak", workloads.Values{"rate": -1.0}, "rate must be a number from 0 to 1000 MB/s (you entered -1)"},
	} {
		w, err := workloads.Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		v := w.Defaults(false)
		for name, x := range tc.set {
			v[name] = x
		}
		err = w.Check(v)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.workload) {
			t.Errorf("%s %v: %v, want %q", tc.workload, tc.set, err, tc.want)
		}
	}
	w := throughput.Batching()
	v := w.Defaults(false)
	delete(v, "width")
	if err := w.Check(v); err == nil || !strings.Contains(err.Error(), "no value for width") {
		t.Errorf("a missing value: %v", err)
	}
	if _, err := workloads.Find(All(), "fusoin"); err == nil || !strings.Contains(err.Error(), "there are batching, matmul, ") {
		t.Errorf("a missing workload: %v", err)
	}
	if got := workloads.Measuring(All()); len(got) != len(measuring(t)) || slices.Contains(got, "soak") || slices.Contains(got, "leak") {
		t.Errorf("the suite is %v", got)
	}
}
