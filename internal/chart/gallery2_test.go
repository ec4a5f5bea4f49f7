package chart

import (
	"fmt"
	"math"
	"time"

	"assay/internal/severity"
)

// featureGallery is the charts of the live page and of results that use more than a plain line.
func featureGallery() []sample {
	return []sample{
		{"monitor", monitorModel()},
		{"units", unitsModel()},
		{"states", statesModel()},
		{"onlystates", Model{X: Axis{Scale: Window, Unit: Seconds, Min: -60}, StateName: "thermal state", States: statesModel().States}},
		{"reuse", reuseModel()},
		{"pareto", paretoModel()},
		{"leak", leakModel()},
		{"tuned", tunedModel()},
		{"crossover", crossoverModel()},
		{"shortreason", Model{Y: Axis{Unit: "W"}, Unavailable: "needs root", Series: []Series{{Name: "Package power"}}}},
	}
}

// monitorModel is a live chart of a run with phases and events.
func monitorModel() Model {
	m := liveModel(300)
	m.Phases = []Phase{{From: -50, To: -38, Label: "warm-up"}, {From: -38, To: -9, Label: "sampling", Odd: true}, {From: -9, To: math.NaN(), Label: "verifying the outputs"}}
	m.Events = []Event{{X: -33, Label: "pool full", Severity: severity.Warning}, {X: -18, Label: "throttled", Severity: severity.Critical}, {X: -5, Label: "run done"}}
	m.Epoch = time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)
	m.Series[0].Note = "engine counters, measured"
	m.Series[1].Note = "engine counters, measured"
	return m
}

// statesModel is a temperature with its thermal states.
func statesModel() Model {
	n := 240
	return Model{
		X: Axis{Scale: Window, Unit: Seconds, Min: -60, Max: 0}, Y: Axis{Unit: Celsius, FromZero: true},
		Series: []Series{{Name: "hottest", X: ramp(n, -60, 0.25), Y: wave(n, 74, 18, 1), Fill: true, Value: []byte("88 °C"), Note: "SMC, measured"}},
		States: []State{
			{From: -90, To: -44, Label: "nominal"},
			{From: -44, To: -30, Label: "fair", Level: 1.0 / 3},
			{From: -30, To: -27, Label: "serious", Level: 2.0 / 3, Severity: severity.Warning},
			{From: -27, To: -12, Label: "critical", Level: 1, Severity: severity.Critical},
			{From: -12, To: math.NaN(), Label: "serious", Level: 2.0 / 3, Severity: severity.Warning},
		},
		StateName: "Thermal state",
	}
}

// unitsModel is a live chart of two units.
func unitsModel() Model {
	n := 240
	return Model{
		X: Axis{Scale: Window, Unit: Seconds, Min: -60, Max: 0},
		Y: Axis{Unit: "FLOP/s", FromZero: true}, Y2: Axis{Unit: "B/s", FromZero: true},
		Series: []Series{
			{Name: "Arithmetic", X: ramp(n, -60, 0.25), Y: wave(n, 1.7e12, 5e11, 1), Value: []byte("1.71 TFLOP/s")},
			{Name: "Memory", X: ramp(n, -60, 0.25), Y: wave(n, 1.1e11, 5e10, 2), Right: true, Value: []byte("118 GB/s")},
		},
	}
}

// reuseModel is the pool's reuse with its good bands.
func reuseModel() Model {
	n := 240
	return Model{
		X: Axis{Scale: Window, Unit: Seconds, Min: -60, Max: 0}, Y: Axis{Unit: Ratio, Max: 1},
		Series: []Series{{Name: "Served from the pool", X: ramp(n, -60, 0.25), Y: wave(n, 0.78, 0.16, 1), Value: []byte("82.4 %")}},
		Bands:  []Band{{Lo: 0.8, Hi: 0.95, Label: "training"}, {Lo: 0.6, Hi: 0.8, Label: "batch inference"}},
	}
}

func paretoModel() Model {
	x := []float64{1.2, 1.35, 1.5, 2.1, 2.15, 2.9, 3.0, 4.2}
	y := []float64{0.071, 0.052, 0.058, 0.03, 0.041, 0.0211, 0.0272, 0.0118}
	labels := make([]string, len(x))
	for i := range labels {
		labels[i] = []string{"int4 g32", "int4 g128", "int4 g64", "int8 row", "int8 tensor", "f8 e4m3", "f8 e5m2", "f16"}[i]
	}
	return Model{
		X: Axis{Title: "Size, bytes per weight"}, Y: Axis{Title: "Error", FromZero: true},
		Series: []Series{
			{Name: "front", X: []float64{1.2, 1.35, 2.1, 2.9, 4.2}, Y: []float64{0.071, 0.052, 0.03, 0.0211, 0.0118}, Step: true, Marker: Diamond},
			{Name: "formats", Kind: PointKind, X: x, Y: y, Labels: labels, Marker: Circle},
		},
	}
}

// leakModel is live bytes with the fitted slope and its interval.
func leakModel() Model {
	x, y := ramp(40, 0, 3), make([]float64, 40)
	fit, lo, hi := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range x {
		fit[i] = 4.1e8 + 6e5*x[i]
		y[i] = fit[i] + 9e6*math.Sin(float64(i*i))
		half := 4e6 + 1e5*math.Abs(x[i]-60)
		lo[i], hi[i] = fit[i]-half, fit[i]+half
	}
	return Model{
		X: Axis{Title: "Time", Unit: Seconds}, Y: Axis{Title: "Live", Unit: Bytes},
		Series: []Series{
			{Name: "measured", Kind: PointKind, X: x, Y: y},
			{Name: "slope 0.6 MB/s", X: x, Y: fit, Lo: lo, Hi: hi},
		},
	}
}

// tunedModel is a sweep with whiskers, a knee and points set by hand.
func tunedModel() Model {
	m := sweepModel()
	m.Bands, m.Marks = nil, []Mark{{X: 2048, Label: "knee"}}
	m.Series = m.Series[1:]
	m.Series[0].Whiskers = true
	for i := range m.Series[0].Lo {
		m.Series[0].Lo[i] *= 0.93
		m.Series[0].Hi[i] *= 1.06
	}
	m.Rules = []Rule{{Y: 2e12, Label: "device peak"}}
	m.Series = append(m.Series, Series{
		Name: "tuned", Kind: PointKind, Hollow: true, Marker: Circle, X: []float64{300, 1500, 3000}, Y: []float64{5e11, 1.3e12, 1.72e12},
	})
	return m
}

// crossoverModel is paired bars with the crossover.
func crossoverModel() Model {
	m := Model{
		X: Axis{Title: "Elements", Scale: Category}, Y: Axis{Title: "Median time", Unit: Seconds},
		Marks:  []Mark{{X: 2.5, Label: "crossover"}},
		Series: []Series{{Name: "CPU", Kind: BarKind}, {Name: "GPU", Kind: BarKind}},
	}
	for i := range 6 {
		m.X.Categories = append(m.X.Categories, fmt.Sprintf("%dk", 1<<(2*i)))
		cpu, gpu := 6e-6*math.Exp2(float64(i)), 2.4e-5*math.Exp2(0.42*float64(i))
		for k, v := range []float64{cpu, gpu} {
			s := &m.Series[k]
			s.Y, s.Lo, s.Hi = append(s.Y, v), append(s.Lo, 0.93*v), append(s.Hi, 1.08*v)
		}
	}
	return m
}
