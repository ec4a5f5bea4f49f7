package runpage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/si"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
	"assay/workloads/measure"
)

// runHead is the chosen workload's title with its start and stop buttons and the state of its run.
type runHead struct {
	desk   *desk.Desk
	title  *kit.Text
	quick  *kit.Check
	engine *kit.Select
	names  []string // of the engines in the select
	start  *kit.Button
	stop   *kit.Button
	again  *kit.Button // measures disturbed cases again
	goOn   *kit.Button // ends a pause
	record *kit.Button // runs with a capture, if the engine can be captured
	shown  *kit.Button // shows the capture
	bar    *kit.Bar
	status *kit.Text
	room   *roomLayout // of the status
	object fyne.CanvasObject
	below  *fyne.Container // the sentence, and the possible actions
	resize func()          // lays out the page again when these need more or less height
	tall   float32
}

const (
	automatic   = "Automatic"
	statusLines = 6
)

func newRunHead(d *desk.Desk) *runHead {
	h := &runHead{desk: d, title: kit.NewTitle(""), bar: kit.NewBar(), status: kit.NewBody("", statusLines)}
	h.room = &roomLayout{longest: kit.NewBody("", statusLines)}
	h.quick = kit.NewCheck("Quick", d.SetQuick)
	h.quick.Checked = d.Model.Quick
	h.engine = kit.NewSelect([]string{automatic}, h.chooseEngine)
	h.names = []string{"auto"}
	h.engine.Selected = automatic
	h.start = kit.NewButtonWithIcon("Run", theme.MediaPlayIcon(), d.StartRun)
	h.start.Importance = widget.HighImportance
	h.stop = kit.NewButtonWithIcon("Stop", theme.MediaStopIcon(), d.StopRun)
	h.stop.Hide()
	h.again = kit.NewButton("Measure Disturbed Again", d.MeasureAgain)
	h.again.Hide()
	h.goOn = kit.NewButton("Continue Now", d.GoOn)
	h.goOn.Hide()
	h.record = kit.NewButton("Capture…", d.CaptureRun)
	h.record.Hide()
	h.shown = kit.NewButton("Show Capture", d.ShowCapture)
	h.shown.Hide()
	engine := container.New(kit.ScaledWidth{Width: 132}, h.engine)
	action := container.New(kit.ScaledWidth{Width: 92}, h.start, h.stop)
	tools := container.NewCenter(kit.Row(8, h.quick, engine, h.record, action))
	top := container.NewBorder(nil, nil, nil, tools, h.title)
	buttons := container.NewCenter(container.NewHBox(h.again, h.goOn, h.shown))
	h.below = container.NewBorder(nil, nil, nil, buttons, container.New(h.room, h.status))
	h.object = kit.Stack(10, top, kit.Stack(6, h.bar, h.below))
	return h
}

// engineName returns the engine to ask the session for.
func (h *runHead) engineName() string { return h.names[max(0, h.engine.SelectedIndex())] }

func (h *runHead) chooseEngine(string) { h.desk.SetEngine(h.engineName()) }

// listEngines offers the engines found, including those not available.
func (h *runHead) listEngines(found []app.EngineState) {
	h.names = []string{"auto"}
	options := []string{automatic}
	for _, e := range found {
		h.names = append(h.names, e.Name)
		options = append(options, e.Title)
	}
	chosen := options[max(0, slices.Index(h.names, h.desk.Model.Engine))]
	if !slices.Equal(options, h.engine.Options) || chosen != h.engine.Selected {
		h.engine.Options, h.engine.Selected = options, chosen
		h.engine.Refresh()
	}
	if quick := h.desk.Model.Quick; quick != h.quick.Checked { // another page may have changed it
		h.quick.Checked = quick
		h.quick.Refresh()
	}
}

// update redraws the head.
func (h *runHead) update() {
	m := h.desk.Model
	w := m.Workload()
	h.listEngines(m.Engines)
	h.title.Set(w.Title)
	busy := m.Busy()
	kit.Able(h.stop, busy != nil && busy.Phase != desk.Stopping)
	kit.Able(h.quick, busy == nil)
	kit.Able(h.engine, busy == nil)
	problem := m.Problem()
	kit.Able(h.start, problem == "")
	kit.Trade(h.start, h.stop, busy != nil)
	kit.Show(h.again, busy == nil && m.Outcome().CanMeasureAgain())
	kit.Show(h.goOn, busy != nil && busy.Phase == desk.Running && busy.Progress.Measure.Phase == measure.Paused)
	next := m.NextEngine()
	kit.Show(h.record, busy == nil && next != nil && next.Captures)
	kit.Able(h.record, m.NoCapture() == "")
	kit.Show(h.shown, busy == nil && m.Outcome().Captured() != "")
	h.tell(busy, problem)
	h.fit()
}

// fit adjusts the layout to the sentence and the buttons beside it.
func (h *runHead) fit() {
	h.below.Layout.Layout(h.below.Objects, h.below.Size()) // the buttons change the sentence's width, and so its height
	if tall := h.below.MinSize().Height; tall != h.tall && h.resize != nil {
		h.tall = tall
		h.resize()
	}
}

// tell shows the bar and the sentence below it.
func (h *runHead) tell(busy *desk.Outcome, problem string) {
	m := h.desk.Model
	o := m.Outcome()
	h.room.longest.Set("")
	switch {
	case busy != nil:
		h.bar.Set(busy.Progress.Fraction, theme.ColorNamePrimary)
		h.status.SetColored(progressText(m, busy), theme.ColorNameForeground)
	case problem != "":
		h.bar.Set(0, theme.ColorNamePrimary)
		h.status.SetColored(problem, theme.ColorNameError)
	case m.Refused[m.Workload().Name] != "":
		h.bar.Set(0, theme.ColorNamePrimary)
		h.status.SetColored("Not started: "+m.Refused[m.Workload().Name], theme.ColorNameError)
	default:
		h.showOutcome(o)
	}
}

// showOutcome shows how the last run of the workload ended.
func (h *runHead) showOutcome(o *desk.Outcome) {
	m := h.desk.Model
	control := m.Workload().Control
	switch o.Phase {
	case desk.Finished:
		_, color := stateWord(m.Workloads, o)
		h.bar.Set(1, color)
		h.status.SetColored(endText("Finished", o, control, busyNow(m)), theme.ColorNameForeground)
		h.room.longest.Set(endText("Finished", o, control, isBusy))
	case desk.Stopped:
		h.bar.Set(o.Progress.Fraction, kit.ColorSecondary)
		h.status.SetColored(endText("Stopped", o, control, busyNow(m)), theme.ColorNameForeground)
		h.room.longest.Set(endText("Stopped", o, control, isBusy))
	case desk.Failed:
		h.bar.Set(o.Progress.Fraction, theme.ColorNameError)
		h.status.SetColored(failureText(o, control), theme.ColorNameError)
	default:
		h.bar.Set(0, theme.ColorNamePrimary)
		h.room.longest.Set(wasBusy(longShare))
		if why := notQuiet(m); why != "" {
			h.status.SetColored(why, theme.ColorNameWarning)
			return
		}
		h.status.SetColored("Not run yet."+quietNow(m), kit.ColorSecondary)
	}
}

// quietNow says that nothing would disturb a run now; empty if that is unknown.
func quietNow(m *desk.Model) string {
	if others, known := m.Latest.Value(monitor.HostOthers); known && others <= monitor.QuietShare && notQuiet(m) == "" {
		return " This machine is quiet."
	}
	return ""
}

// busyNow says after a run that the next one would be disturbed; empty if it would not, or that is unknown.
func busyNow(m *desk.Model) string {
	if notQuiet(m) == "" {
		return ""
	}
	return isBusy
}

const isBusy = " This machine is not quiet now."

// longShare is a share whose text is as long as that of any other.
const longShare = 0.999

// notQuiet says what would disturb a run now; empty: the machine is quiet, or that is unknown.
func notQuiet(m *desk.Model) string {
	i := slices.IndexFunc(m.Active, func(a monitor.Alert) bool { return a.ID == monitor.NotQuiet })
	if i < 0 {
		return ""
	}
	others, known := m.Latest.Value(monitor.HostOthers)
	switch {
	case !known || m.Latest.Time.Before(m.Active[i].Raised):
		return "Is this machine quiet? No: " + m.Active[i].Cause + "."
	case others > monitor.QuietShare: // the alert has the value from when it was raised
		return fmt.Sprintf("Is this machine quiet? No: other programs use %s of all core time; times measured now would be too long (limit %s).", share(others), share(monitor.QuietShare))
	}
	return wasBusy(others)
}

// wasBusy says that other programs, which use this share now, used too much.
func wasBusy(others float64) string {
	return fmt.Sprintf("Is this machine quiet? Not for long enough: other programs use %s of all core time now, and used more than %s a moment ago.", share(others), share(monitor.QuietShare))
}

func share(v float64) string { return monitor.Format(v, "ratio") }

// progressText says what a run is doing and how long it will still take.
func progressText(m *desk.Model, o *desk.Outcome) string {
	var parts []string
	if m.Current != m.Workload().Name {
		if w, err := workloads.Find(m.Workloads, m.Current); err == nil {
			parts = append(parts, w.Title+" is running")
		}
	}
	p := o.Progress
	switch {
	case o.Phase == desk.Starting:
		return strings.Join(append(parts, "Starting…"), " · ")
	case o.Phase == desk.Stopping:
		return strings.Join(append(parts, "Stopping…"), " · ")
	case p.Total == 0:
		return strings.Join(append(parts, "Preparing…"), " · ")
	}
	if p.Total > 1 {
		parts = append(parts, fmt.Sprintf("Case %d of %d: %s", min(p.Done+1, p.Total), p.Total, p.Case))
	} else {
		parts = append(parts, p.Case)
	}
	parts = append(parts, phaseText(&p))
	if p.Left > 0 {
		parts = append(parts, leftText(p.Left))
	}
	return strings.Join(parts, " · ")
}

// leftText states the estimated seconds left.
func leftText(seconds float64) string {
	if seconds < 1 {
		return si.Duration(seconds) + " left" // "less than 1 s"
	}
	return "about " + si.Duration(seconds) + " left"
}

// phaseText states the current phase and its case.
func phaseText(p *app.ProgressUpdate) string {
	words := p.Measure.Doing()
	if p.Measure.Variant != "" && p.Measure.Phase != "" {
		words += " " + p.Measure.Variant
	}
	if n := p.Measure.Samples; n > 0 {
		words += " (" + si.Counted(n, "sample")
		switch {
		case math.IsInf(p.Measure.Width, 0):
			words += ", no interval yet"
		case p.Measure.Width > 0:
			words += ", widest interval " + widthText(100*p.Measure.Width/2)
		}
		words += ")"
	}
	return words
}

// widthText states the half width of an interval, in percent.
func widthText(percent float64) string {
	if percent >= 10 {
		return fmt.Sprintf("± %.0f %%", percent)
	}
	return fmt.Sprintf("± %.2g %%", percent)
}

// endText says when and how a run ended, what to say now, and where its bundle is. A control gives no results.
func endText(word string, o *desk.Outcome, control bool, now string) string {
	took := o.Ended.Sub(o.Meta.Started).Seconds()
	ended := word + " after " + si.Duration(took)
	if !control || len(o.Results) > 0 {
		ended += ": " + si.Counted(len(o.Results), "result")
		if o.Run != nil && o.Run.TakenOver() > 0 {
			ended += fmt.Sprintf(", %d of them kept from an earlier run", o.Run.TakenOver())
		}
	}
	if file := o.Captured(); file != "" {
		ended += ", captured in " + view.Homely(file)
	}
	return ended + "." + unexpected(o) + now + " " + keptText(o)
}

// failureText says what happened, what was kept and what to do.
func failureText(o *desk.Outcome, control bool) string {
	kept := "Nothing was measured before."
	if control {
		kept = keptText(o)
	}
	if n := len(o.Results); n > 0 {
		kept = fmt.Sprintf("%s kept. %s", si.Counted(n, "result"), keptText(o))
		kept = strings.TrimSpace(kept)
		if !strings.HasSuffix(kept, ".") {
			kept += "."
		}
	}
	return "Failed: " + view.Failure(o.Failure, kept)
}

// unexpected is the verdict, except for controls that passed: their faults are deliberate.
func unexpected(o *desk.Outcome) string {
	if o.Run != nil {
		if proofs := view.Proofs(o.Run); len(proofs) > 0 && proofs[0].Kind == workloads.KindPassed {
			return ""
		}
	}
	return verdict(o)
}

// verdict counts what did not pass; empty if all did.
func verdict(o *desk.Outcome) string {
	bad := map[workloads.Status]int{}
	for _, r := range o.Results {
		bad[r.Status]++
	}
	var parts []string
	for _, v := range []struct {
		status workloads.Status
		words  string
	}{
		{workloads.Failed, "gave wrong results"},
		{workloads.Errored, "failed to run"},
		{workloads.Unsupported, "not supported by the engine"},
	} {
		if n := bad[v.status]; n > 0 {
			parts = append(parts, si.Count(n)+" "+v.words)
		}
	}
	if n := o.Disturbed(); n > 0 {
		parts = append(parts, si.Count(n)+" disturbed by other work on this machine")
	}
	if n := len(o.Leaks()); n > 0 {
		parts = append(parts, si.Counted(n, "leak")+" found")
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ", ") + "."
}

func keptText(o *desk.Outcome) string {
	switch {
	case o.Run == nil || o.Run.Dir == "":
		return ""
	case o.Trashed:
		return "Moved to the trash."
	}
	return "Saved in " + view.Homely(o.Run.Dir)
}
