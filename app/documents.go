package app

import (
	"path/filepath"
	"slices"
	"strings"

	"assay/app/bundle"
)

// Extensions of the files of weights that Assay opens, without a period.
const (
	WeightsType = "safetensors"
	GGUFType    = "gguf"
)

// WeightsTypes lists the extensions.
func WeightsTypes() []string { return []string{WeightsType, GGUFType} }

// IsDocument reports whether a name is that of a document that the window opens: weights or a run.
func IsDocument(name string) bool {
	ext, dotted := strings.CutPrefix(strings.ToLower(filepath.Ext(filepath.Clean(name))), ".")
	return dotted && slices.Contains(append(WeightsTypes(), bundle.Type), ext)
}
