package app

import "assay/app/report"

// The comparison of a run with a baseline.
type (
	Comparison    = report.Comparison
	ComparisonRow = report.ComparisonRow
	Verdict       = report.Verdict
)

// Verdicts of a comparison's rows.
const (
	Faster        = report.Faster
	Slower        = report.Slower
	NoDifference  = report.NoDifference
	NotComparable = report.NotComparable
)

// The least relative difference between two runs that counts, and that where other programs took more than QuietShare
// of the processor. Comparison.Floor is the one that holds.
const (
	NoiseFloor = report.NoiseFloor
	BusyFloor  = report.BusyFloor
	QuietShare = report.QuietShare
)

// Compare holds a run against a baseline, result by result.
func Compare(base, run *Run) *Comparison { return report.Compare(base, run) }

// Markdown is a table of a run's results for the clipboard. The rows are indices of its results; append
// Comparison.Columns to the columns to have a baseline in it.
func Markdown(r *Run, columns []Column, rows []int) string { return report.Markdown(r, columns, rows) }
