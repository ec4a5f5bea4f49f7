package runpage

import (
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// From a value between two stops, a key moves to the next stop, and so does a click on it.
func TestSliderBetweenStops(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	f := fieldNamed(t, p, "width")
	between := func() {
		enter(f, "100")
		if at := f.Slider.Value; f.Value != 100 || at != f.Scale.Position(100) {
			t.Fatalf("the slider of %v stands at %v", f.Value, at)
		}
	}
	for _, c := range []struct {
		key  fyne.KeyName
		want int
	}{{fyne.KeyRight, 128}, {fyne.KeyLeft, 64}} {
		between()
		f.Slider.TypedKey(&fyne.KeyEvent{Name: c.key})
		if f.Value != c.want || f.Entry.Text != f.Write(c.want) {
			t.Errorf("%s from 100 gives %v, and %q is written; want %d", c.key, f.Value, f.Entry.Text, c.want)
		}
	}
	between()
	f.Slider.Tapped(&fyne.PointEvent{Position: at(f, 128).AddXY(2, 0)})
	if f.Value != 128 || f.Slider.Value != f.Scale.Position(128) {
		t.Errorf("a click on 128 gives %v, with the slider at %v", f.Value, f.Slider.Value)
	}
	f.Slider.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	if f.Value != int(f.Scale.Max) {
		t.Errorf("End gives %v, want %v", f.Value, f.Scale.Max)
	}
}

// at returns the position of a value on the slider of a field.
func at(f *kit.Input, v any) fyne.Position {
	const end = 17 // approximate; Fyne does not report it
	part := (f.Scale.Position(v) - f.Slider.Min) / (f.Slider.Max - f.Slider.Min)
	return fyne.NewPos(end+float32(part)*(f.Slider.Size().Width-2*end), 8)
}
