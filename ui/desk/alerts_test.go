package desk_test

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/uitest"
)

// noting records desktop notifications.
type noting struct {
	fyne.App
	told []string
}

func (n *noting) SendNotification(f *fyne.Notification) {
	n.told = append(n.told, f.Title+": "+f.Content)
}

// Alerts are shown on the desktop if the user wants that, at most every half minute, and never mere information.
func TestAlertsAreToldOnTheDesktop(t *testing.T) {
	a := &noting{App: test.NewTempApp(t)}
	s := uitest.NewSession()
	d := desk.New(a, a.NewWindow("test"), s.Services(), desk.Settings{Store: a.Preferences()}, uitest.Never)
	defer d.Shut()
	d.Redraw = func(desk.Change) {}
	raise := func(id string, level severity.Level, cleared time.Time) {
		d.Take(app.AlertUpdate{Alert: monitor.Alert{ID: id, Severity: level, Title: "Title of " + id, Cause: "cause", Raised: uitest.Epoch, Cleared: cleared}})
	}
	raise("a", severity.Critical, time.Time{})
	if len(a.told) > 0 {
		t.Fatalf("told without being asked: %q", a.told)
	}
	d.Settings.SetNotifies(true)
	raise("a", severity.Critical, time.Time{}) // it was active before
	raise("b", severity.Info, time.Time{})
	raise("c", severity.Warning, time.Time{})
	if len(a.told) != 1 || a.told[0] != "Assay: Title of c: cause" {
		t.Fatalf("told %q", a.told)
	}
	raise("d", severity.Warning, time.Time{})
	raise("e", severity.Warning, time.Time{})
	raise("f", severity.Critical, time.Time{})
	raise("e", severity.Warning, uitest.Epoch.Add(time.Second)) // over before it was reported
	if len(a.told) != 1 {
		t.Fatalf("told at once: %q", a.told)
	}
	d.TellWaiting()
	if len(a.told) != 2 || a.told[1] != "Assay: 2 alerts: Title of d, Title of f" {
		t.Errorf("told %q", a.told)
	}
	d.Settings.SetNotifies(false)
	raise("g", severity.Critical, time.Time{})
	d.TellWaiting()
	if len(a.told) != 2 || d.Settings.Notifies() {
		t.Errorf("told %q after it was turned off", a.told)
	}
}
