package workloads

import (
	"fmt"

	"assay/internal/metric"
	"assay/internal/si"
	"assay/internal/stats"
)

// Metrics of the decisions of a network in a number format.
const (
	Accuracy     metric.Name = "accuracy"
	AccuracyLost metric.Name = "accuracy_lost"
	Agreement    metric.Name = "agreement"
)

// DecisionMetrics lists the metrics of workloads that compare the decisions of networks.
func DecisionMetrics() metric.List {
	return metric.List{
		{
			Name: Accuracy, Title: "Accuracy", Unit: "ratio", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Share of held-out examples that the network classifies correctly, with Wilson’s interval.",
		},
		{
			Name: AccuracyLost, Title: "Accuracy lost", Unit: "ratio", Shape: metric.Interval, Better: metric.Less, Shown: true,
			About: "Accuracy of the network in f32 minus that in the format, in percentage points, on the same examples; a paired interval.",
		},
		{
			Name: Agreement, Title: "Agreement", Unit: "ratio", Shape: metric.Interval, Better: metric.More, Shown: true, Spare: 3,
			About: "Share of the examples that the format classifies as f32 does, right or wrong.",
		},
	}
}

// Keeping finds the smallest format that keeps the accuracy: one that is shown to lose at most the share `Allowed`.
type Keeping struct {
	Subject Subject  // Baseline is the lossless variant
	Results []Result // of one case
	Allowed float64
	Weights float64 // the number of weights that Footprint is the size of
}

// Smallest returns the finding; none without a format besides the baseline. If no format keeps the accuracy, it names the one that comes
// closest.
func (k *Keeping) Smallest() []Finding {
	var whole, best, closest *Result
	for i := range k.Results {
		r := &k.Results[i]
		lost := r.Get(AccuracyLost)
		switch {
		case r.Variant == k.Subject.Baseline && r.Status == OK:
			whole = r
			continue
		case r.Variant == k.Subject.Baseline || r.Status != OK || !lost.Bounded():
			continue
		case lost.Hi <= k.Allowed && (best == nil || smallerOrBetter(r, best)):
			best = r
		}
		if closest == nil || lost.Hi < closest.Get(AccuracyLost).Hi {
			closest = r
		}
	}
	chosen := best
	if best == nil {
		chosen = closest
	}
	if whole == nil || chosen == nil {
		return nil
	}
	f := Finding{Kind: KindKept, Result: chosen.ID, Case: chosen.Case, Variant: chosen.Variant, Facts: Facts{
		Subject: k.Subject, Limit: k.Allowed, Place: nowhere(), Value: chosen.Get(AccuracyLost), Best: Extreme{Value: chosen.Get(Accuracy)},
		PerItem: 8 * chosen.Number(Footprint) / k.Weights, Shrinks: whole.Number(Footprint) / chosen.Number(Footprint),
		Evidence: evidence(chosen, whole),
	}}
	if best == nil {
		f.Result, f.Case, f.Variant, f.Facts.Nearest = "", "", "", chosen.Variant // of all formats
	}
	return []Finding{f}
}

// smallerOrBetter reports whether a is smaller than b, or of the same size and loses less accuracy.
func smallerOrBetter(a, b *Result) bool {
	if a.Number(Footprint) == b.Number(Footprint) {
		return a.Get(AccuracyLost).Hi < b.Get(AccuracyLost).Hi
	}
	return a.Number(Footprint) < b.Number(Footprint)
}

func (f *Facts) kept(variant string) string {
	numbers := fmt.Sprintf("%s correct, %s points lost", inPercent(f.Best.Value), inPoints(f.Value))
	if f.Nearest != "" {
		return fmt.Sprintf("%s: no measured format is shown to lose at most %s percentage points of %s’s accuracy; %s comes closest, with %s.", f.Subject.Name,
			si.Digits(100*f.Limit), f.Subject.Baseline, f.Nearest, numbers)
	}
	return fmt.Sprintf("%s: %s is the smallest measured format that loses at most %s percentage points of %s’s accuracy, with %s, at %.3g bits per weight (%s).", f.Subject.Name,
		variant, si.Digits(100*f.Limit), f.Subject.Baseline, numbers, f.PerItem, sizeText(f.Shrinks, ""))
}

// inPercent is a share with its interval.
func inPercent(s stats.Interval) string {
	return fmt.Sprintf("%s %% (%s to %s)", si.Digits(100*s.Median), si.Digits(100*s.Lo), si.Digits(100*s.Hi))
}

// inPoints is a difference of shares with its interval.
func inPoints(s stats.Interval) string {
	return fmt.Sprintf("%s (%s to %s)", si.Digits(100*s.Median), si.Digits(100*s.Lo), si.Digits(100*s.Hi))
}
