package desk

import (
	"assay/app"
	"assay/app/bundle"
)

// RunType is the extension of runs.
const RunType = bundle.Type

// WeightsTypes are the extensions of weight files.
func WeightsTypes() []string { return app.WeightsTypes() }

// RunFile identifies a run bundle, and represents it in dialogs that cannot choose folders.
const RunFile = "run.json"

// The workload and parameters for a weight file.
const (
	WeightsWorkload = "quantization"
	WeightsSource   = "weights"
	FromFile        = "file" // the value of WeightsSource that measures only the file's weights
	WeightsFile     = "file"
	WeightsTensor   = "tensor"
)
