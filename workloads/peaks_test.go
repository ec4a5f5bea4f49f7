package workloads

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/chart"
	"assay/internal/stats"
	"assay/workloads/measure"
)

// rated is a result of 1 s whose work corresponds to its rates.
func rated(variant string, ops, bytes float64, settings ...Setting) Result {
	r := Result{ID: variant, Workload: PeaksName, Case: variant, Variant: variant, Status: OK, Settings: settings}
	r.Values.Set(Time, stats.Exact(1))
	r.Values.SetNumber(Ops, ops)
	r.Values.SetNumber(Bytes, bytes)
	r.Values.SetNumber(Throughput, ops)
	r.Values.SetNumber(Intensity, ops/bytes)
	return r
}

// measuredPeaks are 100 and 400 FLOP/s in f32 and int8, 1000 B/s up to 4 KiB and 50 B/s over 16 KiB; f16 was disturbed.
func measuredPeaks(t *testing.T) Peaks {
	t.Helper()
	in := func(format string) Setting { return Setting{PeakAxis, format} }
	over := func(kib int) Setting { return Setting{PeakSet, kib} }
	busy := rated("tiles", 300, 1, in("f16"))
	busy.Warn(WarningKind(measure.Disturbed), "disturbed: others")
	wrong := rated("tiles", 900, 1, in("f32"))
	wrong.Status = Failed
	p, ok := PeaksOf([]Result{
		rated("multiply-add", 100, 1, in("f32")), rated("product", 90, 1, in("f32")), wrong, busy, rated("multiply-add", 400, 1, in("int8")),
		rated("copy", 0, 50, in("bandwidth"), over(16)), rated("copy", 0, 900, in("bandwidth"), over(1)), rated("sum", 0, 1000, in("bandwidth"), over(4)),
	})
	if !ok {
		t.Fatal("no peaks")
	}
	return p
}

func TestPlace(t *testing.T) {
	p := measuredPeaks(t)
	for _, c := range []struct {
		what, format       string
		ops, bytes         float64
		operands           string
		compute, bandwidth float64 // peaks
		by                 string
		warned             bool
	}{
		{"close to the peak", "f32", 80, 10, "", 100, 1000, BoundCompute, false},
		{"a small set is no faster than a larger one", "f32", 10, 600, "", 100, 1000, BoundBandwidth, false},
		{"beyond all levels", "f32", 1, 40000, "", 100, 50, BoundBandwidth, false},
		{"from memory, however few", "f32", 1, 30, "memory", 100, 50, BoundBandwidth, false},
		{"near nothing", "f32", 20, 10, "cache", 100, 1000, BoundNeither, false},
		{"codes may be computed in any format", "q4_0", 300, 10, "", 400, 1000, BoundCompute, false},
		{"what is disturbed stands in", "f16", 270, 10, "", 300, 1000, BoundCompute, true},
		{"bf16 has no peak: f32 has", "bf16", 60, 10, "", 100, 1000, BoundCompute, false},
		{"no arithmetic that is known", "", 60, 600, "", math.NaN(), 1000, BoundBandwidth, false},
	} {
		r := rated("x", c.ops, c.bytes)
		r.Values.SetText(Arithmetic, c.format)
		if c.operands != "" {
			r.Settings = []Setting{{"operands", c.operands}}
		}
		p.Place(&r)
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(r.Number(PeakCompute), c.compute) || !same(r.Number(PeakBandwidth), c.bandwidth) || r.Values.Text(BoundBy) != c.by || len(r.Warnings) > 0 != c.warned {
			t.Errorf("%s: %g FLOP/s, %g B/s, %s, %v", c.what, r.Number(PeakCompute), r.Number(PeakBandwidth), r.Values.Text(BoundBy), r.Warnings)
		}
		if !same(r.Number(OfCompute), c.ops/c.compute) || !same(r.Number(OfBandwidth), c.bytes/c.bandwidth) {
			t.Errorf("%s: shares %g and %g", c.what, r.Number(OfCompute), r.Number(OfBandwidth))
		}
	}
}

// A newer run keeps what it did not measure again.
func TestPeaksOver(t *testing.T) {
	newer, _ := PeaksOf([]Result{rated("product", 120, 1, Setting{PeakAxis, "f32"})})
	p := newer.Over(measuredPeaks(t))
	f32, _ := p.rate("f32")
	i8, _ := p.rate("int8")
	if f32.Rate != 120 || i8.Rate != 400 || len(p.Bandwidth) != 3 {
		t.Errorf("f32 %v, int8 %v, %d levels", f32, i8, len(p.Bandwidth))
	}
}

func TestRoofline(t *testing.T) {
	w := Workload{Name: PeaksName}
	p := measuredPeaks(t)
	results := []Result{rated("a", 80, 10, Setting{"operands", "cache"}), rated("b", 10, 40000, Setting{"operands", "memory"})}
	results[0].Case = "product 16"
	if charts := w.Charts(results); len(charts) != 0 {
		t.Fatalf("%d charts without peaks", len(charts))
	}
	var unspecified []Result
	for i := range results {
		results[i].Values.SetText(Arithmetic, "f32")
		p.Place(&results[i])
		one := results[i]
		one.Values = slices.Clone(one.Values)
		unspecified = append(unspecified, one)
		spec := Spec{Rates: []SpecRate{{"f32", 120, ""}}, Bandwidth: 2000}
		spec.Place(&results[i])
	}
	if title := w.Charts(unspecified)[0].Model.X.Title; !strings.HasSuffix(title, " · specification: not available") {
		t.Errorf("without a specification: %q", title)
	}
	charts := w.Charts(results)
	if len(charts) != 1 || charts[0].Title != "Roofline" {
		t.Fatalf("charts: %+v", charts)
	}
	var names []string
	for i := range charts[0].Model.Series {
		names = append(names, charts[0].Model.Series[i].Name)
	}
	if labels := charts[0].Model.Series[0].Labels; len(labels) != 1 || labels[0] != "product 16" || strings.Contains(charts[0].Model.X.Title, "specification") {
		t.Errorf("the first point is called %q, want its case; X is %q", labels, charts[0].Model.X.Title)
	}
	dashes := map[chart.Dash]bool{}
	for i := range charts[0].Model.Series {
		if s := &charts[0].Model.Series[i]; strings.Contains(s.Name, "B/s") {
			if dashes[s.Dash] {
				t.Errorf("%s looks like another one", s.Name)
			}
			dashes[s.Dash] = true
		}
	}
	if all := strings.Join(names, "|"); !strings.Contains(all, "f32, 100 FLOP/s") || !strings.Contains(all, "memory, 50.0 B/s|") || !strings.Contains(all, "cache, 1.00 kB/s up to 10 B") ||
		!strings.Contains(all, "f32 by specification, 120 FLOP/s") || !strings.Contains(all, "2.00 kB/s by specification") {
		t.Errorf("series %q", all)
	}
}

// A run of fewer levels leaves the others unchanged; a disturbed peak does not replace an undisturbed one.
func TestPeaksOverLevels(t *testing.T) {
	level := func(kib int, rate float64, disturbed bool) Result {
		r := rated("copy", 0, rate, Setting{PeakAxis, "bandwidth"}, Setting{PeakSet, kib})
		if disturbed {
			r.Warn(WarningKind(measure.Disturbed), "disturbed: others")
		}
		return r
	}
	busy := rated("product", 70, 1, Setting{PeakAxis, "f32"})
	busy.Warn(WarningKind(measure.Disturbed), "disturbed: others")
	newer, _ := PeaksOf([]Result{busy, rated("product", 200, 1, Setting{PeakAxis, "f16"}), level(4, 1100, false), level(16, 20, true), level(64, 10, true)})
	p := newer.Over(measuredPeaks(t))
	f32, _ := p.rate("f32")
	f16, _ := p.rate("f16") // the older one was disturbed
	if f32.Rate != 100 || f32.Disturbed || f16.Rate != 200 {
		t.Errorf("f32 %+v, f16 %+v", f32, f16)
	}
	var rates []float64
	for _, l := range p.Bandwidth {
		rates = append(rates, l.Rate)
	}
	if want := []float64{900, 1100, 50, 10}; !slices.Equal(rates, want) {
		t.Errorf("levels %v, want %v", rates, want)
	}
}
