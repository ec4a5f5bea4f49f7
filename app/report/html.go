package report

import (
	"assay/workloads"
	"io"
)

func WriteHTML(w io.Writer, r *Run, all []workloads.Workload) error { return nil }
