package desk

import (
	"path/filepath"

	"assay/app/bundle"
	"assay/ui/native"
)

// Types of the documents that Assay opens, by extension.
const (
	WeightsType = "safetensors"
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

// IsDocument reports whether a name is one of the documents that the window opens: weights or a run.
func IsDocument(path string) bool { return native.HasType(filepath.Clean(path), WeightsType, RunType) }
