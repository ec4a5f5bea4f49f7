package resultspage

import (
	"slices"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// filterBar filters rows: by words, by workload, variant and status, and by findings.
type filterBar struct {
	*kit.FormBar
	filter report.Filter // except its text
	words  []string      // in lower case
}

func newFilterBar(changed func()) *filterBar {
	f := &filterBar{}
	f.FormBar = kit.NewFormBar([]kit.Field{
		{Name: "words", Title: "Filter: words in any column"},
		{Name: "workload", Title: "All workloads", Kind: kit.ChoiceField},
		{Name: "variant", Title: "All variants", Kind: kit.ChoiceField},
		{Name: "status", Title: "Any status", Kind: kit.ChoiceField},
		{Name: "marked", Title: "With findings", Kind: kit.SwitchField},
	}, func() {
		f.apply()
		changed()
	})
	return f
}

// apply applies the choices of the bar.
func (f *filterBar) apply() {
	f.words = f.Words()
	f.filter = report.Filter{
		Workload: f.Choice("workload"), Variant: f.Choice("variant"), Status: workloads.Status(f.Choice("status")), Marked: f.On("marked"),
	}
}

// offer fills the bar's menus from a run. Properties that do not vary cannot be chosen.
func (f *filterBar) offer(m *desk.Model, run *bundle.Run) {
	names := kit.ChoicesOf(valuesOf(run, func(r *workloads.Result) string { return r.Workload }))
	for i := range names {
		names[i].Title = m.Title(names[i].Value)
	}
	f.Offer("workload", names)
	f.Offer("variant", kit.ChoicesOf(valuesOf(run, func(r *workloads.Result) string { return r.Variant })))
	statuses := kit.ChoicesOf(valuesOf(run, func(r *workloads.Result) string { return string(r.Status) }))
	for i := range statuses {
		statuses[i].Title = workloads.Status(statuses[i].Value).Title()
	}
	f.Offer("status", statuses)
	found := slices.ContainsFunc(run.Results, func(r workloads.Result) bool { return len(r.Marks) > 0 })
	kit.Show(f.Input("marked").Check, f.filter.Marked || found)
	f.Object.Refresh()
}

// count says how many rows there are.
func (f *filterBar) count(rows, all int) {
	words := si.Counted(all, "row")
	if rows != all {
		words = si.Count(rows) + " of " + words
	}
	f.Tell(words)
}

// valuesOf returns the distinct values of results, in order.
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
