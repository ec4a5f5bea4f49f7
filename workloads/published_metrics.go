package workloads

import "assay/internal/metric"

// Metrics of figures that others published for the same work.
const (
	Published     metric.Name = "published"
	PublishedIn   metric.Name = "published_source"
	PublishedGaps metric.Name = "published_gaps"
)

// PublishedMetrics lists the metrics of workloads that show published figures next to their own.
func PublishedMetrics() metric.List {
	return metric.List{
		{
			Name: Published, Title: "Published", Shape: metric.Text,
			About: "What others published for the same work on other machines; nothing here is computed from it.",
		},
		{Name: PublishedIn, Title: "Published in", Shape: metric.Text, About: "Source of the published figure."},
		{Name: PublishedGaps, Title: "Not stated there", Shape: metric.Text, About: "What the source leaves out, and what was measured here."},
	}
}
