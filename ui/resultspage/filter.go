package resultspage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/app/report"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// filterBar picks rows: by words, by workload, variant and status, and those that findings point at.
type filterBar struct {
	filter  report.Filter // but for its text
	words   []string      // in lower case
	changed func()
	muted   bool // while all is taken back

	entry    *kit.Entry
	workload *choice
	variant  *choice
	status   *choice
	marked   *kit.Check
	rows     *kit.Text
	clear    *kit.Button
	object   *fyne.Container
}

func newFilterBar(changed func()) *filterBar {
	f := &filterBar{changed: changed, rows: kit.NewBody("", 1).Whole()}
	f.entry = kit.NewEntry()
	f.entry.PlaceHolder = "Filter: words in any column"
	f.entry.OnChanged = func(s string) {
		f.words = strings.Fields(strings.ToLower(s))
		f.tell()
	}
	f.workload = newChoice("All workloads", func(v string) { f.filter.Workload = v; f.tell() })
	f.variant = newChoice("All variants", func(v string) { f.filter.Variant = v; f.tell() })
	f.status = newChoice("Any status", func(v string) { f.filter.Status = workloads.Status(v); f.tell() })
	f.marked = kit.NewCheck("With findings", func(on bool) { f.filter.Marked = on; f.tell() })
	f.clear = kit.NewButtonWithIcon("Clear", theme.CancelIcon(), f.reset)
	f.clear.Importance = widget.LowImportance
	right := kit.Row(8, f.workload.Select, f.variant.Select, f.status.Select, f.marked, f.clear, container.NewCenter(f.rows))
	f.object = container.NewBorder(nil, nil, nil, right, f.entry)
	return f
}

// offer has the bar offer what a run holds. What does not vary in it cannot be chosen.
func (f *filterBar) offer(m *desk.Model, run *bundle.Run) {
	names := workloadsOf(run)
	titles := make([]string, len(names))
	for i, n := range names {
		titles[i] = m.Title(n)
	}
	f.workload.offer(names, titles)
	variants := valuesOf(run, func(r *workloads.Result) string { return r.Variant })
	f.variant.offer(variants, variants)
	statuses := valuesOf(run, func(r *workloads.Result) string { return string(r.Status) })
	words := make([]string, len(statuses))
	for i, s := range statuses {
		words[i] = report.StatusTitle(workloads.Status(s))
	}
	f.status.offer(statuses, words)
	found := slices.ContainsFunc(run.Results, func(r workloads.Result) bool { return len(r.Marks) > 0 })
	kit.Show(f.marked, f.filter.Marked || found)
	f.object.Refresh()
}

// count says how many rows there are.
func (f *filterBar) count(rows, all int) {
	words := view.Counted(all, "row")
	if rows != all {
		words = view.Count(rows) + " of " + words
	}
	kit.Show(f.clear, f.entry.Text != "" || f.filter != report.Filter{})
	f.rows.Set(words)
	f.object.Refresh()
}

// reset picks all rows.
func (f *filterBar) reset() {
	f.muted = true
	f.entry.SetText("")
	f.workload.SetSelectedIndex(0)
	f.variant.SetSelectedIndex(0)
	f.status.SetSelectedIndex(0)
	f.marked.SetChecked(false)
	f.muted = false
	f.tell()
}

// tell tells that other rows are picked.
func (f *filterBar) tell() {
	if !f.muted {
		f.changed()
	}
}

// choice is a menu of values of which one or all are picked.
type choice struct {
	*kit.Select
	any    string
	values []string
	chosen func(value string)
}

func newChoice(any string, chosen func(string)) *choice {
	c := &choice{any: any, chosen: chosen}
	c.Select = kit.NewSelect([]string{any}, nil)
	c.SetSelectedIndex(0)
	c.OnChanged = func(string) { c.tell() }
	return c
}

func (c *choice) tell() {
	value := ""
	if i := c.SelectedIndex(); i > 0 && i <= len(c.values) {
		value = c.values[i-1]
	}
	c.chosen(value)
}

// offer lists values by their titles. What was chosen stays, or all are if it is not there; with one value there is nothing
// to choose.
func (c *choice) offer(values, titles []string) {
	kit.Show(c.Select, len(values) > 1)
	if slices.Equal(values, c.values) {
		return
	}
	was := ""
	if i := c.SelectedIndex(); i > 0 && i <= len(c.values) {
		was = c.values[i-1]
	}
	c.values = slices.Clone(values)
	told := c.OnChanged
	c.OnChanged = nil
	c.SetOptions(append([]string{c.any}, titles...))
	c.SetSelectedIndex(slices.Index(values, was) + 1)
	c.OnChanged = told
	if was != "" && !slices.Contains(values, was) {
		c.tell()
	}
}

// workloadsOf are the names of a run's workloads, in its order.
func workloadsOf(run *bundle.Run) []string {
	return valuesOf(run, func(r *workloads.Result) string { return r.Workload })
}

// valuesOf are the values that results have, in their order.
func valuesOf(run *bundle.Run, of func(*workloads.Result) string) []string {
	var list []string
	seen := map[string]bool{}
	for i := range run.Results {
		if v := of(&run.Results[i]); v != "" && !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}
