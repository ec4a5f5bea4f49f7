package app

import (
	"assay/app/report"
	"assay/workloads"
)

// Export writes a run to a file: "csv", "json" or "html". An existing file is replaced as a whole or left alone.
func Export(r *Run, all []workloads.Workload, format, path string) error {
	return report.ExportFile(r, all, format, path)
}
