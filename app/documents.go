package app

import (
	"path/filepath"
	"slices"
	"strings"

	"assay/app/bundle"
)

// WeightsType is the extension of the files of weights that Assay opens, without a period.
const WeightsType = "safetensors"

// IsDocument reports whether a name is that of a document, which the window opens: weights or a run.
func IsDocument(name string) bool {
	ext := strings.ToLower(filepath.Ext(filepath.Clean(name)))
	return slices.Contains([]string{"." + WeightsType, bundle.Extension}, ext)
}
