package chart

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/severity"
)

// text is one piece of text that a drawing wrote.
type text struct {
	words string
	box   image.Rectangle
}

// watch makes a renderer that records every text it draws.
func watch(t testing.TB) (*Renderer, *[]text) {
	t.Helper()
	var seen []text
	r := newTestRenderer(t)
	r.seen = func(words string, box image.Rectangle) {
		if strings.TrimSpace(words) != "" {
			seen = append(seen, text{words, box})
		}
	}
	r.small.seen, r.large.seen = r.seen, r.seen
	return r, &seen
}

// checkTexts reports texts that leave the image or overlap.
func checkTexts(t *testing.T, what string, img image.Rectangle, seen []text) {
	t.Helper()
	for i, a := range seen {
		if !a.box.In(img) {
			t.Errorf("%s: %q at %v leaves the image %v", what, a.words, a.box, img)
		}
		for _, b := range seen[:i] {
			if a.box.Overlaps(b.box) {
				t.Errorf("%s: %q at %v meets %q at %v", what, a.words, a.box, b.words, b.box)
			}
		}
	}
}

// awkward is a number that is difficult for charts.
func awkward(rng *rand.Rand) float64 {
	switch rng.IntN(14) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1 - 2*rng.IntN(2))
	case 2:
		return 0
	case 3:
		return math.Ldexp(rng.Float64()-0.5, rng.IntN(2000)-1000)
	case 4:
		return -rng.Float64() * 1e9
	}
	return rng.Float64() * math.Pow(10, float64(rng.IntN(14)-3))
}

// randomModel is a model of arbitrary parts.
func randomModel(rng *rand.Rand) Model {
	units := []Unit{None, Bytes, BinaryBytes, Seconds, Ratio, Celsius, "FLOP/s", "W"}
	unit := func() Unit { return units[rng.IntN(len(units))] }
	word := func() string {
		return strings.Repeat("label ", 1+rng.IntN(3))[:3+rng.IntN(4)] + fmt.Sprint(rng.IntN(99))
	}
	m := Model{X: Axis{Scale: Scale(rng.IntN(5)), Unit: unit()}, Y: Axis{Scale: Scale(rng.IntN(3)), Unit: unit()}, Y2: Axis{Unit: unit()}}
	if rng.IntN(2) == 0 {
		m.X.Title, m.Y.Title = "Some title of X", word()
	}
	if m.X.Scale == Window {
		m.X.Min, m.X.Max = -60, 0
		m.Phases = []Phase{{From: -40, To: -20, Label: word()}, {From: -20, To: math.NaN(), Label: word()}}
		m.Events = []Event{{X: -30, Label: word(), Severity: severity.Warning}}
	}
	for range rng.IntN(6) {
		m.X.Categories = append(m.X.Categories, word())
	}
	same := rng.IntN(4) == 0
	for i := range rng.IntN(7) {
		s := Series{Name: word(), Kind: Kind(rng.IntN(3)), Right: rng.IntN(4) == 0, Fill: rng.IntN(2) == 0, Step: rng.IntN(4) == 0}
		v := awkward(rng)
		for k := range rng.IntN(30) {
			if !same {
				v = awkward(rng)
			}
			s.X, s.Y = append(s.X, float64(2*k)-58), append(s.Y, v)
			s.Lo, s.Hi = append(s.Lo, v*0.9), append(s.Hi, v*1.1)
			s.Labels = append(s.Labels, strings.Repeat(word(), rng.IntN(2)))
		}
		if i%2 == 0 {
			s.Value = []byte(unit().Format(awkward(rng)))
		}
		m.Series = append(m.Series, s)
	}
	for range rng.IntN(3) {
		m.Marks = append(m.Marks, Mark{X: float64(rng.IntN(60) - 58), Label: word()})
		m.Rules = append(m.Rules, Rule{awkward(rng), word()})
		m.Bands = append(m.Bands, Band{0, math.Abs(awkward(rng)), word()})
	}
	if rng.IntN(8) == 0 {
		m.Unavailable = strings.Repeat("a reason of some length ", 1+rng.IntN(9))
	}
	return m
}

// TestTextNeitherMeetsNorLeaves draws arbitrary models in arbitrary sizes, scales and text sizes: no text may overlap
// another or leave the image, and the legend stays above the data.
func TestTextNeitherMeetsNorLeaves(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		scale := []float64{1, 1.5, 2}[rng.IntN(3)]
		st := LightStyle()
		st.Text = []float64{1, 1, 1.25, 1.6}[rng.IntN(4)]
		w, h := 160+rng.IntN(500), 60+rng.IntN(300)
		if rng.IntN(50) == 0 {
			w, h = 2400, 900
		}
		r, seen := watch(t)
		m := randomModel(rng)
		img := image.NewRGBA(image.Rect(0, 0, int(float64(w)*scale), int(float64(h)*scale)))
		r.Draw(img, &m, st, scale)
		checkTexts(t, fmt.Sprintf("seed %d, %d×%d at %g, text %g", seed, w, h, scale, st.Text), img.Rect, *seen)
		for _, e := range r.ends {
			if e.at.Y > r.lay.plot.Min.Y {
				t.Errorf("seed %d: the legend at %v covers the data at %v", seed, e.at, r.lay.plot)
			}
		}
		*seen = (*seen)[:0]
		r.tip = image.Rectangle{}
		at := Hover{On: true, X: rng.Float64() * float64(w) * scale, Y: rng.Float64() * float64(h) * scale, All: rng.IntN(2) == 0}
		r.DrawHover(img, &m, at)
		checkTexts(t, fmt.Sprintf("seed %d, pointer at %.0f, %.0f", seed, at.X, at.Y), r.tip.Intersect(img.Rect), *seen)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// A wide chart has room for a label at every tenth of a second, but that would be unreadable.
func TestWideAxisHasFewTicks(t *testing.T) {
	m := &Model{X: Axis{Title: "Time since the run started", Unit: Seconds}, Series: []Series{{X: []float64{0.05, 2.6}, Y: []float64{1, 2}}}}
	for width, want := range map[int][2]int{700: {4, 12}, 1900: {12, 18}} {
		r := newTestRenderer(t)
		r.Draw(image.NewRGBA(image.Rect(0, 0, width, 400)), m, DarkStyle(), 1)
		if n := len(r.lay.xticks); n < want[0] || n > want[1] {
			t.Errorf("%d px have %d ticks, %.3g s apart, want %d to %d", width, n, r.lay.xstep, want[0], want[1])
		}
	}
}
