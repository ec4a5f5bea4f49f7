package workloads

import (
	"fmt"
	"math"

	"assay/internal/metric"
	"assay/internal/si"
)

// Metrics of what accumulating in f16 would do to a layer in f16.
const (
	HalfSumsSNR        metric.Name = "f16_sums_snr_db"
	HalfSumsOverflowed metric.Name = "f16_sums_overflowed"
	HalfSumsOf         metric.Name = "f16_sums_of"
)

// HalfSumsMetrics lists them.
func HalfSumsMetrics() metric.List {
	return metric.List{
		{
			Name: HalfSumsSNR, Title: "Output signal to noise with f16 sums", Unit: "dB", Shape: metric.Scalar, Better: metric.More,
			About: "Signal-to-noise ratio that the layer’s output would have if products were summed in f16, in order; computed on the host, because all kernels sum in f32.",
		},
		{
			Name: HalfSumsOverflowed, Title: "f16 sums overflowed", Shape: metric.Count, Better: metric.Less,
			About: "Outputs that would be infinite if products were summed in f16.",
		},
		{
			Name: HalfSumsOf, Title: "f16 sums judged", Shape: metric.Count,
			About: "Outputs that those two figures cover: all, or an evenly spaced sample of a large layer’s.",
		},
	}
}

// losesByHalfSums is how many dB the loss compared with f32 sums must be to be worth advice: one bit.
const losesByHalfSums = 6

// HalfSums says of a result in f16 what its output would lose with sums in f16. There is no finding if that is not known, or if the weights are infinite in
// f16, in which case sums in f32 overflow as well.
func HalfSums(r *Result, s Subject) []Finding {
	by, of := r.Number(HalfSumsSNR), r.Number(HalfSumsOf)
	if r.Status != OK || math.IsNaN(by) && !(r.Number(HalfSumsOverflowed) > 0) || !(of > 0) || r.Number(Overflowed) > 0 {
		return nil
	}
	return []Finding{{Kind: KindHalfSums, Result: r.ID, Case: r.Case, Variant: r.Variant, Facts: Facts{
		Subject: s, Place: nowhere(), Quality: r.Number(OutputSNR), Limit: by, Evidence: evidence(r),
		Holds: Span{Count: int(r.Number(HalfSumsOverflowed)), Of: int(of)},
	}}}
}

func (f *Facts) halfSums() string {
	if f.Holds.Count > 0 {
		return fmt.Sprintf("%s: with sums in f16, %s of %s would overflow. Accumulate in f32.", f.Subject.Name, si.Count(f.Holds.Count), si.Counted(f.Holds.Of, "output"))
	}
	text := fmt.Sprintf("%s: with sums in f16, the output would have %s signal to noise; with sums in f32, it has %s", f.Subject.Name, decibels(f.Limit), decibels(f.Quality))
	if f.Quality-f.Limit >= losesByHalfSums {
		return text + "; none would overflow. Accumulate in f32."
	}
	return text + "; none would overflow."
}
