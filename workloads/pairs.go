package workloads

import (
	"cmp"
	"slices"
)

// Pairs is a table that puts two variants of each case side by side: how long each takes, and their ratio.
type Pairs struct {
	Title    string // of the table
	Axis     string // the axis whose value names a row
	Baseline string // the variant that the other is compared with
	Way      string // the other
	Ratio    string // heading of the ratio
}

// Pair is one case in the table.
type Pair struct {
	Name          string // its place on the axis
	Baseline, Way *Result
}

// Paired returns the cases in which both variants have a time, those with the longest baseline first.
func (w *Workload) Paired(results []Result) []Pair {
	if w.Pairs == nil {
		return nil
	}
	var all []Pair
	for i := range results {
		way := &results[i]
		if way.Workload != w.Name || way.Variant != w.Pairs.Way || way.Status != OK {
			continue
		}
		at := slices.IndexFunc(results, func(r Result) bool {
			return r.Job == way.Job && r.Workload == w.Name && r.Case == way.Case && r.Variant == w.Pairs.Baseline && r.Status == OK
		})
		if name, ok := way.Setting(w.Pairs.Axis).(string); ok && at >= 0 {
			all = append(all, Pair{name, &results[at], way})
		}
	}
	slices.SortStableFunc(all, func(a, b Pair) int {
		return cmp.Compare(b.Baseline.Time().Median, a.Baseline.Time().Median)
	})
	return all
}
