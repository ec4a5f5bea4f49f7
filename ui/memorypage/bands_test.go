package memorypage

import (
	"testing"

	"assay/ui/desk"
	"assay/ui/uitest"
)

// The user's bands of good reuse rates are remembered, named in the figures, and can be reset to the published ones.
func TestReuseBandsAreEdited(t *testing.T) {
	b := open(t, "finished") // 89 % of the acquires were reused
	bands := b.page.bands
	says(t, b, "training: 80–95 %")
	if !bands.reset.Disabled() || bands.ends[0][0].Text != "80" || bands.ends[2][1].Text != "20" {
		t.Errorf("at first the bands begin with %q and end with %q", bands.ends[0][0].Text, bands.ends[2][1].Text)
	}
	enter(b, bands.ends[0][0], "92.5")
	enter(b, bands.ends[1][1], "90 %")
	says(t, b, "batch inference: 60–90 %")
	got := b.Desk.Settings.ReuseBands()
	if got[0].Lo != 0.925 || got[1].Hi != 0.9 || got[0].Label != desk.PublishedBands()[0].Label {
		t.Errorf("remembered %+v", got)
	}
	enter(b, bands.ends[2][1], "x")
	says(t, b, "“x” is not a percentage. Enter a number from 0 to 100.")
	enter(b, bands.ends[2][1], "20")
	enter(b, bands.ends[0][0], "99")
	says(t, b, "A band from 99 to 95 % is empty.")
	if held := b.Desk.Settings.ReuseBands(); held[0].Lo != 0.925 {
		t.Errorf("a wrong band is remembered: %+v", held)
	}
	press(t, b, "Reset")
	says(t, b, "training: 80–95 %")
	if own := b.Desk.Settings.Pool().Bands; len(own) != 0 || bands.ends[0][0].Text != "80" {
		t.Errorf("after the reset %+v, shown %q", own, bands.ends[0][0].Text)
	}
	uitest.CheckScene(t, b.Desk.Window.Canvas())
}
