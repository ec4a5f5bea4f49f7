package kit

import (
	"testing"

	"fyne.io/fyne/v2"

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
			s := scaleOf(p)
			for _, x := range []float64{s.lo, s.hi, (s.lo + s.hi) / 2, s.lo + s.step, s.lo + (s.hi-s.lo)*0.731} {
				if err := p.Check(s.Value(x)); err != nil {
					t.Errorf("%s: slider at %v: %v", w.Name, x, err)
				}
			}
			if at := s.Position(p.Default); at < s.lo || at > s.hi {
				t.Errorf("%s: %s: the default %v is at %v, off its slider", w.Name, p.Name, p.Default, at)
			}
		}
	}
}

// Keys reach exactly the stops of every slider.
func TestKeysVisitEveryStop(t *testing.T) {
	for _, w := range suite.All() {
		for i := range w.Params {
			p := &w.Params[i]
			if p.Type != workloads.Int && p.Type != workloads.Float {
				continue
			}
			s := scaleOf(p)
			b := NewStopSlider(s, nil)
			seen, before := 1, b.Value
			for b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight}); b.Value > before && seen < 1000; seen++ {
				before = b.Value
				b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
			}
			if want := (s.hi-s.lo)/s.step + 1; b.Value != s.hi || float64(seen) < want-1e-6 || float64(seen) > want+1 {
				t.Errorf("%s: %s: %d stops to %v, want %v to %v", w.Name, p.Name, seen, b.Value, want, s.hi)
			}
		}
	}
}

// scaleOf is the scale of a parameter.
func scaleOf(p *workloads.Param) *Scale {
	whole := p.Type == workloads.Int
	if p.Step > 0 {
		return NewEvenScale(p.Min, p.Max, p.Step, whole)
	}
	return NewScale(p.Min, p.Max, whole, p.Log2)
}
