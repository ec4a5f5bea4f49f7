package desk

import (
	"assay/app"
	"assay/app/bundle"
)

// RunType is the extension of runs.
const RunType = bundle.Type

// WeightsTypes are the extensions of files of weights.
func WeightsTypes() []string { return app.WeightsTypes() }

// RunFile identifies a run bundle, and represents it in dialogs that cannot choose folders.
const RunFile = "run.json"

// The workload and parameters for a file of weights.
const (
	WeightsWorkload = "quantization"
	WeightsSource   = "weights"
	FromFile        = "file" // the value of WeightsSource that measures the file's only
	WeightsFile     = "file"
	WeightsTensor   = "tensor"
)
