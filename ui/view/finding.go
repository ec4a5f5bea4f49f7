package view

import (
	"strings"

	"assay/internal/plain"
	"assay/workloads"
)

// FindingText is the sentence of a finding after its kind, which some sentences begin with themselves, after their subject.
func FindingText(f *workloads.Finding) string {
	if strings.Contains(f.Text, ": "+f.Kind) {
		return f.Text
	}
	return plain.Capitalized(f.Kind) + ": " + f.Text
}
