package workloads

import "assay/internal/metric"

// HeldBytes is the memory that the work of a result holds.
const HeldBytes metric.Name = "held_bytes"

// HeldMetric describes HeldBytes; about says whose memory it is, in one sentence.
func HeldMetric(about string) metric.Metric {
	return metric.Metric{
		Name: HeldBytes, Title: "Memory held", Group: metric.Memory, Unit: "B", Shape: metric.Scalar, Better: metric.Less, Shown: true, Untimed: true, About: about,
	}
}
