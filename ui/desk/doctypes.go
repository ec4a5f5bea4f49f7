package desk

import (
	"path/filepath"

	"assay/app/bundle"
	"assay/ui/native"
)

// Types of the documents that Assay opens, as names end.
const (
	WeightsType = "safetensors"
	RunType     = bundle.Type
)

// RunFile tells a run bundle from other folders, and stands for it where folders cannot be chosen.
const RunFile = "run.json"

// Workload and parameters that a file of weights is for.
const (
	WeightsWorkload = "quantization"
	WeightsSource   = "weights" // its value "file" measures the file's only
	WeightsFile     = "file"
)

// IsDocument reports whether a name is one of the documents that the window opens: weights or a run.
func IsDocument(path string) bool { return native.HasType(filepath.Clean(path), WeightsType, RunType) }
