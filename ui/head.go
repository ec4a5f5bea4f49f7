package ui

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/workloads"
)

// runHead is the chosen workload's title with what starts and stops it, and where its run stands.
type runHead struct {
	desk   *desk
	title  *text
	quick  *widget.Check
	engine *widget.Select
	names  []string // of the engines in the select
	start  *widget.Button
	stop   *widget.Button
	bar    *bar
	status *text
	object fyne.CanvasObject
	resize func() // lays the page out anew when the sentence takes more or fewer lines
	tall   float32
}

const automatic = "Automatic"

func newRunHead(d *desk) *runHead {
	h := &runHead{desk: d, title: newTitle(""), bar: newBar(), status: newBody("", 3)}
	h.quick = widget.NewCheck("Quick", d.setQuick)
	h.quick.Checked = d.settings.quick()
	h.engine = widget.NewSelect([]string{automatic}, h.chooseEngine)
	h.names = []string{"auto"}
	h.engine.Selected = automatic
	h.start = widget.NewButtonWithIcon("Run", theme.MediaPlayIcon(), d.startRun)
	h.start.Importance = widget.HighImportance
	h.stop = widget.NewButtonWithIcon("Stop", theme.MediaStopIcon(), d.stopRun)
	h.stop.Hide()
	engine := container.New(fixedSize{width: 132}, h.engine)
	action := container.New(fixedSize{width: 92}, h.start, h.stop)
	tools := container.NewCenter(row(8, h.quick, engine, action))
	top := container.NewBorder(nil, nil, nil, tools, h.title)
	h.object = column(10, top, column(6, h.bar, h.status))
	return h
}

// engineName is the engine to ask the session for.
func (h *runHead) engineName() string { return h.names[max(0, h.engine.SelectedIndex())] }

// chooseEngine remembers the engine for the next start.
func (h *runHead) chooseEngine(string) {
	h.desk.settings.setEngine(h.engineName())
	h.update()
}

// listEngines offers the engines that were found, those that are not available too.
func (h *runHead) listEngines(found []app.EngineState) {
	if len(found)+1 == len(h.names) {
		return
	}
	options := []string{automatic}
	for _, e := range found {
		h.names = append(h.names, e.Name)
		options = append(options, e.Title)
	}
	h.engine.Options = options
	if i := slices.Index(h.names, h.desk.settings.engine()); i > 0 {
		h.engine.Selected = options[i]
	}
	h.engine.Refresh()
}

// problem is why the chosen workload cannot be run now; empty if it can.
func (h *runHead) problem() string {
	for _, e := range h.desk.model.engines {
		if e.Name == h.engineName() && !e.Available {
			return e.Title + " is not available: " + e.Reason
		}
	}
	if f := h.desk.run.form(); f != nil {
		if _, err := f.values(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// update redraws the head.
func (h *runHead) update() {
	m := h.desk.model
	w := m.workload()
	h.listEngines(m.engines)
	h.title.set(w.Title)
	busy := m.busy()
	show(h.start, busy == nil)
	show(h.stop, busy != nil)
	able(h.stop, busy != nil && busy.phase != stopping)
	able(h.quick, busy == nil)
	able(h.engine, busy == nil)
	problem := h.problem()
	able(h.start, problem == "")
	h.desk.menu.update(busy == nil && problem == "", busy != nil && busy.phase != stopping, m.outcome().run != nil)
	h.tell(busy, problem)
	h.fit()
}

// say shows a sentence below the bar.
func (h *runHead) say(s string) {
	h.status.setColored(s, theme.ColorNameForeground)
	h.fit()
}

// fit makes room for the sentence.
func (h *runHead) fit() {
	if tall := h.status.MinSize().Height; tall != h.tall && h.resize != nil {
		h.tall = tall
		h.resize()
	}
}

// tell shows the bar and the sentence below it.
func (h *runHead) tell(busy *outcome, problem string) {
	m := h.desk.model
	o := m.outcome()
	switch {
	case busy != nil:
		h.bar.set(busy.progress.Fraction, theme.ColorNamePrimary)
		h.status.setColored(progressText(m, busy), theme.ColorNameForeground)
	case problem != "":
		h.bar.set(0, theme.ColorNamePrimary)
		h.status.setColored(problem, theme.ColorNameError)
	case m.refused[m.workload().Name] != "":
		h.bar.set(0, theme.ColorNamePrimary)
		h.status.setColored("Not started: "+m.refused[m.workload().Name], theme.ColorNameError)
	default:
		h.showOutcome(o)
	}
}

// showOutcome tells how the last run of the workload ended.
func (h *runHead) showOutcome(o *outcome) {
	switch o.phase {
	case finished:
		_, color := stateWord(o)
		h.bar.set(1, color)
		h.status.setColored(endText("Finished", o), theme.ColorNameForeground)
	case stopped:
		h.bar.set(o.progress.Fraction, colorSecondary)
		h.status.setColored(endText("Stopped", o), theme.ColorNameForeground)
	case failed:
		h.bar.set(o.progress.Fraction, theme.ColorNameError)
		h.status.setColored("Failed: "+o.failure+". What was measured is kept. "+keptText(o), theme.ColorNameError)
	default:
		h.bar.set(0, theme.ColorNamePrimary)
		h.status.setColored("Not run yet.", colorSecondary)
	}
}

// progressText says what a run is doing and how long it still takes.
func progressText(m *model, o *outcome) string {
	var parts []string
	if m.current != m.workload().Name {
		if w, err := workloads.Find(m.workloads, m.current); err == nil {
			parts = append(parts, w.Title+" is running")
		}
	}
	p := o.progress
	switch {
	case o.phase == starting:
		return "Starting…"
	case o.phase == stopping:
		return "Stopping…"
	case p.Total == 0:
		return strings.Join(append(parts, "Preparing…"), "")
	}
	if p.Total > 1 {
		parts = append(parts, fmt.Sprintf("Case %d of %d: %s", min(p.Done+1, p.Total), p.Total, p.Case))
	} else {
		parts = append(parts, p.Case)
	}
	parts = append(parts, string(p.Measure.Phase))
	if p.Left > 0 {
		parts = append(parts, "about "+duration(p.Left)+" left")
	}
	return strings.Join(parts, " · ")
}

// endText says when and how a run ended and where its bundle is.
func endText(word string, o *outcome) string {
	took := o.ended.Sub(o.meta.Started).Seconds()
	results := counted(len(o.results), "result")
	return fmt.Sprintf("%s after %s: %s.%s %s", word, duration(took), results, verdict(o), keptText(o))
}

// verdict counts what did not pass; empty if all did.
func verdict(o *outcome) string {
	bad := map[workloads.Status]int{}
	for _, r := range o.results {
		bad[r.Status]++
	}
	var parts []string
	for _, v := range []struct {
		status workloads.Status
		words  string
	}{
		{workloads.Failed, "gave wrong results"},
		{workloads.Errored, "could not be run"},
		{workloads.Unsupported, "not supported by the engine"},
	} {
		if n := bad[v.status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.words))
		}
	}
	if n := len(o.leaks()); n > 0 {
		parts = append(parts, counted(n, "leak")+" found")
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ", ") + "."
}

func keptText(o *outcome) string {
	if o.run == nil || o.run.Dir == "" {
		return ""
	}
	return "Saved in " + homely(o.run.Dir)
}

// linesLayout gives one text the room of a number of lines, so that what is below stays where it is.
type linesLayout struct{ lines float32 }

func (l linesLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	t := o[0].(*text)
	return fyne.NewSize(t.MinSize().Width, l.lines*t.measure("Mg").Height)
}

func (l linesLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.Position{})
	o[0].Resize(size)
}
