package workloads

import (
	"fmt"

	"assay/internal/metric"
	"assay/workloads/quant"
)

// Metrics of the accuracy of weights in a number format, before any kernel runs.
const (
	Footprint      metric.Name = "footprint_bytes"
	SNR            metric.Name = "snr_db"
	Cosine         metric.Name = "cosine"
	WeightErrorMax metric.Name = "weight_error_max"
	WeightErrorRMS metric.Name = "weight_error_rms"
	WeightErrorRel metric.Name = "weight_error_rel"
	Overflowed     metric.Name = "weights_overflowed"
)

// Metrics of the accuracy of a layer's output with its weights in a number format.
const (
	OutputSNR      metric.Name = "output_snr_db"
	OutputCosine   metric.Name = "output_cosine"
	OutputErrorMax metric.Name = "output_error_max"
	OutputErrorRMS metric.Name = "output_error_rms"
	OutputErrorRel metric.Name = "output_error_rel"
	OutputsJudged  metric.Name = "output_errors_of"

	OutputsOverflowed metric.Name = "outputs_overflowed"
)

// WeightMetrics lists the metrics of workloads that measure number formats of weights.
func WeightMetrics() metric.List {
	return metric.List{
		{
			Name: Footprint, Title: "Size", Unit: "B", Shape: metric.Scalar, Better: metric.Less, Shown: true, Spare: 2, Work: true,
			About: "Size of the weights in their format, with scales and zero points.",
		},
		{
			Name: SNR, Title: "Signal to noise", Short: "SNR", Unit: "dB", Shape: metric.Scalar, Better: metric.More, Shown: true,
			About: "Signal-to-noise ratio of the weights in their format, against the originals.", Phrase: "%s signal to noise",
		},
		{
			Name: Cosine, Title: "Cosine", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 7,
			About: "Cosine of the angle between the weights in their format and the originals; 1 is the same direction.",
		},
		{
			Name: WeightErrorMax, Title: "Max weight error", Shape: metric.Scalar, Better: metric.Less, Shown: true, Spare: 6,
			About: "Largest difference of a weight in its format from the original.",
		},
		{
			Name: WeightErrorRMS, Title: "RMS weight error", Shape: metric.Scalar, Better: metric.Less,
			About: "Root mean square of the differences of the weights in their format from the originals.",
		},
		{
			Name: WeightErrorRel, Title: "Relative weight error", Shape: metric.Scalar, Better: metric.Less,
			About: "Norm of the difference of the weights in their format from the originals, relative to that of the originals.",
		},
		{
			Name: Overflowed, Title: "Weights overflowed", Shape: metric.Count, Better: metric.Less,
			About: "Finite weights that are infinite or NaN in their format.",
		},
	}.Untimed()
}

// OutputMetrics lists the metrics of workloads that compare a layer's output with the output from the original weights.
func OutputMetrics() metric.List {
	return metric.List{
		{
			Name: OutputSNR, Title: "Output signal to noise", Short: "Output SNR", Unit: "dB", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 1,
			About: "Signal-to-noise ratio of the layer’s output, against float64 sums with the original weights and activations.", Phrase: "%s signal to noise of the output",
		},
		{
			Name: OutputCosine, Title: "Output cosine", Shape: metric.Scalar, Better: metric.More,
			About: "Cosine of the angle between the layer’s output and that of float64 sums with the original weights and activations; 1 is the same direction.",
		},
		{
			Name: OutputErrorMax, Title: "Max output error", Shape: metric.Scalar, Better: metric.Less,
			About: "Largest difference of the layer’s output from float64 sums with the original weights and activations.",
		},
		{
			Name: OutputErrorRMS, Title: "RMS output error", Shape: metric.Scalar, Better: metric.Less,
			About: "Root mean square of the differences of the layer’s output from float64 sums with the original weights and activations.",
		},
		{
			Name: OutputErrorRel, Title: "Relative output error", Shape: metric.Scalar, Better: metric.Less,
			About: "Norm of the difference of the layer’s output from float64 sums with the original weights and activations, relative to theirs.",
		},
		{
			Name: OutputsJudged, Title: "Outputs judged", Shape: metric.Count,
			About: "Outputs that the output errors cover: all, or an evenly spaced sample of a large layer’s.",
		},
		{
			Name: OutputsOverflowed, Title: "Outputs overflowed", Shape: metric.Count, Better: metric.Less,
			About: "Outputs that are infinite or NaN in the type that the kernel writes, of those judged.",
		},
	}.Untimed()
}

// DescribeWeights sets the result's values about weights in a format: their errors and their size.
func (r *Result) DescribeWeights(lost *quant.Errors, bytes int64) {
	r.Values.SetNumber(Footprint, float64(bytes))
	r.Values.SetNumber(WeightErrorMax, lost.MaxAbs)
	r.Values.SetNumber(WeightErrorRMS, lost.RMS())
	r.Values.SetNumber(WeightErrorRel, lost.Rel())
	r.Values.SetNumber(Overflowed, float64(lost.Overflows))
	r.Values.SetNumber(SNR, lost.SNR())
	r.Values.SetNumber(Cosine, lost.Cosine())
	if lost.Overflows > 0 {
		r.Warn(Infinite, fmt.Sprintf("%d of %d weights lie beyond the range of the format, which makes them infinite", lost.Overflows, lost.Count))
	}
}
