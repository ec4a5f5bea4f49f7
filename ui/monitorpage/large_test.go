package monitorpage

import (
	"testing"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestGoldensOfLargeText looks at the page with the largest text that can be chosen.
func TestGoldensOfLargeText(t *testing.T) {
	uitest.Pictures(t)
	s := stand(t, kit.AlwaysLight, uitest.Usual)
	playMac(s)
	s.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, kit.MaxTextSize))
	s.View.Update(desk.ChangedAll)
	s.Desk.Window.Resize(uitest.Usual)
	uitest.CheckClipping(t, s.View.Object, uitest.Usual)
	uitest.Golden(t, "large", s.Desk.Window.Canvas())
}
