package workloads

import (
	"assay/internal/stats"
)

// Fit is what a search for the largest value of an axis that fits into memory found.
type Fit struct {
	Subject Subject
	Axis    Axis
	Budget  float64 // bytes
	At      float64 // the largest that fits; 0: none
	Bytes   float64 // there, as allocated
	Next    float64 // the smallest that does not fit; 0: all fit that can be asked for
	Needs   float64 // bytes there
	Result  *Result // evidence: where it was allocated, or was refused
}

// Finding says what fits.
func (f *Fit) Finding() Finding {
	out := Finding{Kind: KindFits, Facts: Facts{Subject: f.Subject, Axis: f.Axis, Place: nowhere(), Unit: "B", Limit: f.Budget, Metric: HeldBytes}}
	if f.At > 0 {
		out.Facts.Place = Place{f.At, f.At, f.At}
		out.Facts.Value = stats.Exact(f.Bytes)
	}
	out.Facts.Best = Extreme{f.Next, stats.Exact(f.Needs)}
	if f.Result != nil {
		out.Result, out.Case, out.Variant, out.Facts.Evidence = f.Result.ID, f.Result.Case, f.Result.Variant, evidence(f.Result)
	}
	return out
}
