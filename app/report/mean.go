package report

import (
	"fmt"
	"math"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// Mean is the geometric mean of the ratios of rows.
type Mean struct {
	// Ratio has the interval that holds if all rows err in the same direction, as rows of the same two runs may.
	Ratio   stats.Interval
	Rows    int
	LeftOut int           // rows that were disturbed
	Verdict stats.Verdict // NotComparable if the devices differ
}

// Geomean returns the geometric mean of the ratios of a workload's comparable rows, including those of different devices.
// Disturbed rows are left out. Without rows the ratio is unknown.
func (c *Comparison) Geomean(workload string) Mean {
	m := Mean{Ratio: stats.Unknown(), Verdict: stats.Unsure}
	var median, lo, hi, floor float64
	apart, shown := false, map[stats.Verdict]bool{}
	for i := range c.Rows {
		r := &c.Rows[i]
		switch {
		case r.Workload != workload:
		case r.busy:
			m.LeftOut++
		case r.Verdict != NotComparable || r.Apart:
			median, lo, hi = median+math.Log(r.Ratio.Median), lo+logOf(r.Ratio.Lo, -1), hi+logOf(r.Ratio.Hi, 1)
			floor, apart = max(floor, r.floor), apart || r.Apart
			shown[r.Verdict] = true
			m.Rows++
		}
	}
	if m.Rows == 0 {
		return m
	}
	n := float64(m.Rows)
	m.Ratio = stats.Unbounded(math.Exp(median / n))
	if !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		m.Ratio.Lo, m.Ratio.Hi = math.Exp(lo/n), math.Exp(hi/n)
	}
	switch v := (stats.Rule{Floor: floor}).Judge(m.Ratio); {
	case apart:
		m.Verdict = NotComparable
	case v == stats.Same || shown[v]: // a mean must not show what no row shows
		m.Verdict = v
	}
	return m
}

// logOf returns the logarithm of an end of an interval; infinite, with a sign, if it has none.
func logOf(end float64, sign int) float64 {
	if !(end > 0) {
		return math.Inf(sign)
	}
	return math.Log(end)
}

// Differs reports whether rows differ, or are from different devices: otherwise no mean is worth reporting.
func (c *Comparison) Differs(workload string) bool {
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Workload == workload && (r.Apart || r.Verdict == stats.Faster || r.Verdict == stats.Slower) {
			return true
		}
	}
	return false
}

// Words states the mean as far as it is shown: "1.52× faster than 1 (1.40–1.60), geometric mean of 3 rows".
func (m Mean) Words(base string) string {
	of := "geometric mean of " + si.Counted(m.Rows, "row")
	if m.LeftOut > 0 {
		of += ", " + si.Counted(m.LeftOut, "disturbed one") + " left out"
	}
	change := si.ChangeFrom(m.Ratio.Median, m.Ratio.Lo, m.Ratio.Hi, base)
	switch m.Verdict {
	case stats.Faster, stats.Slower:
		return change + ", " + of
	case NotComparable:
		return change + ", no verdict, " + of
	}
	ratio := si.Ratio(m.Ratio.Median) + " the speed"
	if m.Ratio.Bounded() {
		ratio += fmt.Sprintf(" (%s to %s)", si.Ratio(m.Ratio.Lo), si.Ratio(m.Ratio.Hi))
	}
	if m.Verdict == stats.Same {
		return "no difference: " + ratio + ", " + of
	}
	return "no difference shown: " + ratio + ", " + of
}

// doubtful reports whether the machine's load makes a row unfit for a mean.
func (l load) doubtful(base, run *workloads.Result) bool {
	return base != nil && run != nil && (l.floor >= BusyFloor || l.reason != "")
}
