package view_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/stats"
	"assay/ui/uitest"
	"assay/ui/view"
	"assay/workloads"
	"assay/workloads/measure"
	"assay/workloads/suite/precision"
	"assay/workloads/suite/throughput"
)

func TestTunedPointsAreHollowInTheirChart(t *testing.T) {
	w := throughput.Batching()
	points := []app.Tuned{
		uitest.Tuned("batching", "max_batch", w.Defaults(false), uitest.SweepResult("mlp", "batch", 12, 40)),
		uitest.Tuned("batching", "max_size", w.Defaults(false), uitest.SweepResult("matmul", "size", 700, 171)),
	}
	list := view.PlotsWith(&w, uitest.Sweep(), w.Defaults(false), points)
	if len(list) != 2 || !list[0].Newest || list[1].Newest {
		t.Fatalf("%d charts, the newest point in the first: %v", len(list), list[0].Newest)
	}
	series := list[0].Model.Series
	s := series[len(series)-1]
	if len(series) != 2 || !s.Hollow || s.Place != 1 || s.Name != "f32 tuned: matmul" || !slices.Equal(s.X, []float64{700}) ||
		!(s.Lo[0] < s.Y[0] && s.Y[0] < s.Hi[0]) || s.Labels[0] != "171 GFLOP/s" {
		t.Errorf("drawn %+v", s)
	}
	if h := list[0].Model.Halo; !h.On || h.X != 700 || h.Y != s.Y[0] || list[1].Model.Halo.On {
		t.Errorf("emphasized %+v, and in the other chart %+v", h, list[1].Model.Halo)
	}
	if s := list[1].Model.Series[1]; s.Labels[0] != "" {
		t.Errorf("an older point is labeled %q", s.Labels[0])
	}
	if m := list[0].Model; m.X.Max != 0 || m.Y.Max != 0 {
		t.Errorf("the axes of a run's chart are held at %v, %v", m.X, m.Y)
	}
	alone := view.PlotsWith(&w, nil, nil, points[1:])
	if len(alone) != 1 || len(alone[0].Model.Series) != 1 || !alone[0].Newest {
		t.Errorf("without a run: %+v", alone)
	}
}

// Points that differ in what the axes do not show are separate series with distinct names.
func TestTunedCurvesAreNotJoined(t *testing.T) {
	w := throughput.Batching()
	points := []app.Tuned{
		uitest.Tuned("batching", "max_batch", w.Defaults(false), uitest.SweepResult("mlp", "batch", 16, 40)),
		uitest.Tuned("batching", "max_batch", w.Defaults(false), uitest.SweepResult("mlp", "batch", 4, 30)),
		uitest.Tuned("batching", "layers", w.Defaults(false).With(workloads.Values{"width": 128, "layers": 7}), uitest.SweepResult("mlp", "batch", 16, 20)),
	}
	list := view.PlotsWith(&w, nil, nil, points)
	if len(list) != 1 || len(list[0].Model.Series) != 2 {
		t.Fatalf("drawn %+v", list)
	}
	wide, narrow := &list[0].Model.Series[0], &list[0].Model.Series[1]
	if !slices.Equal(wide.X, []float64{4, 16}) || !slices.Equal(narrow.X, []float64{16}) {
		t.Errorf("drawn along %v and %v", wide.X, narrow.X)
	}
	if wide.Name != "f32 tuned: mlp, width 512, 3 layers" || narrow.Name != "f32 tuned: mlp, width 128, 7 layers" {
		t.Errorf("named %q and %q", wide.Name, narrow.Name)
	}
	list = view.PlotsWith(&w, uitest.Sweep(), w.Defaults(false), points)
	series := list[1].Model.Series
	if at := func(i int) int { return series[i].Position(i) }; len(series) != 3 || at(1) != at(0) || at(2) == at(0) {
		t.Errorf("the run's own setting has another color, or another setting has its: %+v", series)
	}
}

// A chosen sweep ignores the parameters of the others: they do not distinguish its points.
func TestTunedPointsAreNamedByWhatTheirSweepUses(t *testing.T) {
	w := throughput.Batching()
	p := uitest.Tuned("batching", "max_size", w.Defaults(false), uitest.SweepResult("matmul", "size", 700, 171))
	if got := p.Name(&w); got != "matmul 700, f32" {
		t.Errorf("named %q", got)
	}
	p = uitest.Tuned("batching", "max_batch", w.Defaults(false).With(workloads.Values{"layers": 7}), uitest.SweepResult("mlp", "batch", 16, 40))
	if got := p.Name(&w); got != "mlp batch 16, width 512, 7 layers, f32" {
		t.Errorf("named %q", got)
	}
}

// The next point is compared with the kept one.
func TestTunedAgainstTheOneKept(t *testing.T) {
	w := throughput.Batching()
	at := func(gflops float64) *app.Tuned {
		p := uitest.Tuned("batching", "max_size", w.Defaults(false), uitest.SweepResult("matmul", "size", 700, gflops))
		return &p
	}
	if got, want := at(120).Against(&w, at(100), "the baseline"), "1.20× the throughput of the baseline, matmul 700, f32 ("; !strings.HasPrefix(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	if got := at(100.1).Against(&w, at(100), "the baseline"); !strings.HasPrefix(got, "No measurable difference in throughput from the baseline") {
		t.Errorf("told %q", got)
	}
	rough := at(100)
	rough.Results[0].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	for _, pair := range [][2]*app.Tuned{{at(120), rough}, {rough, at(120)}} {
		want := "No conclusion against the baseline, matmul 700, f32: a disturbed time cannot be compared."
		if got := pair[0].Against(&w, pair[1], "the baseline"); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	one := at(100)
	one.Results[0].Values.Set(workloads.Time, stats.Interval{Median: one.Results[0].Time().Median, Lo: math.Inf(-1), Hi: math.Inf(1)})
	workloads.Metrics().Derive(&one.Results[0].Values)
	if got := at(120).Against(&w, one, "the baseline"); !strings.Contains(got, "no interval") {
		t.Errorf("told %q", got)
	}
}

// For two settings measured alternately, the sentence follows the rounds, and neither is faster if too many were disturbed.
func TestABSentence(t *testing.T) {
	w := throughput.Batching()
	a := uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", 512, 100))
	b := uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", 700, 120))
	u := app.ABUpdate{Request: app.ABRequest{A: a, B: b}, Rounds: 3, Of: 10, Speedup: stats.Estimate{Interval: stats.Interval{Median: 1.2, Lo: 1.1, Hi: 1.3}, N: 3}}
	for _, c := range []struct {
		rounds, disturbed int
		done              bool
		want              string
	}{
		{0, 0, false, "Measuring both alternately: A, matmul 512, f32, and B, matmul 700, f32…"},
		{3, 0, false, "Measuring both alternately, round 4 of 10. So far, B is 1.20× faster than A."},
		{3, 2, false, "Measuring both alternately, round 4 of 10. Disturbed and measured again: 2."},
		{10, 0, true, "B, matmul 700, f32, is 1.20× faster than A, matmul 512, f32 (1.10–1.30), 10 rounds of A B B A."},
		{10, 2, true, "B, matmul 700, f32, is 1.20× faster than A, matmul 512, f32 (1.10–1.30), 10 rounds of A B B A."},
		{3, 10, true, "B, matmul 700, f32, against A, matmul 512, f32: no conclusion. 10 of 13 rounds disturbed: measure again on a quiet machine."},
	} {
		u.Rounds, u.Disturbed, u.Done = c.rounds, c.disturbed, c.done
		if got := u.Sentence(&w); got != c.want {
			t.Errorf("told %q, want %q", got, c.want)
		}
	}
	u.Rounds, u.Done, u.Speedup = 10, true, stats.Estimate{Interval: stats.Interval{Median: 0.6, Lo: math.Inf(-1), Hi: math.Inf(1)}}
	if got, want := u.Sentence(&w), "B, matmul 700, f32, against A, matmul 512, f32: no conclusion. The rounds differ too much for an interval: measure again."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The newest point's label in the chart says if it was disturbed.
func TestDisturbedPointsSaySoInTheChart(t *testing.T) {
	w := throughput.Batching()
	p := uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", 700, 171))
	p.Results[0].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	if got := view.PlotsWith(&w, nil, nil, []app.Tuned{p})[0].Model.Series[0].Labels[0]; got != "171 GFLOP/s, disturbed" {
		t.Errorf("labeled %q", got)
	}
}

// Dragging back and forth measures a size again: the newest point replaces the old one, and the line follows X.
func TestTunedPointsReplaceOlderOnes(t *testing.T) {
	w := throughput.Batching()
	var points []app.Tuned
	for i, n := range []int{512, 100, 700, 100} {
		points = append(points, uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", n, 40+float64(i))))
	}
	s := view.PlotsWith(&w, nil, nil, points)[0].Model.Series[0]
	if !slices.Equal(s.X, []float64{100, 512, 700}) || math.Abs(s.Y[0]-43e9) > 1e6 || s.Labels[0] != "43 GFLOP/s" || s.Labels[1] != "" {
		t.Errorf("drawn %v, %v, %q", s.X, s.Y, s.Labels)
	}
}

// Points of a scatter with different sizes name their sizes.
func TestTunedPointsOfAScatterTellSizes(t *testing.T) {
	w := precision.Quantization()
	all := uitest.QuantizationResults()
	one, two := all[4], all[4]
	two.Case = "normal 512×512"
	two.Values.SetNumber(workloads.SNR, two.Number(workloads.SNR)+3)
	points := []app.Tuned{uitest.Tuned("quantization", "rows", nil, one), uitest.Tuned("quantization", "rows", nil, two)}
	s := view.PlotsWith(&w, nil, nil, points)[0].Model.Series[0]
	if len(s.Labels) != 2 || !strings.Contains(s.Labels[0], one.Case) || !strings.Contains(s.Labels[1], two.Case) {
		t.Errorf("labeled %q", s.Labels)
	}
}

// A chart of tuned points only keeps its axes while a slider is dragged.
func TestTunedAxesHoldStill(t *testing.T) {
	w := throughput.Batching()
	at := func(n int, gflops float64) app.Tuned {
		return uitest.Tuned("batching", "max_size", workloads.Values{"max_size": n}, uitest.SweepResult("matmul", "size", n, gflops))
	}
	from, _ := w.Param("min_size")
	to, _ := w.Param("max_size")
	least, most := float64(from.Default.(int)), float64(to.Default.(int))
	first := view.PlotsWith(&w, nil, nil, []app.Tuned{at(512, 38)})[0].Model
	if first.X.Min != least || first.X.Max != most || first.Y.Min != 1e10 || first.Y.Max != 1e11 {
		t.Errorf("axes %+v, %+v; want the sizes of a usual run, and a decade", first.X, first.Y)
	}
	second := view.PlotsWith(&w, nil, nil, []app.Tuned{at(512, 38), at(64, 90)})[0].Model
	if first.X.Max != second.X.Max || first.X.Min != second.X.Min || first.Y.Max != second.Y.Max || first.Y.Min != second.Y.Min {
		t.Errorf("the axes went to %+v, %+v", second.X, second.Y)
	}
	beyond := view.PlotsWith(&w, nil, nil, []app.Tuned{at(512, 38), at(int(least)/4, 90)})[0].Model
	if beyond.X.Min != least/4 || beyond.X.Max != most {
		t.Errorf("with a point beyond it is %+v", beyond.X)
	}
}

func TestTunedSentence(t *testing.T) {
	w := throughput.Batching()
	p := uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", 700, 171))
	got, ok := p.Sentence(&w)
	if want := "matmul 700, f32: 171 (170 to 172) GFLOP/s, 4.01 ms. A short measurement: 5 samples in 0.38 s."; got != want || !ok {
		t.Errorf("told %q, want %q", got, want)
	}
	p.Results[0].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	if got, _ := p.Sentence(&w); !strings.HasSuffix(got, " s. Disturbed: other programs used 63 % of the CPU.") {
		t.Errorf("told %q", got)
	}
	p.Results[0].Status, p.Results[0].Failure.Text = workloads.Failed, "element 3 is 1, want 2"
	if got, ok := p.Sentence(&w); ok || !strings.Contains(got, "has no time: element 3 is 1") {
		t.Errorf("told %q", got)
	}
}

// One sample has no interval, neither of a ratio nor of a rate.
func TestTunedSentenceOfOneSample(t *testing.T) {
	w := throughput.Batching()
	inf := math.Inf(1)
	r := uitest.SweepResult("matmul", "size", 700, 171)
	r.Samples = r.Samples[:1]
	r.Values.Set(workloads.Time, stats.Interval{Median: r.Time().Median, Lo: math.Inf(-1), Hi: inf})
	workloads.Metrics().Derive(&r.Values)
	p := uitest.Tuned("batching", "max_size", nil, r)
	if got, _ := p.Sentence(&w); !strings.Contains(got, "171 GFLOP/s (no interval: one sample), 4.01 ms") {
		t.Errorf("a rate is told as %q", got)
	}
	r.Baseline = "separate"
	r.Values.Set(workloads.Speedup, stats.Interval{Median: 1.2, Lo: math.Inf(-1), Hi: inf})
	p = uitest.Tuned("batching", "max_size", nil, r)
	if got, _ := p.Sentence(&w); !strings.Contains(got, "1.20× faster than separate (no interval: one sample)") {
		t.Errorf("a ratio is told as %q", got)
	}
}

// Metrics that a workload declares for sentences use its phrases.
func TestTunedSentenceTellsWhatTheWorkloadDeclares(t *testing.T) {
	w, results := precision.Quantization(), uitest.QuantizationResults()
	p := uitest.Tuned(w.Name, "max_block", nil, results[0], results[6])
	got, _ := p.Sentence(&w)
	if !strings.Contains(got, "3.50× faster than f32 (3.45–3.55), ") || !strings.Contains(got, "799 µs, 20.2 dB signal to noise. A short") {
		t.Errorf("told %q", got)
	}
}

func TestFrontIsWhatNothingBeats(t *testing.T) {
	w := precision.Quantization()
	list := view.Plots(&w, uitest.QuantizationResults())
	if len(list) != 2 { // and one beside what is published
		t.Fatalf("%d charts", len(list))
	}
	m := list[0].Model
	front := m.Series[len(m.Series)-1]
	if want := []float64{19, 20.2, 21.5, 39, 43.5, 46, 73}; !slices.Equal(front.X, want) {
		t.Errorf("the front is at %v, want %v", front.X, want)
	}
}

func TestKneesOfManySeriesAreNamed(t *testing.T) {
	w := throughput.Fusion()
	results := uitest.FusionResults()
	list := view.Plots(&w, results)
	if m := list[0].Model; len(m.Marks) != 1 || !(m.Marks[0].X > 512 && m.Marks[0].X < 1024) || m.Marks[0].Label != "crossover" {
		t.Errorf("marks %v", m.Marks)
	}
	other := slices.Clone(results[:10])
	for i := range other {
		other[i].Settings = slices.Concat([]workloads.Setting{{Name: "pattern", Value: "matmul+relu"}}, other[i].Settings[1:])
		other[i].Marks = nil
	}
	other[5].Marks = workloads.Marks("crossover")
	list = view.Plots(&w, append(results, other...))
	marks := list[0].Model.Marks
	if len(marks) != 2 || marks[0].Label != "crossover matmul+bias+relu" || marks[1] != (chart.Mark{X: 256, Label: "crossover matmul+relu"}) {
		t.Errorf("marks %v", marks)
	}
}

// A series of only live tuning has the same color and shape as in the chart of a run.
func TestSeriesKeepTheirPlace(t *testing.T) {
	w := precision.Quantization()
	results := uitest.QuantizationResults()
	ran := view.Plots(&w, results)[0].Model
	for _, r := range []int{4, 6} { // int8 and int4
		tuned := view.PlotsWith(&w, nil, nil, []app.Tuned{uitest.Tuned("quantization", "formats", nil, results[r])})[0].Model
		at := slices.IndexFunc(ran.Series, func(s chart.Series) bool {
			return s.Name+" tuned: normal" == strings.Split(tuned.Series[0].Name, ",")[0]
		})
		if at < 1 || tuned.Series[0].Place != ran.Series[at].Place || ran.Series[at].Place != at+1 {
			t.Errorf("%s has place %d, in a run %d of %+v", tuned.Series[0].Name, tuned.Series[0].Place, at+1, ran.Series)
		}
	}
}
