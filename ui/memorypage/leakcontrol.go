package memorypage

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// leakControl starts and stops the workload that leaks deliberately.
type leakControl struct {
	desk     *desk.Desk
	refit    func()
	workload *workloads.Workload // nil: there is none

	rate, duration *entry
	start          *kit.Button
	note           *note
	asked          bool   // this page started a run that may be refused
	told           string // the refusal that was shown
}

func newLeakControl(d *desk.Desk, refit func()) *leakControl {
	c := &leakControl{desk: d, refit: refit}
	if w, err := workloads.Find(d.Model.Workloads, desk.LeakWorkload); err == nil {
		c.workload = w
	}
	return c
}

const controlAbout = "Tests the detectors: deliberately leaks buffers at this rate, in a run that is kept like any " +
	"other, and frees them at the end."

func (c *leakControl) rows() []fyne.CanvasObject {
	if c.workload == nil {
		return nil
	}
	c.rate, c.duration = c.field("rate"), c.field("duration")
	c.start = kit.NewButtonWithIcon("Start", theme.MediaPlayIcon(), c.toggle)
	c.note = newNote(controlAbout, c.refit)
	head := titled("Leak control", wide(c.start, 92))
	return []fyne.CanvasObject{kit.NewFlow(5, head, measured("Rate", c.rate, "MB/s"), measured("Duration", c.duration, "s"), c.note.Text)}
}

// measured is a name, and a field with its unit at the right end; all the fields are aligned.
func measured(name string, e *entry, unit string) fyne.CanvasObject {
	after := container.New(kit.ScaledWidth{Width: 34}, kit.NewCaption(unit, 1))
	return container.NewBorder(nil, nil, nil, kit.Row(6, e.wide(62), after), kit.NewBody(name, 1))
}

// field is the field of a parameter.
func (c *leakControl) field(name string) *entry {
	text := ""
	if p := c.param(name); p != nil {
		text = p.Format(c.workload.Defaults(c.desk.Model.Quick)[name])
	}
	return newEntry(text, func(string) { c.values() })
}

func (c *leakControl) param(name string) *workloads.Param {
	for i := range c.workload.Params {
		if c.workload.Params[i].Name == name {
			return &c.workload.Params[i]
		}
	}
	return nil
}

// values returns the values of the fields; ok is false if they are not valid, which the note says.
func (c *leakControl) values() (v workloads.Values, ok bool) {
	v = c.workload.Defaults(c.desk.Model.Quick)
	for _, of := range []struct {
		name string
		e    *entry
	}{{"rate", c.rate}, {"duration", c.duration}} {
		p := c.param(of.name)
		x, err := p.Parse(of.e.Text)
		if err != nil {
			c.note.complain(fmt.Errorf("%s cannot be “%s”. Enter %s", p.Title, strings.TrimSpace(of.e.Text), p.Range()), of.e)
			return nil, false
		}
		v[of.name] = x
	}
	// The user would not expect the limit to end the leak early, so it is at least rate × duration.
	if p := c.param("limit"); p != nil {
		v[p.Name] = min(p.Max, max(v.Float(p.Name), v.Float("rate")*v.Float("duration")))
	}
	if c.note.wrong() {
		c.note.say(controlAbout)
	}
	return v, true
}

// toggle starts the control, or stops it.
func (c *leakControl) toggle() {
	if c.leaking() {
		c.desk.StopRun()
		return
	}
	if v, ok := c.values(); ok {
		c.told = ""
		c.asked = true
		c.desk.Start(c.workload.Name, v)
	}
}

// leaking reports whether the control is running.
func (c *leakControl) leaking() bool {
	m := c.desk.Model
	return m.Busy() != nil && m.Current == c.workload.Name
}

// update shows the state of the control.
func (c *leakControl) update() {
	if c.workload == nil {
		return
	}
	m := c.desk.Model
	busy, leaking := m.Busy(), c.leaking()
	name, icon := "Start", theme.MediaPlayIcon()
	if leaking {
		name, icon = "Stop", theme.MediaStopIcon()
	}
	if c.start.Text != name {
		c.start.SetIcon(icon)
		c.start.SetText(name)
	}
	kit.Able(c.start, busy == nil || leaking && busy.Phase != desk.Stopping)
	kit.Able(c.rate, busy == nil)
	kit.Able(c.duration, busy == nil)
	c.tell(busy, leaking)
}

func (c *leakControl) tell(busy *desk.Outcome, leaking bool) {
	m := c.desk.Model
	refused := m.Refused[c.workload.Name]
	switch {
	case leaking && busy.Phase == desk.Stopping:
		c.note.say("Stopping…")
	case leaking && busy.Progress.Total > 0:
		c.note.say("Leaking deliberately." + leftWords(busy.Progress.Left))
	case leaking:
		c.note.say("Starting…")
	case busy != nil:
		c.note.say(m.Title(m.Current) + " is running: the control can start when it ends.")
	case refused != "" && c.asked:
		if c.told != refused {
			c.told = refused
			c.note.complain(fmt.Errorf("not started: %s", refused))
		}
	case c.note.wrong() && c.told == "":
	case m.Outcomes[c.workload.Name] != nil:
		c.note.say(controlEnded(m.Outcomes[c.workload.Name]))
	default:
		c.note.say(controlAbout)
	}
}

// leftWords says how much longer the control will run, if known.
func leftWords(seconds float64) string {
	switch {
	case seconds <= 0:
		return ""
	case seconds < 1:
		return " Less than 1 s left."
	}
	return " About " + si.Duration(seconds) + " left."
}

// controlEnded says how the last run of the control ended.
func controlEnded(o *desk.Outcome) string {
	took := si.Duration(o.Ended.Sub(o.Meta.Started).Seconds())
	leaks := o.Leaks()
	found := "No leak found."
	if n := len(leaks); n > 0 {
		found = plain.Capitalized(counted(n, "leak")) + " found (see the chart). Memory was released."
	}
	switch o.Phase {
	case desk.Failed:
		return "Failed after " + took + ": " + o.Failure.Text + ". " + found
	case desk.Stopped:
		return "Stopped after " + took + ". " + found
	}
	return "Finished in " + took + ". " + found
}
