package chart

import (
	"image"
	"math"
	"slices"
	"strings"
	"testing"
)

func sweepOf(xs, ys []float64) Model {
	return Model{
		X:      Axis{Scale: Log2, Title: "Vector length (elements)"},
		Y:      Axis{Title: "Speedup over separate"},
		Series: []Series{{Name: "add+relu", X: xs, Y: ys, ShowMarkers: true, Whiskers: true}},
	}
}

// The ticks of a sweep are at the measured values, not at powers of two in between.
func TestTicksStandAtMeasuredSizes(t *testing.T) {
	r := newTestRenderer(t)
	m := sweepOf([]float64{10e3, 100e3, 1e6}, []float64{1.2, 1.4, 1.3})
	seen := textsOf(r, &m, 600, 240)
	for _, want := range []string{"10k", "100k", "1M"} {
		if !slices.Contains(seen, want) {
			t.Errorf("no tick %s among %q", want, seen)
		}
	}
	if !slices.Equal(r.lay.xticks, m.Series[0].X) {
		t.Errorf("ticks at %v", r.lay.xticks)
	}
	m.Series = append(m.Series, Series{Name: "tuned", X: []float64{70e3}, Y: []float64{1.3}, ShowMarkers: true, Hollow: true})
	if render(r, m, LightStyle(), 600, 240, 1); len(r.lay.xticks) != 3 {
		t.Errorf("a hollow point moves the ticks to %v", r.lay.xticks)
	}
	m = sweepOf(ramp(40, 64, 50), ramp(40, 1, 0.02))
	if textsOf(r, &m, 600, 240); r.lay.xticks[0] != 64 || r.lay.xticks[1] != 128 {
		t.Errorf("of forty sizes the ticks are at %v, want powers of two", r.lay.xticks)
	}
}

// textsOf draws a model and lists the texts in it.
func textsOf(r *Renderer, m *Model, w, h int) (list []string) {
	note := func(text string, _ image.Rectangle) { list = append(list, text) }
	r.small.seen, r.warm = note, false
	defer func() { r.small.seen = nil }()
	r.Draw(image.NewRGBA(image.Rect(0, 0, w, h)), m, LightStyle(), 1)
	return list
}

// If the curves leave no room next to a rule, its name is written outside the plot.
func TestRuleIsNamedAside(t *testing.T) {
	r := newTestRenderer(t)
	m := sweepOf(ramp(24, 64, 64), make([]float64, 24))
	for i := range m.Series[0].Y {
		m.Series[0].Y[i] = 1.02 - 0.04*float64(i%2)
	}
	m.X.Scale = Linear
	m.Y.Min, m.Y.Max = 0.9, 1.1
	m.Rules = []Rule{{Y: 1, Label: "no difference"}}
	var at image.Rectangle
	r.small.seen = func(text string, box image.Rectangle) {
		if text == "no difference" {
			at = box
		}
	}
	r.Draw(image.NewRGBA(image.Rect(0, 0, 480, 160)), &m, LightStyle(), 1)
	if at.Empty() || at.Max.Y > r.lay.plot.Min.Y {
		t.Errorf("the name stands at %v, the plot begins at %d", at, r.lay.plot.Min.Y)
	}
	m.Y.Title, m.Series[0].Name = strings.Repeat("a long title ", 12), "" // no room above
	r.Draw(image.NewRGBA(image.Rect(0, 0, 480, 160)), &m, LightStyle(), 1)
	if at.Min.Y < r.lay.plot.Max.Y || at.Min.X < r.titleEnd {
		t.Errorf("below the plot the name stands at %v, beside a title that ends at %d", at, r.titleEnd)
	}
}

// Beyond a fixed range a point is drawn at the edge, and the pointer shows its value.
func TestPointsBeyondStandAtTheEdge(t *testing.T) {
	r := newTestRenderer(t)
	m := Model{
		X: Axis{Title: "Sample"}, Y: Axis{Unit: Seconds, Min: 1e-3, Max: 1.2e-3},
		Series: []Series{{Kind: PointKind, X: []float64{1, 2}, Y: []float64{1.1e-3, 1.15e-3}}, {Kind: PointKind, X: []float64{3}, Y: []float64{9e-3}, Edge: true}},
	}
	render(r, m, LightStyle(), 400, 160, 1)
	x, y, ok := r.place(&m.Series[1], 0)
	if !ok || !r.inPlot(x, y) || y > float64(r.lay.plot.Min.Y)+5 {
		t.Errorf("it stands at %v, %v of a plot in %v", x, y, r.lay.plot)
	}
	if tip := r.pointTip(&m, 1, 0); !strings.Contains(tip[1].text, "9 ms") {
		t.Errorf("the pointer tells %+v", tip)
	}
}

// However low the chart, the pointer shows the source of a value.
func TestTipKeepsSourceAndProvenance(t *testing.T) {
	r := newTestRenderer(t)
	tip := []tipLine{{series: -1, text: "12:00:31"}, {series: 0, text: "Assay  12 %"}}
	tip = append(tip, tipLine{series: -1, text: "the counters of this process in /proc/self/stat, read each second, measured", minor: true})
	for _, n := range []int{2, 3} {
		got := r.fitTip(slices.Clone(tip), 190, n)
		if last := got[len(got)-1]; len(got) > n || !strings.HasSuffix(last.text, ", measured") || r.small.widthString(last.text) > 190 {
			t.Errorf("in %d lines: %+v", n, got)
		}
	}
}

// A point with one sample has no interval, and says so; a value that is known exactly needs none.
func TestTipOfAPointWithoutInterval(t *testing.T) {
	nan := math.NaN()
	m := Model{Y: Axis{Unit: "FLOP/s"}, Series: []Series{{
		Name: "f32", X: []float64{1, 2, 3}, Y: []float64{5e9, 6e9, 7e9}, Lo: []float64{nan, 5e9, 7e9}, Hi: []float64{nan, 7e9, 7e9},
		Bare: []string{"one sample, no interval", "", ""},
	}}}
	r := newTestRenderer(t)
	for j, want := range []string{"one sample, no interval", "interval 5 GFLOP/s to 7 GFLOP/s", ""} {
		got := ""
		if tip := r.pointTip(&m, 0, j); len(tip) > 2 {
			got = tip[2].text
		}
		if got != want {
			t.Errorf("point %d: %q, want %q", j, got, want)
		}
	}
}

// A live-tuning point beyond the sweep extends the axis, and is labeled there; one within moves no tick.
func TestTicksBeyondTheSweep(t *testing.T) {
	m := Model{X: Axis{Scale: Log2}, Series: []Series{
		{Name: "f32", X: []float64{1, 8, 64, 128}, Y: []float64{1, 2, 3, 4}, ShowMarkers: true},
		{Name: "tuned", X: []float64{12, 512}, Y: []float64{2, 5}, ShowMarkers: true, Hollow: true},
	}}
	r := newTestRenderer(t)
	r.Draw(image.NewRGBA(image.Rect(0, 0, 600, 300)), &m, DarkStyle(), 1)
	if want := []float64{1, 8, 64, 128, 512}; !slices.Equal(r.lay.xticks, want) {
		t.Errorf("ticks %v, want %v", r.lay.xticks, want)
	}
}
