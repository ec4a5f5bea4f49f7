package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// heated is a rig whose device slows down when case `hot` begins, until it has rested.
type heated struct {
	*benchtest.Rig
	now         time.Time
	slow        float64
	rest, needs time.Duration
	built       []string // cases, in the order measured
	acts        []workloads.Drifted
	waits       int
	anchor      *Anchor
}

func newHeated(t *testing.T, needs time.Duration, o measure.AnchorOptions) *heated {
	t.Helper()
	h := &heated{slow: 1, needs: needs, now: time.Unix(1e9, 0)}
	h.Rig = benchtest.New(t, gputest.Script{Slow: func(int) float64 {
		h.now = h.now.Add(time.Millisecond)
		return h.slow
	}})
	o.Now = func() time.Time { return h.now }
	o.Sleep = func(_ context.Context, d time.Duration) {
		h.now = h.now.Add(d)
		if h.rest += d; h.rest >= h.needs {
			h.slow = 1
		}
	}
	h.Env.Workload = &workloads.Workload{Name: "hot"}
	h.Env.Drifted = func(d workloads.Drifted) { h.acts = append(h.acts, d) }
	h.OnProgress = func(p workloads.Progress) {
		if p.Measure.Phase == measure.Cooling && strings.Contains(p.Measure.Doing(), "cooling down: 50 % slower than at the start") {
			h.waits++
		}
	}
	a, err := NewAnchor(t.Context(), h.Engine, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		h.NoLive(t)
	})
	h.anchor, h.Env.Anchor = a, a.Anchor
	return h
}

// cases are four, each of which takes a while; the device slows down the first time that the third is measured.
func (h *heated) cases(t *testing.T) (cases []Case) {
	for n := range 4 {
		name := fmt.Sprintf("case %d", n)
		cases = append(cases, Case{Name: name, Build: func(s *Scope) ([]Variant, error) {
			if n == 2 && !slices.Contains(h.built, name) {
				h.slow = 1.5
			}
			h.built = append(h.built, name)
			h.now = h.now.Add(10 * time.Second)
			set, _ := reluOf(t, s, 8)
			return []Variant{{Name: "relu", Work: s.Launches(set)}}, nil
		}})
	}
	return cases
}

// What a case reports only once is reported by it again when it is measured again, and by no other.
func TestCaseMeasuredAgainTellsTheSame(t *testing.T) {
	h := newHeated(t, 5*time.Second, measure.AnchorOptions{})
	cases := h.cases(t)
	for i := range cases {
		build := cases[i].Build
		cases[i].Build = func(s *Scope) ([]Variant, error) {
			list, err := build(s)
			if i >= 2 && s.Tells("other") {
				list = append(list, Variant{Name: "other", Err: gpu.ErrUnsupported})
			}
			return list, err
		}
	}
	if err := New(h.Env).MeasureAll(t.Context(), cases); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range h.Measured {
		got = append(got, r.Case+" "+r.Variant)
	}
	if want := "case 0 relu, case 1 relu, case 2 relu, case 2 other, case 3 relu"; strings.Join(got, ", ") != want || len(h.acts) == 0 {
		t.Errorf("results %s, want %s; %s", strings.Join(got, ", "), want, h.said())
	}
}

func (h *heated) said() string {
	var acts []string
	for _, a := range h.acts {
		acts = append(acts, fmt.Sprintf("%s %s", a.Act, strings.Join(a.Cases, "+")))
	}
	return strings.Join(acts, ", ")
}

func TestThrottledCaseIsMeasuredAgain(t *testing.T) {
	h := newHeated(t, 5*time.Second, measure.AnchorOptions{})
	if err := New(h.Env).MeasureAll(t.Context(), h.cases(t)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(h.built, " "); got != "case 0 case 1 case 2 case 2 case 3" || h.said() != "discarded case 2, recovered case 2" || h.waits < 4 {
		t.Errorf("measured %s; %s; told to wait %d times", got, h.said(), h.waits)
	}
	if len(h.Measured) != 4 {
		t.Fatalf("%d results", len(h.Measured))
	}
	for i, r := range h.Measured {
		again, cooled := r.Number(workloads.TimesAgain), r.Number(workloads.CooledBefore)
		if _, disturbed := r.Disturbed(); disturbed || r.Number(workloads.AnchorDrift) != 0 || r.Time().Median != h.Measured[0].Time().Median || r.ID != fmt.Sprintf("1.%d", i+1) {
			t.Errorf("%s: %v, drift %g, %v", r.Case, r.Time(), r.Number(workloads.AnchorDrift), r.Warnings)
		}
		if i == 2 && (again != 1 || cooled < 5) || i != 2 && !(math.IsNaN(again) && math.IsNaN(cooled)) {
			t.Errorf("%s was measured again %g times, after %g s", r.Case, again, cooled)
		}
	}
}

func TestCasesThatStayThrottledAreMarked(t *testing.T) {
	for _, tc := range []struct {
		name    string
		timeout time.Duration
		said    string
	}{
		{"waits in vain", 20 * time.Second, "discarded case 2, stayed case 2, kept case 2, kept case 3"},
		{"only marks", -1, "kept case 2, kept case 3"},
	} {
		h := newHeated(t, time.Hour, measure.AnchorOptions{Timeout: tc.timeout})
		if err := New(h.Env).MeasureAll(t.Context(), h.cases(t)); err != nil {
			t.Fatal(err)
		}
		if h.said() != tc.said || len(h.Measured) != 4 || h.rest > 25*time.Second {
			t.Errorf("%s: %s, %d results, rested %v", tc.name, h.said(), len(h.Measured), h.rest)
		}
		for i, r := range h.Measured {
			why, disturbed := r.Disturbed()
			if disturbed != (i >= 2) || disturbed && (why != "disturbed: the anchor was then 50 % slower than at the start (compute)" || r.Number(workloads.AnchorDrift) < 0.49) {
				t.Errorf("%s: %s, %s: %q, drift %g", tc.name, r.Case, r.Status, why, r.Number(workloads.AnchorDrift))
			}
		}
	}
}

// If a device was slow when the run began, that hides no later slowdown, even if cases are only marked.
func TestSlowStartIsNotKept(t *testing.T) {
	h := newHeated(t, time.Hour, measure.AnchorOptions{Timeout: -1})
	cases := h.cases(t)
	for n, slow := range map[int]float64{1: 0.6, 2: 0.6, 3: 0.9} {
		build := cases[n].Build
		cases[n].Build = func(s *Scope) ([]Variant, error) {
			list, err := build(s)
			h.slow = slow
			return list, err
		}
	}
	if err := New(h.Env).MeasureAll(t.Context(), cases); err != nil {
		t.Fatal(err)
	}
	if h.said() != "kept case 1, kept case 3" || len(h.Measured) != 4 {
		t.Fatalf("%s, %d results", h.said(), len(h.Measured))
	}
	for i, want := range []string{"", "disturbed: the device was slow when the run began: afterward the anchor was 40 % faster", "", "disturbed: the anchor was then 50 % slower"} {
		if why, disturbed := h.Measured[i].Disturbed(); disturbed != (want != "") || !strings.HasPrefix(why, want) {
			t.Errorf("%s: %q, want %q", h.Measured[i].Case, why, want)
		}
	}
}

// Results that wait for the anchor are reported when the run is stopped.
func TestStoppedRunKeepsWhatWaits(t *testing.T) {
	h := newHeated(t, time.Hour, measure.AnchorOptions{Share: 1e-9})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cases := h.cases(t)
	build := cases[2].Build
	cases[2].Build = func(s *Scope) ([]Variant, error) {
		if len(h.Measured) > 0 {
			t.Error("results are told although the anchor was not read")
		}
		variants, err := build(s)
		cancel()
		return variants, err
	}
	if err := New(h.Env).MeasureAll(ctx, cases); err == nil || len(h.Measured) != 2 || !math.IsNaN(h.Measured[0].Number(workloads.AnchorDrift)) {
		t.Errorf("%v, %d results", err, len(h.Measured))
	}
}

// A slow anchor means throttling only if nothing disturbed the window.
func TestSlowAnchorOfADisturbedWindow(t *testing.T) {
	h := newHeated(t, time.Hour, measure.AnchorOptions{Share: 0.5})
	if _, err := h.Env.Anchor.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.slow = 1.5
	d, err := h.Env.Anchor.Read(t.Context())
	if err != nil || !d.Slower() {
		t.Fatalf("drift %+v, %v", d, err)
	}
	for _, c := range []struct {
		busy bool
		kind measure.WarningKind
		text string
	}{
		{false, measure.Slowed, "throttled: the anchor was then 50 % slower than at the start (compute)"},
		{true, measure.SlowedBusy, "the anchor was then 50 % slower than at the start (compute), while the machine was disturbed: this need not be throttling"},
	} {
		r := workloads.Result{Status: workloads.OK}
		if c.busy {
			r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: others")
		}
		anchored(&r, &d)
		if w := r.Warnings[len(r.Warnings)-1]; w.Kind != workloads.WarningKind(c.kind) || w.Text != c.text {
			t.Errorf("disturbed %v: %+v", c.busy, r.Warnings)
		}
	}
}

// A series reads the anchor between its windows, marks those after which the device was slow, and discards none.
func TestSeriesTellsTheAnchor(t *testing.T) {
	h := newHeated(t, time.Hour, measure.AnchorOptions{Share: 0.5})
	h.Env.Options.Now = func() time.Time { return h.now }
	h.Env.Spans = &measure.Spans{}
	c := Case{Name: "work", Build: func(s *Scope) ([]Variant, error) {
		set, _ := reluOf(t, s, 8)
		return []Variant{{Name: "relu", Work: s.Launches(set)}}, nil
	}}
	h.OnProgress = func(workloads.Progress) {
		if len(h.Measured) == 4 {
			h.slow = 1.5
		}
	}
	if err := New(h.Env).Follow(t.Context(), c, time.Second, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if len(h.Measured) < 6 || len(h.acts) != 0 || h.rest != 0 {
		t.Fatalf("%d windows, %s, rested %v", len(h.Measured), h.said(), h.rest)
	}
	readings := 0
	for i := range h.Measured {
		r := &h.Measured[i]
		drift, marked := r.Number(workloads.AnchorDrift), false
		for _, w := range r.Warnings {
			marked = marked || w.Kind == workloads.WarningKind(measure.Slowed) && strings.Contains(w.Text, "throttled: the anchor was then 50 % slower")
		}
		if _, disturbed := r.Disturbed(); disturbed || r.Status != workloads.OK {
			t.Errorf("window %d is %s, disturbed %v", i, r.Status, disturbed)
		}
		if math.IsNaN(drift) {
			continue
		}
		readings++
		if slow := i > 4; i != 4 && (marked != slow || slow && math.Abs(drift-0.5) > 0.01 || !slow && math.Abs(drift) > 0.01) {
			t.Errorf("window %d: drift %g, warnings %v", i, drift, r.Warnings)
		}
	}
	seen := map[measure.Phase]int{}
	for _, s := range h.Env.Spans.Take() {
		seen[s.Phase]++
	}
	if readings < 4 || seen[measure.Anchoring] == 0 || seen[measure.Sampling] == 0 || seen[measure.Rechecking] == 0 {
		t.Errorf("%d readings, phases %v", readings, seen)
	}
}
