package resultspage

import (
	"strings"
	"testing"

	"assay/workloads"
)

// One far outlier does not flatten the others, and is reported.
func TestSamplesAreScaledToTheirBulk(t *testing.T) {
	r := &workloads.Result{}
	for i := range 40 {
		r.Samples = append(r.Samples, 1e-3*(1+0.002*float64(i*7%11)))
	}
	if m := samplesModel(r); m.Y.Max != 0 || len(m.Series) != 1 || m.Series[0].Len() != 40 {
		t.Errorf("without one far off: axis %+v, %d series", m.Y, len(m.Series))
	}
	r.Samples[17] = 20e-3
	m := samplesModel(r)
	if !(m.Y.Max > 1.02e-3 && m.Y.Max < 1.05e-3 && m.Y.Min > 0.98e-3) || len(m.Series) != 2 || m.HideLegend {
		t.Fatalf("axis %+v, %d series", m.Y, len(m.Series))
	}
	out := &m.Series[1]
	if x, y := out.At(0); out.Len() != 1 || x != 18 || y != 20e-3 || !out.Edge || !strings.HasPrefix(out.Name, "1 beyond 1.02 ms") {
		t.Errorf("the one far off is drawn as %+v", out)
	}
	if name := beyond(1, 2, 1e-3, 2e-3); name != "2 beyond 2 ms, 1 below 1 ms" {
		t.Errorf("counted as %q", name)
	}
}

// Few or equal samples are all in range, except one far outlier.
func TestBulkOfFewSamples(t *testing.T) {
	same := []float64{1, 1, 1, 1, 1, 1}
	if lo, hi := bulk(same); !(lo < 1 && hi > 1) {
		t.Errorf("equal samples lie within %v and %v", lo, hi)
	}
	if _, hi := bulk(append(same, 9)); !(hi > 1 && hi < 1.1) {
		t.Errorf("one of seven is nine times the others, and the range ends at %v", hi)
	}
	if _, hi := bulk([]float64{1, 9}); hi < 9 {
		t.Errorf("of two samples one is cut at %v", hi)
	}
}
