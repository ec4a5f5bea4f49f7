package kernelspage

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// withMetal opens the page with Metal as the engine of the next run, at the cache.
func withMetal(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := open(t, look, size)
	states := slices.Clone(s.Session.States)
	states[0] = app.EngineState{Name: "metal", Title: "Metal", Available: true}
	s.Desk.TakeEngines(states)
	s.Desk.Settle()
	s.choosePart(partCache)
	s.Desk.Settle()
	return s
}

// cached returns the names of the visible entries.
func (s *stand) cached() []string {
	var names []string
	for row := range s.cache.table.Rows() {
		names = append(names, s.cache.table.Item(row).Name())
	}
	return names
}

func TestCacheIsListed(t *testing.T) {
	s := withMetal(t, kit.AlwaysDark, uitest.Usual)
	if got := s.cached(); !slices.Equal(got, []string{"norm_f32{threads=64}", "product_f16{has_bias=1,transpose_b=1}", "product_f32", "scale_f32"}) {
		t.Errorf("listed are %q", got)
	}
	for _, want := range []string{
		"Metal keeps 4 compiled kernels", "/Users/ada/Library/Caches/Assay/metal", "2 hits, 1 miss, compiled from source",
		"Not verified", "Not loaded", "3 days", "412 ms", "2.10 ms",
	} {
		if !uitest.Says(s.View.Object, want) && !strings.Contains(cells(s), want) {
			t.Errorf("%q is not told among %q and %s", want, uitest.Texts(s.View.Object), cells(s))
		}
	}
	s.cache.table.Choose(2)
	if want := "product_f32: Apple M1, 22G91. It will not be loaded: for another device, this is Apple M3."; s.cache.chosen.Content != want {
		t.Errorf("of the chosen entry %q is told", s.cache.chosen.Content)
	}
	words := s.cache.filter.Inputs[0].Entry
	for filter, want := range map[string]int{"product": 2, "M1": 1, "another device": 1, "no such": 0, "": 4} {
		words.SetText(filter)
		if got := len(s.cached()); got != want {
			t.Errorf("%q lists %d, want %d", filter, got, want)
		}
	}
}

func cells(s *stand) string {
	var all []string
	for _, row := range uitest.Cells(s.cache.table.TableView) {
		all = append(all, strings.Join(row, "; "))
	}
	return strings.Join(all, "\n")
}

func TestCacheIsVerified(t *testing.T) {
	s := withMetal(t, kit.AlwaysLight, uitest.Usual)
	test.Tap(s.cache.verify)
	s.Desk.Settle()
	if !strings.Contains(s.cache.outcome.Content, "2 of 4 will not be loaded") || !strings.Contains(cells(s), "scale_f32; ; Not loaded") {
		t.Errorf("%q\n%s", s.cache.outcome.Content, cells(s))
	}
	s.Session.Disk.Refuses = errors.New("a run is in progress")
	s.cache.table.OnAction(0, 9)
	s.Desk.Settle()
	if s.cache.outcome.Content != "A run is in progress." || len(s.cached()) != 4 {
		t.Errorf("refused: %q, %q", s.cache.outcome.Content, s.cached())
	}
}

// One entry is removed, or those that the filter shows, or all; then the page says that none is left.
func TestCacheIsCleared(t *testing.T) {
	s := withMetal(t, kit.AlwaysDark, uitest.Usual)
	s.cache.remove([]string{s.cache.table.Item(0).ID})
	s.Desk.Settle()
	if len(s.cached()) != 3 || !strings.Contains(s.cache.outcome.Content, "1 compiled kernel removed, 18.2 kB") {
		t.Errorf("%q, %q", s.cache.outcome.Content, s.cached())
	}
	s.cache.filter.Inputs[0].Entry.SetText("product")
	if s.cache.clear.Text != "Remove Shown" {
		t.Errorf("the button is %q", s.cache.clear.Text)
	}
	test.Tap(s.cache.clear)
	test.Tap(uitest.Button(t, s.Desk.Window.Canvas().Overlays().Top(), "Cancel"))
	s.Desk.Settle()
	if len(s.cached()) != 2 {
		t.Errorf("canceled, %q are left", s.cached())
	}
	test.Tap(s.cache.clear)
	test.Tap(uitest.Button(t, s.Desk.Window.Canvas().Overlays().Top(), "Remove Shown"))
	s.Desk.Settle()
	s.cache.filter.Reset()
	if got := s.cached(); !slices.Equal(got, []string{"scale_f32"}) {
		t.Errorf("left %q", got)
	}
	test.Tap(s.cache.clear)
	test.Tap(uitest.Button(t, s.Desk.Window.Canvas().Overlays().Top(), "Remove All"))
	s.Desk.Settle()
	if !uitest.Says(s.View.Object, "No compiled kernels on disk") || s.cache.clear.Visible() || s.cache.verify.Visible() {
		t.Errorf("with none left: %q", uitest.Texts(s.View.Object))
	}
}

// An engine without a cache says why; another can be chosen.
func TestNoCache(t *testing.T) {
	s := withMetal(t, kit.AlwaysDark, uitest.Usual)
	s.cache.filter.Input("engine").Select.SetSelected("CPU")
	s.Desk.Settle()
	if !uitest.Says(s.View.Object, "Not available: the kernels of engine cpu are part of the program.") || len(s.cached()) != 0 {
		t.Errorf("%q", uitest.Texts(s.View.Object))
	}
	s.cache.filter.Input("engine").Select.SetSelected("Metal")
	s.Desk.Settle()
	if len(s.cached()) != 4 {
		t.Errorf("back on Metal: %q", s.cached())
	}
}
