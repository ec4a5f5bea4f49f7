package report

import (
	"assay/internal/plain"
	"assay/workloads"
)

// PairTable shows two variants of each case side by side: their times, and how many times as long the first takes, with
// intervals. It has no rows if the workload compares none.
type PairTable struct {
	Title string
	Head  []string
	Rows  [][]string // the first cell of each row is a name, the others are numbers
}

// Pairs makes the table of a workload.
func Pairs(w *workloads.Workload, results []workloads.Result) PairTable {
	pairs := w.Paired(results)
	if len(pairs) == 0 {
		return PairTable{}
	}
	t := PairTable{
		Title: w.Pairs.Title,
		Head:  []string{w.Axis(w.Pairs.Axis).Title, plain.Capitalized(w.Pairs.Baseline), plain.Capitalized(w.Pairs.Way), w.Pairs.Ratio},
	}
	for _, p := range pairs {
		t.Rows = append(t.Rows, []string{plain.Text(p.Name), FormatInterval(p.Baseline.Time()), FormatInterval(p.Way.Time()), RatioText(p.Way.Speedup())})
	}
	return t
}
