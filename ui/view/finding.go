package view

import (
	"strings"

	"assay/internal/plain"
	"assay/workloads"
)

// FindingText returns the sentence of a finding after its kind; some sentences already begin with their subject and the kind.
func FindingText(f *workloads.Finding) string {
	if strings.Contains(f.Text, ": "+f.Kind) {
		return f.Text
	}
	return plain.Capitalized(f.Kind) + ": " + f.Text
}
