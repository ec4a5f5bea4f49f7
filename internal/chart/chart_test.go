package chart

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/severity"
)

func TestUnitFormat(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Bytes, 1.24e9, "1.24 GB"},
		{Bytes, 999, "999 B"},
		{BinaryBytes, 3 << 20, "3 MiB"},
		{BinaryBytes, 1536, "1.50 KiB"},
		{"FLOP/s", 2.5e12, "2.50 TFLOP/s"},
		{"FLOP/s", 2e12, "2 TFLOP/s"},
		{Celsius, 78.04, "78.0 °C"},
		{"W", 99.96, "100 W"},
		{Seconds, 5e-6, "5 µs"},
		{Seconds, 41e-6, "41 µs"},
		{Seconds, 90, "90 s"},
		{Ratio, 0.982, "98.2 %"},
		{Ratio, 0.00869, "0.9 %"},
		{Ratio, 1, "100 %"},
		{Ratio, 0.0004, "0.04 %"},
		{Celsius, 71.26, "71.3 °C"},
		{None, 12000, "12k"},
		{None, 0, "0"},
		{"W", math.NaN(), "–"},
		{"W", -0.5, "−500 mW"},
	} {
		if got := c.unit.Format(c.v); got != c.want {
			t.Errorf("%q.Format(%g) = %q, want %q", c.unit, c.v, got, c.want)
		}
	}
}

func FuzzLinearTicks(f *testing.F) {
	f.Add(0.0, 1.0, 5)
	f.Add(-3e8, 2.0e9, 3)
	f.Fuzz(func(t *testing.T, lo, hi float64, n int) {
		if !finite(lo) || !finite(hi) || lo >= hi || !finite(hi-lo) || hi-lo < 1e-6*max(math.Abs(lo), math.Abs(hi)) || hi-lo < 1e-280 {
			return
		}
		n = 1 + pos(n, 40)
		step := niceStep(hi-lo, n)
		if (hi-lo)/step > float64(n)*(1+1e-6) {
			t.Errorf("step %g cuts %g … %g into more than %d", step, lo, hi, n)
		}
		ticks := appendLinear(nil, lo, hi, step)
		if !slices.IsSorted(ticks) || len(ticks) > n+1 {
			t.Errorf("ticks %v for n = %d", ticks, n)
		}
		for _, v := range ticks {
			if v < lo-step*1e-5 || v > hi+step*1e-5 {
				t.Errorf("tick %g outside %g … %g", v, lo, hi)
			}
		}
	})
}

// FuzzDraw draws models made of arbitrary numbers in arbitrary sizes.
func FuzzDraw(f *testing.F) {
	f.Add([]byte{}, uint16(0), uint16(0), uint32(0))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(1))), uint16(1), uint16(1), uint32(77))
	f.Add(make([]byte, 200), uint16(320), uint16(140), uint32(0x1234567))
	r := newTestRenderer(f)
	f.Fuzz(func(t *testing.T, data []byte, w, h uint16, opt uint32) {
		m := fuzzModel(data, opt)
		img := image.NewRGBA(image.Rect(0, 0, int(w%700), int(h%400)))
		scale, st := float64(1+opt>>30), DarkStyle()
		st.Text = float64(opt>>20%8) / 3
		r.Draw(img, &m, st, scale)
		r.DrawHover(img, &m, Hover{On: true, X: float64(w) / 2, Y: float64(h) / 2, All: opt&1 == 0})
		r.DrawWith(img, &m, st, scale, Hover{On: true, All: true, Held: true, At: float64(h), Echo: opt&2 == 0})
		for i := 3; i < len(img.Pix); i += 4 {
			if img.Pix[i] != 255 {
				t.Fatalf("pixel %d has alpha %d", i/4, img.Pix[i])
			}
		}
	})
}

// TestDrawSurvivesAnyNumbers draws models of random bits with one renderer, as
// FuzzDraw does with what it finds.
func TestDrawSurvivesAnyNumbers(t *testing.T) {
	r := newTestRenderer(t)
	for seed := range 600 {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		data := make([]byte, 8*rng.IntN(60))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		opt := rng.Uint32()
		m, st := fuzzModel(data, opt), DarkStyle()
		st.Text = float64(opt>>20%8) / 3
		img := image.NewRGBA(image.Rect(0, 0, rng.IntN(700), rng.IntN(400)))
		r.Draw(img, &m, st, float64(1+opt>>30))
		r.DrawHover(img, &m, Hover{On: true, X: 100, Y: 50, All: opt&1 == 0})
		for i := 3; i < len(img.Pix); i += 4 {
			if img.Pix[i] != 255 {
				t.Fatalf("seed %d: pixel %d has alpha %d", seed, i/4, img.Pix[i])
			}
		}
	}
}

func fuzzModel(data []byte, opt uint32) Model {
	var vs []float64
	for ; len(data) >= 8; data = data[8:] {
		vs = append(vs, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	n := len(vs) / 2
	m := Model{
		X: Axis{Scale: Scale(opt % 5), Unit: Bytes}, Y: Axis{Scale: Scale(opt >> 3 % 3), Unit: Seconds, Title: "t"},
		Series: []Series{
			{Name: "a", Kind: Kind(opt >> 6 % 3), X: vs[:n], Y: vs[n:], Fill: true, Dash: Dash(opt >> 9 % 5)},
			{Name: "b", Kind: Kind(opt >> 12 % 3), Y: vs, Lo: vs[:n], Hi: vs[n:], Labels: []string{"p", "", "q"}},
		},
	}
	if opt>>15&1 == 1 && n > 1 {
		m.X.Min, m.X.Max, m.Y.Min, m.Y.Max = vs[0], vs[1], vs[n], vs[1]
		m.Marks = []Mark{{X: vs[0], Label: "m"}}
		m.Bands = []Band{{Lo: vs[0], Hi: vs[1], Label: "b"}}
		m.X.Categories = []string{"one", "two"}
		m.Rules = []Rule{{Y: vs[n], Label: "rule"}}
		m.Phases = []Phase{{From: vs[0], To: vs[1], Label: "p"}, {From: vs[1], To: vs[0], Label: "q", Odd: true}}
		m.Events = []Event{{X: vs[1], Label: "e", Severity: []severity.Level{severity.Info, severity.Warning, severity.Critical, "other"}[opt>>16%4]}}
		m.States = []State{{From: vs[0], To: vs[n], Label: "s", Level: vs[1], Severity: severity.Warning}, {From: vs[n], To: vs[1]}}
		m.Y2 = Axis{Unit: Bytes, Min: vs[1], Max: vs[n]}
		m.Series[1].Right, m.Series[0].Step, m.Series[1].Whiskers = opt>>17&1 == 1, opt>>18&1 == 1, opt>>19&1 == 1
	}
	return m
}

func TestDrawDoesNotAllocate(t *testing.T) {
	for _, s := range gallery() {
		r, m := newTestRenderer(t), s.model
		img := image.NewRGBA(image.Rect(0, 0, 600, 240))
		r.Draw(img, &m, DarkStyle(), 1)
		if n := testing.AllocsPerRun(20, func() { r.Draw(img, &m, DarkStyle(), 1) }); n != 0 {
			t.Errorf("%s: %v allocations per drawing, want 0", s.name, n)
		}
	}
}

// TestStrokeWidth checks that a flat line covers its width, no more or less.
func TestStrokeWidth(t *testing.T) {
	for _, scale := range []float64{1, 2} {
		var k stroker
		k.reset(8, 20, lineWidth*scale, Solid, scale)
		k.segment(0, 10.3, 8, 10.3)
		img := image.NewRGBA(image.Rect(0, 0, 8, 20))
		k.paint(img, 0, 0, color.NRGBA{255, 255, 255, 255})
		sum := 0.0
		for y := range 20 {
			sum += float64(img.RGBAAt(4, y).R) / 255
		}
		if math.Abs(sum-lineWidth*scale) > 0.1 {
			t.Errorf("scale %g: line covers %.2f px, want %.2f", scale, sum, lineWidth*scale)
		}
	}
}

func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}

// TestPaletteContrast checks every series color for WCAG's contrast of 3:1 for graphics.
func TestPaletteContrast(t *testing.T) {
	for _, st := range []Style{LightStyle(), DarkStyle()} {
		bg := luminance(st.Background)
		for i := range paletteSize {
			c := luminance(PaletteColor(i, st.Dark))
			if ratio := (max(c, bg) + 0.05) / (min(c, bg) + 0.05); ratio < 3 {
				t.Errorf("color %d, dark %v: contrast %.2f, want at least 3", i, st.Dark, ratio)
			}
		}
	}
}

func TestNewRendererRejectsBadFont(t *testing.T) {
	if _, err := NewRenderer([]byte("no font")); err == nil {
		t.Error("no error for a broken font")
	}
}

func TestTicksHaveATrueMinus(t *testing.T) {
	m := Model{Y: Axis{Unit: Ratio, Min: -0.00002, Max: 0.00002}, X: Axis{Min: -2e4, Max: 2e4}, Series: []Series{{X: []float64{0}, Y: []float64{0}}}}
	x, y := m.Ticks(4, 4)
	for _, want := range []string{"−20k", "0"} {
		if !slices.Contains(x.Labels, want) {
			t.Errorf("no %q among %q", want, x.Labels)
		}
	}
	if !slices.Contains(y.Labels, "−0.001 %") {
		t.Errorf("shares %q", y.Labels)
	}
}
