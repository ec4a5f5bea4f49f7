package desk

import (
	"assay/app"
	"assay/app/bundle"
)

// Types of the documents that Assay opens, by extension.
const (
	WeightsType = app.WeightsType
	RunType     = bundle.Type
)

// RunFile identifies a run bundle, and represents it in dialogs that cannot choose folders.
const RunFile = "run.json"

// The workload and parameters for a file of weights.
const (
	WeightsWorkload = "quantization"
	WeightsSource   = "weights"
	FromFile        = "file" // the value of WeightsSource that measures the file's only
	WeightsFile     = "file"
)
