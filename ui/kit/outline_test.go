package kit

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// TestWhatIsOffIsFainter compares the borders of enabled and disabled controls with their card.
func TestWhatIsOffIsFainter(t *testing.T) {
	for _, look := range []Appearance{AlwaysDark, AlwaysLight} {
		test.NewTempApp(t).Settings().SetTheme(NewLook(look))
		panel := color.NRGBAModel.Convert(theme.Color(ColorPanel)).(color.NRGBA)
		entry, menu := NewEntry(), NewSelect([]string{"one"}, nil)
		w := test.NewTempWindow(t, container.NewVBox(entry, menu))
		w.Resize(fyne.NewSize(300, 200))
		for name, c := range map[string]struct {
			of     fyne.Disableable
			border *canvas.Rectangle
		}{
			"field": {entry, test.WidgetRenderer(entry).Objects()[1].(*canvas.Rectangle)},
			"menu":  {menu, test.WidgetRenderer(menu).Objects()[0].(*canvas.Rectangle)},
		} {
			seen := func() float64 {
				return contrast(color.NRGBAModel.Convert(c.border.StrokeColor).(color.NRGBA), panel)
			}
			on := seen()
			c.of.Disable()
			if off := seen(); on < 2 || off > on-0.5 {
				t.Errorf("%s, %s: the border has a contrast of %.2f, of %.2f when it is off", look, name, on, off)
			}
		}
	}
}

func TestBoxThatIsOffIsFainter(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	c := NewCheck("Quick", nil)
	test.NewTempWindow(t, c)
	box := func() fyne.ThemeColorName {
		return test.WidgetRenderer(c).Objects()[2].(*canvas.Image).Resource.(fyne.ThemedResource).ThemeColorName()
	}
	if got := box(); got != theme.ColorNameInputBorder {
		t.Errorf("a box that is on is drawn in %q", got)
	}
	if c.Disable(); box() != colorBorderOff {
		t.Errorf("a box that is off is drawn in %q", box())
	}
}

// TestSliderLooksLikeARange compares their tracks and dots.
func TestSliderLooksLikeARange(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	s, r := NewSlider(0, 10), NewRange(0, 10, nil)
	w := test.NewTempWindow(t, container.NewVBox(s, r))
	w.Resize(fyne.NewSize(300, 200))
	s.SetValue(4)
	one, two := test.WidgetRenderer(s).Objects(), test.WidgetRenderer(r).Objects()
	for _, track := range []fyne.CanvasObject{one[0], two[0]} {
		if track.Position().X != 0 || track.Size() != fyne.NewSize(s.Size().Width, trackHeight) {
			t.Errorf("a track lies at %v and is %v, of %v", track.Position(), track.Size(), s.Size())
		}
	}
	if got := one[2].Size(); got != fyne.NewSquareSize(thumbDot) {
		t.Errorf("the dot of a slider is %v", got)
	}
}

func TestButtonsHaveRoomBesideTheirWords(t *testing.T) {
	test.NewTempApp(t)
	for _, percent := range []int{80, 100, 160} {
		test.ApplyTheme(t, NewSizedLook(AlwaysDark, percent))
		words := fyne.MeasureText("Refresh", theme.TextSize(), fyne.TextStyle{Bold: true})
		if room := NewButton("Refresh", nil).MinSize().Width - words.Width; room < 2*besideWords-1 || room > 2*besideWords+2 {
			t.Errorf("at %d %% a button has %v of room beside its words", percent, room)
		}
	}
}

// TestPartsOfAFillMeet lays a card out at a fractional width: its parts fall on whole pixels, and leave no gap.
func TestPartsOfAFillMeet(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	f := NewFill(ColorPanel, 8)
	f.Stroke = theme.ColorNameSeparator
	f.Resize(fyne.NewSize(200.6, 120.4))
	o := f.CreateRenderer().Objects()
	right := func(o fyne.CanvasObject) float32 { return o.Position().X + o.Size().Width }
	below := func(o fyne.CanvasObject) float32 { return o.Position().Y + o.Size().Height }
	if right(o[fillTop]) != 200 || right(o[fillRight]) != 200 || right(o[innerMiddle]) != 199 || below(o[fillBottom]) != 120 {
		t.Errorf("the parts end at %v, %v, %v and %v", right(o[fillTop]), right(o[fillRight]), right(o[innerMiddle]), below(o[fillBottom]))
	}
	if below(o[innerTop]) < o[innerMiddle].Position().Y+1 || below(o[innerMiddle]) < o[innerBottom].Position().Y+1 {
		t.Error("the middle does not cover where the ends stop")
	}
}

// The halo of a check box leaves room before the words.
func TestHaloOfACheckBoxIsApartFromItsWords(t *testing.T) {
	for _, percent := range []int{80, 100, 160} {
		test.NewTempApp(t).Settings().SetTheme(NewSizedLook(AlwaysLight, percent))
		c := NewCheck("Quick", nil)
		test.NewTempWindow(t, c)
		c.FocusGained()
		drawn := test.WidgetRenderer(c).Objects()
		halo, words := drawn[0], drawn[3]
		if gap := words.Position().X - halo.Position().X - halo.Size().Width; gap < 2 || halo.Size().Width < drawn[2].Size().Width {
			t.Errorf("at %d %% the halo of %v ends %v before the words", percent, halo.Size(), gap)
		}
	}
}

// The knob of a switch is light in both looks, on or off.
func TestKnobIsLight(t *testing.T) {
	for _, look := range []Appearance{AlwaysLight, AlwaysDark} {
		test.NewTempApp(t).Settings().SetTheme(NewLook(look))
		s := NewSwitch(nil)
		test.NewTempWindow(t, s)
		knob := test.WidgetRenderer(s).Objects()[2].(*canvas.Circle)
		for range 2 {
			if got := luminance(color.NRGBAModel.Convert(knob.FillColor).(color.NRGBA)); got < 0.8 {
				t.Errorf("%s, on %v: the knob has a luminance of %.2f", look, s.On, got)
			}
			test.Tap(s)
		}
	}
}
