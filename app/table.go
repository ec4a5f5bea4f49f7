package app

import (
	"assay/app/report"
	"assay/workloads"
)

// Column is a column of the results table, Filter picks its rows.
type (
	Column = report.Column
	Filter = report.Filter
)

// Columns lists what a table of a run's results can show, in order.
func Columns(meta *Meta, all []workloads.Workload) []Column { return report.ResultColumns(meta, all) }

// FindColumn is the column of that name.
func FindColumn(columns []Column, name string) (*Column, bool) {
	return report.FindColumn(columns, name)
}

// SortRows sorts indices of results by a column; what is not known is last, either way.
func SortRows(results []workloads.Result, rows []int, c *Column, descending bool) {
	report.SortRows(results, rows, c, descending)
}
