package memorypage

import (
	"testing"

	"assay/ui/desk"
	"assay/ui/uitest"
)

func TestLogOfThePool(t *testing.T) {
	b := open(t, "log")
	says(t, b, "32,364 operations logged in the run "+runID+"; the newest 18 rows here; all in pool.csv of the run’s folder.")
	rows := b.page.log
	if rows.nothing.Visible() || !b.page.log.object.Visible() {
		t.Error("the log is not on show")
	}
	b.Session.PoolLog = nil
	b.Desk.Redraw(desk.ChangedTick)
	says(t, b, "Each buffer that a run allocates or frees is logged here.")
	if !rows.nothing.Visible() {
		t.Error("an empty log does not say so")
	}
}

// What runs log is a setting of the pool, which is restored at the next start.
func TestLogOfLeasesIsChosen(t *testing.T) {
	b := open(t, "log")
	uitest.Choose(t, b.View.Object, "Leases")
	b.Desk.Settle()
	asked(t, b, "log leases true")
	if kept := b.Desk.Settings.Pool(); !kept.LogLeases {
		t.Errorf("the next start begins with %+v", kept)
	}
	says(t, b, "each acquire and release")
}
