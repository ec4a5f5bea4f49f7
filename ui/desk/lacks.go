package desk

import (
	"assay/internal/plain"
	"assay/workloads"
)

// Lacks returns what the engine of the next run cannot measure of a workload; none while the engine is unknown.
func (m *Model) Lacks(workload string) workloads.Lacks {
	if e := m.NextEngine(); e != nil {
		return e.Lacks[workload]
	}
	return nil
}

// Unavailable says why the engine of the next run cannot measure any of a workload; empty if it can.
func (m *Model) Unavailable(workload string) string {
	why := m.Lacks(workload).Whole()
	if why == "" {
		return ""
	}
	return "Not available on " + m.NextEngine().Title + ": " + plain.Text(why) + "."
}

// Unmeasurable returns what in the form of a workload the engine of the next run cannot measure; nil: nothing.
func (m *Model) Unmeasurable(w *workloads.Workload, v workloads.Values) error {
	if list := m.Lacks(w.Name); len(list) > 0 {
		return list.Refuse(w, v, m.NextEngine().Title)
	}
	return nil
}
