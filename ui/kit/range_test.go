package kit_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
)

func TestRangeByPointerAndKeyboard(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewLook(kit.AlwaysDark))
	told := 0
	r := kit.NewRange(0, 12, func(lo, hi float64) { told++ })
	r.Set(6, 11)
	w := test.NewTempWindow(t, r)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(18+240, 30)) // 20 per step
	r.Resize(fyne.NewSize(18+240, 30))
	test.TapAt(r, fyne.NewPos(9+60, 15))
	if r.Lo != 3 || r.Hi != 11 || told != 1 {
		t.Fatalf("a tap at 3 gives %v to %v", r.Lo, r.Hi)
	}
	drag := func(from, to float32) {
		r.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(to, 15)}, Dragged: fyne.NewDelta(to-from, 0)})
	}
	drag(9+220, 9+200)
	drag(9+200, 0)
	r.DragEnd()
	if r.Lo != 3 || r.Hi != 3 {
		t.Errorf("the upper thumb dragged to the left end gives %v to %v, want it stopped by the lower", r.Lo, r.Hi)
	}
	drag(9+60, 9+40) // both stand at 3
	r.DragEnd()
	if r.Lo != 2 || r.Hi != 3 {
		t.Errorf("dragged to the left from where both stand: %v to %v, want the lower to go", r.Lo, r.Hi)
	}
	w.Canvas().Unfocus()
	w.Canvas().FocusNext() // the lower thumb
	press := func(k fyne.KeyName) { w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k}) }
	press(fyne.KeyLeft)
	press(fyne.KeyHome)
	if r.Lo != 0 {
		t.Errorf("Home gives %v", r.Lo)
	}
	w.Canvas().FocusNext()
	press(fyne.KeyEnd)
	press(fyne.KeyLeft)
	if r.Hi != 11 {
		t.Errorf("End and Left give %v, want 11", r.Hi)
	}
	r.Set(2.5, 11) // between two stops
	w.Canvas().FocusPrevious()
	press(fyne.KeyRight)
	if r.Lo != 3 {
		t.Errorf("Right from 2.5 gives %v, want the next stop", r.Lo)
	}
	r.Disable()
	press(fyne.KeyRight)
	if r.Lo != 3 {
		t.Error("a range that is off moves")
	}
}

func TestSwitch(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewLook(kit.AlwaysLight))
	var told []bool
	s := kit.NewSwitch(func(on bool) { told = append(told, on) })
	test.NewTempWindow(t, s)
	test.Tap(s)
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	s.Set(true)
	if len(told) != 2 || !told[0] || told[1] {
		t.Errorf("told %v, want on, then off, and nothing of what the program sets", told)
	}
	s.Disable()
	test.Tap(s)
	if !s.On || len(told) != 2 {
		t.Error("a switch that is off can be moved")
	}
}
