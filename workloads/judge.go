package workloads

import "slices"

// Decisive returns the parameters that affect only the conclusions from results; none if the workload cannot conclude again.
func (w *Workload) Decisive() []*Param {
	var out []*Param
	for i := range w.Params {
		if p := &w.Params[i]; w.Judge != nil && p.Role == RoleFinding {
			out = append(out, p)
		}
	}
	return out
}

// Word completes a finding of the workload: its name, what to measure next, and its sentence.
func (w *Workload) Word(f *Finding) {
	w.Advise(f)
	f.Workload, f.Text = w.Name, f.Sentence()
}

// Judged draws conclusions again from all results of a job of the workload, which had the values `was`: it returns the findings under the values `now`,
// and the results with the corresponding marks. The given results are not changed.
func (w *Workload) Judged(results []Result, was, now Values) ([]Result, []Finding) {
	before, found := w.Judge(results, was), w.Judge(results, now)
	judged := func(m Mark) bool {
		of := func(f Finding) bool { return f.Kind == m.Kind }
		return slices.ContainsFunc(before, of) || slices.ContainsFunc(found, of)
	}
	marked := slices.Clone(results)
	for i := range marked {
		marked[i].Marks = slices.DeleteFunc(slices.Clone(marked[i].Marks), judged)
	}
	for i := range found {
		w.Word(&found[i])
		found[i].Mark(marked)
	}
	return marked, found
}
