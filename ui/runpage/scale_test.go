package runpage

import (
	"testing"

	"assay/workloads"
	"assay/workloads/suite"
)

func TestScaleStaysInRange(t *testing.T) {
	for _, w := range suite.All() {
		for i := range w.Params {
			p := &w.Params[i]
			if p.Type != workloads.Int && p.Type != workloads.Float {
				continue
			}
			s := newScale(p)
			for _, x := range []float64{s.lo, s.hi, (s.lo + s.hi) / 2, s.lo + s.step, s.lo + (s.hi-s.lo)*0.731} {
				if err := p.Check(s.value(x)); err != nil {
					t.Errorf("%s: slider at %v: %v", w.Name, x, err)
				}
			}
			if at := s.position(p.Default); at < s.lo || at > s.hi {
				t.Errorf("%s: %s: the default %v is at %v, off its slider", w.Name, p.Name, p.Default, at)
			}
		}
	}
}
