package chart

import (
	"fmt"
	"math"
)

// wave is n points of a smooth test signal.
func wave(n int, base, amp, phase float64) []float64 {
	ys := make([]float64, n)
	for i := range ys {
		t := float64(i) / 300
		ys[i] = base + amp*(0.6*math.Sin(9*t+phase)+0.3*math.Sin(31*t+2*phase)+0.1*math.Sin(150*t*phase))
	}
	return ys
}

func ramp(n int, from, step float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = from + float64(i)*step
	}
	return xs
}

func scaled(ys []float64, f float64) []float64 {
	out := make([]float64, len(ys))
	for i, y := range ys {
		out[i] = y * f
	}
	return out
}

// liveModel is a live chart of two series with n points each.
func liveModel(n int) Model {
	return Model{
		X: Axis{Scale: Window, Unit: Seconds, Min: -60, Max: 0},
		Y: Axis{Unit: "B/s", FromZero: true},
		Series: []Series{
			{Name: "Read", X: ramp(n, -60, 60/float64(max(1, n-1))), Y: wave(n, 2.4e11, 8e10, 1), Fill: true, Value: []byte("243 GB/s")},
			{Name: "Write", X: ramp(n, -60, 60/float64(max(1, n-1))), Y: wave(n, 1.1e11, 5e10, 2), Fill: true, Value: []byte("118 GB/s")},
		},
	}
}

// sweepModel is a sweep over sizes with intervals, a knee and a good range.
func sweepModel() Model {
	var xs, naive, tiled []float64
	for e := 6; e <= 13; e++ {
		n := math.Exp2(float64(e))
		xs = append(xs, n)
		naive = append(naive, 4.2e11*n/(n+700))
		tiled = append(tiled, 2.1e12*n/(n+1500))
	}
	return Model{
		X: Axis{Title: "Matrix size", Scale: Log2},
		Y: Axis{Title: "Throughput", Unit: "FLOP/s"},
		Series: []Series{
			{Name: "naive", X: xs, Y: naive, Lo: scaled(naive, 0.93), Hi: scaled(naive, 1.05), ShowMarkers: true},
			{Name: "tiled 32×32", X: xs, Y: tiled, Lo: scaled(tiled, 0.96), Hi: scaled(tiled, 1.03), ShowMarkers: true},
		},
		Marks: []Mark{{X: 1024, Label: "knee at 1024"}, {X: 1500, Label: "cache"}},
		Bands: []Band{{Lo: 1.5e12, Hi: 2e12, Label: "expected"}},
	}
}

func barsModel() Model {
	return Model{
		X: Axis{Scale: Category, Categories: []string{"Add", "Multiply", "GELU", "Softmax", "LayerNorm"}},
		Y: Axis{Title: "Median time", Unit: Seconds},
		Series: []Series{
			{
				Name: "unfused", Kind: BarKind, Y: []float64{41e-6, 39e-6, 88e-6, 120e-6, 97e-6},
				Lo: []float64{39e-6, 38e-6, 84e-6, 111e-6, 95e-6}, Hi: []float64{44e-6, 41e-6, 91e-6, 131e-6, 99e-6},
			},
			{
				Name: "fused", Kind: BarKind, Y: []float64{22e-6, 21e-6, 35e-6, 64e-6, 40e-6},
				Lo: []float64{21e-6, 20e-6, 33e-6, 60e-6, 39e-6}, Hi: []float64{23e-6, 23e-6, 36e-6, 70e-6, 42e-6},
			},
		},
	}
}

func scatterModel() Model {
	return Model{
		X: Axis{Title: "Arithmetic intensity, FLOP/B", Scale: Log10},
		Y: Axis{Title: "Throughput", Unit: "FLOP/s", Scale: Log10},
		Series: []Series{
			{
				Name: "measured", Kind: PointKind, X: []float64{0.08, 0.25, 4, 21, 85, 90}, Y: []float64{8e9, 2.4e10, 3.1e11, 1.4e12, 2.4e12, 2.2e12},
				Labels: []string{"add", "gelu", "softmax", "matmul 256", "matmul 1024", "matmul 1100"},
				Lo:     []float64{7e9, 2e10, 2.5e11, 1.2e12, 2.2e12, 2e12}, Hi: []float64{9e9, 3e10, 3.6e11, 1.6e12, 2.5e12, 2.3e12},
			},
			{Name: "roof", X: []float64{0.05, 30, 200}, Y: []float64{5e9, 3e12, 3e12}, Dash: Dashed},
		},
		Marks: []Mark{{X: 30, Label: "crossover"}},
	}
}

// sample is a named model of the gallery.
type sample struct {
	name  string
	model Model
}

// gallery is every kind of chart and every awkward case.
func gallery() []sample {
	nan := math.NaN()
	gaps := liveModel(300)
	for i := 80; i < 120; i++ {
		gaps.Series[0].Y[i] = nan
	}
	gaps.Series[0].Y[200], gaps.Series[1].Y[201] = math.Inf(1), nan
	one := func(y ...float64) Model {
		return Model{
			Y: Axis{Unit: Bytes, FromZero: true}, X: Axis{Scale: Window, Min: -60, Max: 0},
			Series: []Series{{Name: "Pool", X: ramp(len(y), -20, 10), Y: y, Fill: true}},
		}
	}
	plain := func(u Unit, ys ...float64) Model {
		return Model{Y: Axis{Unit: u}, Series: []Series{{Name: "x", Y: ys}}}
	}
	many := Model{Y: Axis{Unit: "W"}, X: Axis{Scale: Window, Min: -60, Max: 0}}
	for i := range 8 {
		many.Series = append(many.Series, Series{
			Name: fmt.Sprintf("Power rail %d", i+1), X: ramp(120, -60, 0.5),
			Y: wave(120, float64(3+2*i), 0.8, float64(i)), Value: []byte("4.21 W"),
		})
	}
	step := plain(Celsius, 40, 40, 40, 90, 90, 90, 30, 30, 55, 55)
	step.Bands = []Band{{Lo: 30, Hi: 60, Label: "cool"}}
	return append(append(featureGallery(), layerGallery()...), []sample{
		{"live", liveModel(300)},
		{"sweep", sweepModel()},
		{"bars", barsModel()},
		{"scatter", scatterModel()},
		{"gaps", gaps},
		{"empty", Model{Y: Axis{Unit: Ratio}}},
		{"one", one(3.2e9)},
		{"two", one(3.2e9, 4e9)},
		{"unavailable", Model{Unavailable: "this machine has no GPU energy counter that can be read without administrator rights"}},
		{"constant", plain(Ratio, 0.5, 0.5, 0.5)},
		{"zeros", plain(Bytes, 0, 0, 0)},
		{"huge", plain("FLOP/s", 1e22, 3e22, 2e22)},
		{"small", plain(Seconds, 1e-9, 3e-9, 2.5e-9)},
		{"negative", plain(None, -3000, 2000, -500)},
		{"many", many},
		{"steps", step},
		{"close", plain(None, 100000.1, 100000.2, 100000.15)},
	}...)
}
