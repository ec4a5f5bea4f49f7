package chart

import (
	"image"
	"math"
	"strings"
	"testing"

	"assay/internal/severity"
)

// A shortened name keeps what distinguishes it from its neighbors, and is never just a number.
func TestShortNamesOfPhases(t *testing.T) {
	r := newTestRenderer(t)
	for _, c := range []struct{ name, at, want string }{
		{"matmul 1024", "matmul 1024", "matmul 1024"},
		{"fused MLP, batch 16", "… batch 16", "… batch 16"},
		{"matmul 1024", "mat… 1024", "mat… 1024"},
		{"matmul 1024", "… 1024", ""},
		{"verifying", "verif…", "verif…"},
	} {
		if got := r.fitName(c.name, r.small.widthString(c.at)+1); got != c.want {
			t.Errorf("%q in the width of %q is %q, want %q", c.name, c.at, got, c.want)
		}
	}
}

// Every state shows its word, the word's first letter or a shape, however short it is.
func TestStatesAreNotShownByColorAlone(t *testing.T) {
	r, seen := watch(t)
	m := statesModel()
	m.States = []State{
		{From: -60, To: -40, Label: "nominal"},
		{From: -40, To: -38, Label: "fair", Level: 1.0 / 3},
		{From: -38, To: -37.4, Label: "serious", Level: 2.0 / 3, Severity: severity.Warning},
		{From: -37.4, To: math.NaN(), Label: "critical", Level: 1, Severity: severity.Critical},
	}
	img := image.NewRGBA(image.Rect(0, 0, 420, 160))
	r.Draw(img, &m, DarkStyle(), 1)
	lane, _ := r.stateLane(&m)
	var got []string
	for _, k := range *seen {
		if k.box.Overlaps(lane) {
			got = append(got, k.words)
			if above, below := k.box.Min.Y-lane.Min.Y, lane.Max.Y-k.box.Max.Y; above < 1 || below < 1 {
				t.Errorf("%q at %v leaves the lane %v", k.words, k.box, lane)
			}
		}
	}
	if strings.Join(got, " ") != "nominal f critical" {
		t.Errorf("the lane says %q", got)
	}
	x := int(r.lay.x.pixel(-37.7))
	_, c := severityLook(severity.Warning, true)
	shape := false
	for y := lane.Min.Y; y < lane.Max.Y; y++ {
		shape = shape || img.RGBAAt(x, y).R == c.R
	}
	if !shape {
		t.Error("the shortest state has no shape")
	}
}

// The label of a rule avoids the moving data, and overlaps no line.
func TestRuleLabelMakesWay(t *testing.T) {
	r, seen := watch(t)
	m := Model{
		X: Axis{Scale: Window, Unit: Seconds, Min: -60, Max: 0}, Y: Axis{Unit: Ratio, Max: 1},
		Series: []Series{{X: ramp(61, -60, 1), Y: make([]float64, 61)}}, Rules: []Rule{{Y: 0.9, Label: "alert at 90 %"}},
	}
	img := image.NewRGBA(image.Rect(0, 0, 320, 120))
	draw := func(high func(i int) bool) image.Rectangle {
		for i := range m.Series[0].Y {
			if m.Series[0].Y[i] = 0.2; high(i) {
				m.Series[0].Y[i] = 0.8
			}
		}
		*seen = (*seen)[:0]
		r.Draw(img, &m, DarkStyle(), 1)
		for _, k := range *seen {
			if k.words == "alert at 90 %" {
				if r.hitsData(&m, k.box) {
					t.Errorf("the label at %v stands on the line", k.box)
				}
				return k.box
			}
		}
		t.Fatal("the label is gone")
		return image.Rectangle{}
	}
	right := draw(func(i int) bool { return i < 20 })
	left := draw(func(i int) bool { return i > 40 })
	if left.Max.X > right.Min.X {
		t.Errorf("the label did not move: %v, then %v", right, left)
	}
	if stays := draw(func(i int) bool { return i > 45 }); stays != left {
		t.Errorf("the label moves without need, from %v to %v", left, stays)
	}
	bare := newTestRenderer(t)
	bare.Draw(img, &m, DarkStyle(), 1)
	if n := testing.AllocsPerRun(20, func() { bare.Draw(img, &m, DarkStyle(), 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Counts have whole steps on both axes.
func TestWholeSteps(t *testing.T) {
	span := func(hi float64) span { return span{lo: 0, hi: hi, ok: true} }
	for _, hi := range []float64{1, 2, 3, 9, 18, 1000} {
		for n := 2; n < 8; n++ {
			for what, step := range map[string]func(*Axis) float64{
				"left":  func(a *Axis) float64 { _, _, s := yRange(a, span(hi), false, n); return s },
				"right": func(a *Axis) float64 { _, _, s := rightRange(a, span(hi), n); return s },
			} {
				if s := step(&Axis{Whole: true}); s < 1 || s != math.Trunc(s) {
					t.Errorf("%s, up to %v in %d parts: a step of %v", what, hi, n, s)
				}
			}
		}
	}
}

// A time axis without a title shows its unit, and only one.
func TestBareTimeHasAUnit(t *testing.T) {
	for end, want := range map[float64]string{96: "0 s 30 s 60 s 90 s", 600: "0 min 5 min 10 min", 8000: "0 h 1 h 2 h"} {
		r, seen := watch(t)
		m := Model{X: Axis{Unit: Seconds, Max: end}, Y: Axis{Unit: "W"}, HideLegend: true, Series: []Series{{X: []float64{0, end}, Y: []float64{1, 2}}}}
		img := image.NewRGBA(image.Rect(0, 0, 340, 120))
		r.Draw(img, &m, DarkStyle(), 1)
		var got []string
		for _, k := range *seen {
			if k.box.Min.Y > r.lay.plot.Max.Y {
				got = append(got, k.words)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("up to %v s: %q, want %q", end, got, want)
		}
	}
}

// A pointer at the name of a phase, or at a state, points at that moment: the box has the whole name.
func TestPointerInTheLanes(t *testing.T) {
	r, seen := watch(t)
	m := statesModel()
	m.Phases = []Phase{{From: -20, To: -18, Label: "fused MLP, batch 16"}}
	img := image.NewRGBA(image.Rect(0, 0, 420, 160))
	r.Draw(img, &m, DarkStyle(), 1)
	x, p := r.lay.x.pixel(-19), r.lay.plot
	for _, c := range []struct {
		y    int
		want bool
	}{{p.Min.Y - r.lay.lane/2, true}, {p.Max.Y + r.lay.states/2, true}, {p.Max.Y + r.lay.states + 6, false}, {p.Min.Y - r.lay.lane - 6, false}} {
		*seen = (*seen)[:0]
		r.DrawHover(img, &m, Hover{On: true, All: true, X: x, Y: float64(c.y)})
		told := false
		for _, k := range *seen {
			told = told || k.words == "Phase: fused MLP, batch 16"
		}
		if told != c.want {
			t.Errorf("at a height of %d, the plot from %d to %d: told %v", c.y, p.Min.Y, p.Max.Y, told)
		}
	}
}

// Nothing is filled over bands; a fill would mix a meaningless color.
func TestNoFillOverBands(t *testing.T) {
	for _, bands := range [][]Band{nil, {{Lo: 0, Hi: 1, Label: "good"}}} {
		l := NewLive(LiveConfig{Series: []string{"reuse"}, Y: Axis{Unit: Ratio}, Bands: bands})
		if got := l.m.Series[0].Fill; got != (bands == nil) {
			t.Errorf("with %d bands filled: %v", len(bands), got)
		}
	}
}

// A series has the color and the shape of its Place, whichever series precede it.
func TestPlaceIsKept(t *testing.T) {
	alone, third := Series{Place: 3}, Series{}
	if colorOf(&alone, 0, true) != colorOf(&third, 2, true) || markerOf(&alone, 0) != markerOf(&third, 2) {
		t.Error("a series of the third place alone looks otherwise than the third")
	}
	tuned := Series{Hollow: true, Place: 3}
	if colorOf(&tuned, 5, true) != colorOf(&third, 2, true) {
		t.Error("its points of live tuning look otherwise")
	}
}
