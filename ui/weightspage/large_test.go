package weightspage

import (
	"testing"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// Nothing is cut, covered or too wide with larger text, in the smallest window.
func TestLargeText(t *testing.T) {
	uitest.Pictures(t)
	for _, percent := range []int{80, 130, kit.MaxTextSize} {
		s := open(t, kit.AlwaysLight, uitest.Smallest)
		s.play(t, "finished")
		s.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, percent))
		s.View.Update(desk.ChangedAll)
		size := uitest.Smallest.Max(s.full.MinSize()) // the window scrolls what is too tall
		if size.Width > uitest.Smallest.Width {
			t.Errorf("at %d %% the page needs a width of %g", percent, size.Width)
		}
		s.Desk.Window.Resize(size)
		uitest.CheckOverlap(t, s.full)
		uitest.CheckClipping(t, s.full, size)
	}
}
