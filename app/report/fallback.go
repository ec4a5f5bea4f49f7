package report

import (
	"strings"

	"assay/app/bundle"
	"assay/internal/chart"
)

// MarkCaveats marks a chart at its X axis if the run is on a processor although nobody asked for it, or is no timing run.
func MarkCaveats(m *bundle.Meta, c *chart.Model) *chart.Model {
	var marks []string
	if m.Fallback() != "" {
		marks = append(marks, "fallback to the CPU")
	}
	if m.NotTiming() != "" {
		marks = append(marks, bundle.NotTimingRun)
	}
	if len(marks) == 0 || c == nil {
		return c
	}
	marked := *c
	marked.X.Title = strings.TrimPrefix(strings.Join(append([]string{marked.X.Title}, marks...), " · "), " · ")
	return &marked
}
