package workloads

import "slices"

// Decisive are the parameters that only decide what is concluded from results; none if the workload cannot conclude again.
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

// Judged concludes again from results that were concluded from with the values `was`: what it finds with the values `now`, and
// the results with the marks of that. The results given stay as they are.
func (w *Workload) Judged(results []Result, was, now Values) ([]Result, []Finding) {
	marked := slices.Clone(results)
	for _, f := range w.Judge(results, was) {
		f.Unmark(marked)
	}
	found := w.Judge(results, now)
	for i := range found {
		w.Word(&found[i])
		found[i].Mark(marked)
	}
	return marked, found
}
