package alertspage

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
	"assay/ui/kit"
	"assay/ui/view"
)

// alertCard shows one alert: severity as a word and a shape, title, cause, time and advice.
type alertCard struct {
	alert  monitor.Alert
	when   *kit.Text
	line   *fyne.Container
	object fyne.CanvasObject
}

func newAlertCard(a monitor.Alert) *alertCard {
	c := &alertCard{alert: a, when: kit.NewCaption("", 1).Whole()}
	severity := kit.NewCaption(view.SeverityWord(a.Severity), 1).Whole()
	severity.Color, severity.Style.Bold = kit.ColorSecondary, true
	title := kit.NewHeading(a.Title).Whole()
	cause := sentence(a.Cause)
	if a.Active() {
		severity.Color = view.SeverityColor(a.Severity)
	} else {
		severity.Set(severity.Content + ", ended")
		title.Color = kit.ColorSecondary
		cause = "While active: " + strings.TrimRight(a.Cause, ".") + "."
	}
	c.line = container.NewBorder(nil, nil, kit.Row(8, severityShape(a), severity, title), c.when)
	lines := kit.Stack(4, c.line, kit.NewBody(cause, 4))
	if advice := app.Advice(a.ID); advice != "" {
		todo := kit.NewCaption("What to do: "+advice, 3)
		lines.Add(todo)
	}
	c.object = kit.NewPanel(lines, 12)
	return c
}

// sentence begins with a capital and ends with a period.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.TrimRight(plain.Capitalized(s), ".") + "."
}

// tellTime says since when the alert has been active, or when it was, and for how long.
func (c *alertCard) tellTime(now time.Time) {
	before := c.when.Content
	c.when.Set(alertTime(c.alert, now))
	if len(c.when.Content) != len(before) {
		c.line.Refresh()
	}
}

func alertTime(a monitor.Alert, now time.Time) string {
	if a.Active() {
		return "since " + view.Clock(a.Raised) + ", " + lasted(a.Raised, now)
	}
	if a.Cleared.Sub(a.Raised) < time.Second/2 { // an instant, not a span
		return view.Clock(a.Raised)
	}
	return view.Clock(a.Raised) + " – " + view.Clock(a.Cleared) + ", " + lasted(a.Raised, a.Cleared)
}

// lasted is the time between two moments in words.
func lasted(from, to time.Time) string {
	return si.Duration(max(0, to.Sub(from).Round(time.Second).Seconds()))
}
