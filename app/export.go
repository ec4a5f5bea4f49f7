package app

import (
	"assay/app/report"
	"assay/workloads"
)

// Export writes a run to a file: "csv", "json", "html" or "bench". An existing file is replaced as a whole or left alone.
func Export(r *Run, all []workloads.Workload, format, path string) error {
	return report.ExportFile(r, all, format, path)
}

// StatusTitle is a status in words.
func StatusTitle(s workloads.Status) string { return report.StatusTitle(s) }
