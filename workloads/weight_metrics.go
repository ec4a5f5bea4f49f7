package workloads

import "assay/internal/metric"

// Metrics of the accuracy of weights in a number format, before any kernel runs.
const (
	Footprint      metric.Name = "footprint_bytes"
	SNR            metric.Name = "snr_db"
	Cosine         metric.Name = "cosine"
	WeightErrorMax metric.Name = "weight_error_max"
	WeightErrorRel metric.Name = "weight_error_rel"
)

// WeightMetrics lists the metrics of workloads that measure number formats of weights.
func WeightMetrics() metric.List {
	return metric.List{
		{
			Name: Footprint, Title: "Size", Unit: "B", Shape: metric.Scalar, Better: metric.Less, Shown: true, Spare: 2, Work: true,
			About: "What the weights take in their format, with scales and zero points.",
		},
		{
			Name: SNR, Title: "Signal to noise", Short: "SNR", Unit: "dB", Shape: metric.Scalar, Better: metric.More, Shown: true,
			About: "Signal-to-noise ratio of the weights in their format, against the originals.", Phrase: "%s signal to noise",
		},
		{
			Name: Cosine, Title: "Cosine", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 7,
			About: "Cosine of the angle between the weights in their format and the originals; 1 is alike.",
		},
		{
			Name: WeightErrorMax, Title: "Max weight error", Shape: metric.Scalar, Better: metric.Less, Shown: true, Spare: 6,
			About: "Largest difference of a weight in its format from the original.",
		},
		{
			Name: WeightErrorRel, Title: "Relative weight error", Shape: metric.Scalar, Better: metric.Less,
			About: "Norm of the difference of the weights in their format from the originals, relative to that of the originals.",
		},
	}
}
