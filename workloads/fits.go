package workloads

import (
	"fmt"

	"assay/internal/si"
	"assay/internal/stats"
)

// Fit is the outcome of a search for the largest value of an axis that fits into memory.
type Fit struct {
	Subject Subject
	Axis    Axis
	Budget  float64 // bytes
	At      float64 // the largest that fits; 0: none
	Bytes   float64 // allocated at that value
	Next    float64 // the smallest that does not fit; 0: everything that can be requested fits
	Needs   float64 // bytes needed there
	By      string  // what made Next fail although the budget has room for it: "this machine’s memory"; empty: the budget is the limit
	Result  *Result // evidence: where it was allocated, or did not fit
}

// Finding says what fits. It marks a result only if it fits.
func (f *Fit) Finding() Finding {
	out := Finding{Kind: KindFits, Facts: Facts{Subject: f.Subject, Axis: f.Axis, Place: nowhere(), Unit: "B", Limit: f.Budget, Metric: HeldBytes}}
	if f.At > 0 {
		out.Facts.Place = Place{f.At, f.At, f.At}
		out.Facts.Value = stats.Exact(f.Bytes)
	}
	out.Facts.Best = Extreme{f.Next, stats.Exact(f.Needs)}
	if f.By != "" {
		out.Facts.Reason = f.refused(&out.Facts)
	}
	if f.Result == nil {
		return out
	}
	out.Facts.Evidence = evidence(f.Result)
	if f.At > 0 && f.Result.Status == OK {
		out.Result, out.Case, out.Variant = f.Result.ID, f.Result.Case, f.Result.Variant
	}
	return out
}

// refused says in words that the budget is not the limit, and between which values the limit lies.
func (f *Fit) refused(facts *Facts) string {
	limit := fmt.Sprintf("%s, not the budget of %s, is the limit: ", f.By, si.Bytes(f.Budget))
	next := fmt.Sprintf("%s, which takes %s, was refused", facts.at(f.Next), si.Bytes(f.Needs))
	if f.At == 0 {
		return limit + "even " + next
	}
	return limit + fmt.Sprintf("%s, which takes %s, was allocated; %s", facts.at(f.At), si.Bytes(f.Bytes), next)
}
