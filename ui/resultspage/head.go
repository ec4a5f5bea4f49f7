package resultspage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// head shows the run, its findings and warnings, and its actions.
type head struct {
	page     *resultsPage
	picker   *runPicker
	runs     []desk.Offer // of the picker
	pin      *kit.Button
	export   *kit.Button
	copy     *kit.Button
	refer    *kit.Button // for reference figures
	facts    *kit.Text
	findings *kit.Text
	extend   *kit.Button // extends the sweeps whose end a finding is at
	found    *fyne.Container
	warnings *kit.Text
	object   *fyne.Container
}

func newHead(p *resultsPage) *head {
	h := &head{page: p, facts: kit.NewCaption("", 2), findings: kit.NewBody("", 6), warnings: kit.NewBody("", 3)}
	h.warnings.Color = theme.ColorNameWarning
	h.picker = newRunPicker()
	h.pin = kit.NewButton(pinName, h.pinShown)
	h.export = kit.NewButtonWithIcon("Export", theme.MenuDropDownIcon(), h.offerExports)
	h.export.IconPlacement = widget.ButtonIconTrailingText
	h.copy = kit.NewButton("Copy Markdown", p.copyTable)
	columns := kit.NewButton("Columns", p.chooseColumns)
	h.refer = kit.NewButtonWithIcon("References", theme.MenuDropDownIcon(), func() { p.desk.OfferReferences(p.subject().Run, h.refer) })
	h.refer.IconPlacement = widget.ButtonIconTrailingText
	tools := kit.Row(8, h.pin, columns, h.refer, h.copy, h.export)
	title := kit.NewTitle("Results").Whole()
	named := container.NewBorder(nil, nil, container.NewCenter(title), nil, kit.Inset(h.picker, 10, 0))
	bar := container.New(&kit.ToolsLayout{MinWidth: 330}, named, tools)
	h.extend = kit.NewButton("", func() {
		run := p.desk.Model.Showing.Run
		p.desk.Extend(run, "", run.Findings)
	})
	h.found = container.New(&kit.ToolsLayout{MinWidth: 330}, h.findings, kit.Row(0, h.extend))
	h.object = kit.NewFlow(4, bar, h.facts, h.found, h.warnings)
	return h
}

const (
	pinName   = "Pin as Baseline"
	unpinName = "Unpin Baseline"
	older     = "Older runs: History"
)

// update shows the current run.
func (h *head) update(s *desk.Showing) {
	h.offerRuns(s)
	h.facts.Set(h.factsOf(s))
	h.findings.Set(findingsOf(s.Run.Findings))
	h.warnings.SetColored(h.warningsOf(s.Run))
	kit.Show(h.found, h.findings.Content != "")
	name := h.page.desk.Model.Extending(s.Run, "", s.Run.Findings)
	kit.Show(h.extend, name != "")
	h.extend.SetText(name)
	kit.Show(h.warnings, h.warnings.Content != "")
	name = pinName
	if s.Pinned(s.Run) {
		name = unpinName
	}
	if h.pin.Text != name {
		h.pin.SetText(name)
	}
	kit.Able(h.pin, !s.Growing())
	kit.Able(h.export, !h.page.subject().None())
	kit.Able(h.refer, !h.page.subject().None())
	kit.Able(h.copy, len(s.Run.Results) > 0)
}

// offerRuns fills the picker with the available runs.
func (h *head) offerRuns(s *desk.Showing) {
	h.runs = h.page.desk.Model.Offers()
	at := slices.IndexFunc(h.runs, func(o desk.Offer) bool { return o.Run == s.Run })
	names := make([]string, 0, len(h.runs)+1)
	for i, o := range h.runs {
		name := h.offerName(&o)
		if o.Run != nil && o.Run == s.Running {
			name += " (running)"
		}
		if slices.Contains(names, name) {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		names = append(names, name)
	}
	names = append(names, older)
	if slices.Equal(names, h.picker.Options) && h.picker.SelectedIndex() == at {
		return
	}
	h.picker.OnChanged = nil
	h.picker.SetOptions(names)
	h.picker.SetSelectedIndex(at)
	h.picker.OnChanged = func(string) { h.picked() }
}

// picked shows the run that was picked.
func (h *head) picked() {
	i := h.picker.SelectedIndex()
	if i >= 0 && i < len(h.runs) {
		h.page.desk.ShowOffer(h.runs[i])
		return
	}
	h.offerRuns(&h.page.desk.Model.Showing) // not a run
	h.page.desk.Show(desk.PageHistory)
}

// factsOf returns the run's name on disk, its engine, its state, and where results come from.
func (h *head) factsOf(s *desk.Showing) string {
	m := &s.Run.Meta
	parts := []string{m.ID, view.Device(m), stateOf(s), tally(s.Run.Results), ""}
	if n := s.Run.TakenOver(); n > 0 {
		parts[4] = fmt.Sprintf("%d kept from %s", n, m.Again)
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

// nameOf returns the run's workloads and start time.
func (h *head) nameOf(m *bundle.Meta) string {
	var names []string
	for _, j := range m.Jobs {
		if title := h.page.desk.Model.Title(j.Workload); !slices.Contains(names, title) {
			names = append(names, title)
		}
	}
	if len(names) == 0 {
		return m.ID
	}
	if m.Tuning {
		names = append(names, "live tuning")
	}
	return strings.Join(names, ", ") + " · " + startText(m.Started)
}

// offerName returns what distinguishes a run from others in the picker: its workloads, the time, the changed parameters.
func (h *head) offerName(o *desk.Offer) string {
	jobs, quick, tuning := []bundle.Job(nil), false, false
	if o.Run != nil {
		jobs, quick, tuning = o.Run.Meta.Jobs, o.Run.Meta.Quick, o.Run.Meta.Tuning
	} else {
		jobs, quick, tuning = o.Kept.Jobs, o.Kept.Quick, o.Kept.Tuning
	}
	parts := []string{view.RunTitle(h.page.desk.Model.Workloads, jobs), startText(o.Started())}
	if tuning {
		parts[0] += ", live tuning"
	} else if changed := view.Changed(h.page.desk.Model.Workloads, jobs, quick); changed != "" {
		parts = append(parts, changed)
	}
	return strings.Join(parts, " · ")
}

// startText returns when a run began, to the second: two may begin in one minute.
func startText(at time.Time) string { return at.Local().Format("2 Jan 2006, 15:04:05") }

// stateOf returns the state of the run, in words.
func stateOf(s *desk.Showing) string {
	m := &s.Run.Meta
	switch {
	case s.Growing():
		return "running"
	case m.Finished.IsZero():
		return "interrupted, or running in another process"
	case m.Error != "":
		return "failed after " + lasted(m)
	case m.State == "":
		return "finished after " + lasted(m)
	}
	return string(m.State) + " after " + lasted(m)
}

func lasted(m *bundle.Meta) string {
	return si.Duration(m.Finished.Sub(m.Started).Round(time.Second).Seconds())
}

func countDisturbed(results []workloads.Result) (n int) {
	for i := range results {
		if _, disturbed := results[i].Disturbed(); disturbed {
			n++
		}
	}
	return n
}

// tally counts the results by outcome.
func tally(results []workloads.Result) string {
	n := map[workloads.Status]int{}
	for i := range results {
		n[results[i].Status]++
	}
	var parts []string
	for _, c := range []struct {
		status workloads.Status
		words  string
	}{
		{workloads.OK, "correct"},
		{workloads.Failed, "wrong"},
		{workloads.Errored, "with errors"},
		{workloads.Unsupported, "not supported"},
	} {
		if n[c.status] > 0 {
			parts = append(parts, si.Count(n[c.status])+" "+c.words)
		}
	}
	if n := countDisturbed(results); n > 0 {
		parts = append(parts, si.Count(n)+" disturbed")
	}
	return strings.Join(parts, ", ")
}

// findingsOf returns the run's findings; if there are many, only the first two.
func findingsOf(list []workloads.Finding) string {
	var parts []string
	list = slices.DeleteFunc(slices.Clone(list), func(f workloads.Finding) bool { return f.IsProof() }) // warningsOf reports them
	for i, f := range list {
		if i == maxAbove {
			parts = append(parts, si.Counted(len(list)-maxAbove, "more finding")+": beside the table when no row is selected.")
			break
		}
		parts = append(parts, view.FindingText(&f))
	}
	return strings.Join(parts, " ")
}

// maxAbove is the maximum number of findings above the table.
const maxAbove = 2

// warningsOf returns what a reader must know about the numbers, and its severity.
func (h *head) warningsOf(r *bundle.Run) (string, fyne.ThemeColorName) {
	var list []string
	color := theme.ColorNameWarning
	if r.Meta.Error != "" {
		list, color = append(list, "The run failed: "+view.Failure(r.Meta.Failed(), "")), theme.ColorNameError
	}
	if r.Meta.Engine.Simulated {
		list = append(list, "Simulated device: times are not from real hardware.")
	}
	if text := r.Meta.NotTiming(); text != "" {
		list = append(list, plain.Capitalized(text)+": its times do not count.")
	}
	leaks := view.Leaks(r)
	switch detection, words := view.DetectionOf(h.page.desk.Model.Workloads, r); {
	case detection == view.Detected && len(list)+len(r.Notes) == 0:
		return words, theme.ColorNameSuccess
	case detection != view.NoControl:
		list = append(list, words)
	case len(leaks) > 0:
		color = theme.ColorNameError
	}
	for _, leak := range leaks {
		list = append(list, "Leak found. "+leak)
	}
	for _, n := range r.Notes {
		list = append(list, "Incomplete: "+n)
	}
	if len(list) > 3 {
		list = append(list[:2], fmt.Sprintf("%s more: see the run in History.", si.Count(len(list)-2)))
	}
	return strings.Join(list, "\n"), color
}

// pinShown pins the current run as the baseline, or unpins it.
func (h *head) pinShown() {
	s := &h.page.desk.Model.Showing
	if s.Pinned(s.Run) {
		h.page.desk.PinBaseline(nil)
		return
	}
	h.page.desk.PinBaseline(s.Run)
}

// offerExports offers the formats below the button.
func (h *head) offerExports() {
	h.page.desk.OfferExports(h.page.subject(), h.export)
}
