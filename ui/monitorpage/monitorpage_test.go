package monitorpage

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/ui/view"
)

// Space pauses while nothing else has the focus: the values freeze, and then catch up.
func TestSpacePauses(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "running")
	before := uitest.Texts(s.View.Object)
	space := &fyne.KeyEvent{Name: fyne.KeySpace}
	if s.View.Key(&fyne.KeyEvent{Name: fyne.KeyDown}) || !s.View.Key(space) {
		t.Error("the page takes another key than Space")
	}
	if !uitest.Says(s.View.Object, "Paused at") {
		t.Fatal("Space does not pause")
	}
	uitest.Button(t, s.View.Object, "Resume")
	for i := range 20 {
		s.Desk.Take(app.TickUpdate{Snapshot: snapshot(97+i, true)})
	}
	if figure := before[7]; !uitest.Says(s.View.Object, figure) {
		t.Errorf("%q changed while paused", figure)
	}
	s.View.Key(space)
	if got := uitest.Texts(s.View.Object); got[7] == before[7] || uitest.Says(s.View.Object, "Paused") {
		t.Errorf("after Resume it says %q", got[:12])
	}
	uitest.Button(t, s.View.Object, "Pause")
}

// A page that is not visible does not update at ticks; it catches up when it comes to the front.
func TestPageCatchesUp(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	update := s.View.Update
	s.View.Update = nil
	play(t, s, "finished")
	if uitest.Says(s.View.Object, "Throughput") && uitest.Says(s.View.Object, "GFLOP/s") {
		t.Fatal("the page was told")
	}
	update(desk.ChangedAll)
	for _, words := range []string{"Throughput", "GFLOP/s", "ago", "No run. Hover", "No value now: no run is going on"} {
		if !uitest.Says(s.View.Object, words) {
			t.Errorf("%q is not on the page: %q", words, uitest.Texts(s.View.Object))
		}
	}
}

func TestWhatIsMissingSaysWhy(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "running")
	for _, words := range []string{"Not available", "the processor does not count it", "/sys/class/thermal has no sensor", "(footprint)"} {
		if !uitest.Says(s.View.Object, words) {
			t.Errorf("%q is not told among %q", words, uitest.Texts(s.View.Object))
		}
	}
}

func TestWindowsAndPause(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "running")
	grid := view.NewLiveGrid(s.Desk.Model.Record)
	grid.Pause(true)
	for _, w := range []view.Window{view.TenMinutes, view.WholeRun, view.OneMinute} {
		grid.Show(w)
		if grid.Window() != w || !grid.Paused() {
			t.Errorf("window %v, paused %v", grid.Window(), grid.Paused())
		}
	}
	if at, ok := grid.PausedAt(); !ok || at.Sub(uitest.Epoch).Seconds() != 96 {
		t.Errorf("paused at %v", at)
	}
	test.Tap(uitest.Button(t, s.View.Object, "Pause"))
	test.Tap(uitest.Button(t, s.View.Object, "Resume"))
	if uitest.Says(s.View.Object, "Paused") {
		t.Error("it is paused still")
	}
}
