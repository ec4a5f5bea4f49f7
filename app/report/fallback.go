package report

import (
	"strings"

	"assay/app/bundle"
	"assay/internal/chart"
)

// MarkFallback marks a chart of a run that is on a processor though nobody asked for it, at its X axis.
func MarkFallback(m *bundle.Meta, c *chart.Model) *chart.Model {
	if m.Fallback() == "" || c == nil {
		return c
	}
	marked := *c
	marked.X.Title = strings.TrimPrefix(marked.X.Title+" · fallback to the CPU", " · ")
	return &marked
}
