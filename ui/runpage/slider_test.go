package runpage

import (
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/workloads"
	"assay/workloads/suite"
)

// From a value between two stops, a key goes to the next stop, and so does a click on it.
func TestSliderBetweenStops(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	f := fieldNamed(t, p, "width")
	between := func() {
		enter(f, "100")
		if at := f.slider.Value; f.value != 100 || at != newScale(f.param).position(100) {
			t.Fatalf("the slider of %v stands at %v", f.value, at)
		}
	}
	for _, c := range []struct {
		key  fyne.KeyName
		want int
	}{{fyne.KeyRight, 128}, {fyne.KeyLeft, 64}} {
		between()
		f.slider.TypedKey(&fyne.KeyEvent{Name: c.key})
		if f.value != c.want || f.entry.Text != f.param.Format(c.want) {
			t.Errorf("%s from 100 gives %v, and %q is written; want %d", c.key, f.value, f.entry.Text, c.want)
		}
	}
	between()
	f.slider.Tapped(&fyne.PointEvent{Position: at(f, 128).AddXY(2, 0)})
	if f.value != 128 || f.slider.Value != newScale(f.param).position(128) {
		t.Errorf("a click on 128 gives %v, with the slider at %v", f.value, f.slider.Value)
	}
	f.slider.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	if f.value != int(f.param.Max) {
		t.Errorf("End gives %v, want %v", f.value, f.param.Max)
	}
}

// Keys reach every stop of every slider, without one more or less.
func TestKeysVisitEveryStop(t *testing.T) {
	for _, w := range suite.All() {
		for i := range w.Params {
			p := &w.Params[i]
			if p.Type != workloads.Int && p.Type != workloads.Float {
				continue
			}
			s := newScale(p)
			b := newSlider(s, nil)
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

// at is where a value stands on the slider of a field.
func at(f *field, v any) fyne.Position {
	const end = 17 // about; Fyne does not tell
	s := newScale(f.param)
	part := (s.position(v) - s.lo) / (s.hi - s.lo)
	return fyne.NewPos(end+float32(part)*(f.slider.Size().Width-2*end), 8)
}
