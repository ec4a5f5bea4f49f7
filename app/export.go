package app

import (
	"assay/app/report"
	"assay/internal/chart"
	"assay/workloads"
)

// Export writes a run to a file: "csv", "json", "html" or "bench". An existing file is replaced as a whole or left alone.
func Export(r *Run, all []workloads.Workload, format, path string) error {
	return report.ExportFile(r, all, format, path)
}

// Chart is what to draw of a workload's results, as plain data.
type Chart = report.Chart

// ChartPoint is a point of a chart.
type ChartPoint = report.Point

// Charts lists what to draw of a workload's results, for the window and the report alike.
func Charts(results []workloads.Result, w *workloads.Workload) []Chart {
	return report.Charts(results, w)
}

// PlotUnit is the unit in which a chart's numbers are drawn, and the factor to it.
func PlotUnit(unit string) (factor float64, u chart.Unit) { return report.PlotUnit(unit) }

// LastPart is the variant in the label of a point.
func LastPart(label string) string { return report.LastPart(label) }

// StatusTitle is a status in words.
func StatusTitle(s workloads.Status) string { return report.StatusTitle(s) }
