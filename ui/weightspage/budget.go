package weightspage

import (
	"math"

	"assay/app"
	"assay/internal/si"
	"assay/ui/view"
)

// budgetKind is a quantity that limits a plan.
type budgetKind struct {
	title string
	kept  string // the setting that remembers the slider's position
	// limits returns the ends, the step and the initial position of the slider.
	limits func(s *app.Survey) (lo, hi, step, first float64)
	words  func(at float64) string
	budget func(at float64) app.WeightsBudget
}

// The slider of an SNR: its step, its initial value, and its end; beyond that there is little to choose.
const (
	snrStep      = 0.5
	snrAtFirst   = 30
	maxSNRBudget = 60
)

// sizeSteps is how many steps the slider of a size has.
const sizeSteps = 200

// budgetKinds lists them all.
func budgetKinds() []budgetKind {
	return []budgetKind{
		{
			title: "Plan: at least this SNR", kept: "weights.budget",
			limits: func(s *app.Survey) (lo, hi, step, first float64) {
				lo, hi = s.Limits()
				lo, hi = math.Floor(lo/snrStep)*snrStep, math.Ceil(min(hi, maxSNRBudget)/snrStep)*snrStep
				return lo, max(hi, lo+snrStep), snrStep, snrAtFirst
			},
			words:  func(at float64) string { return si.Format(at, "dB") },
			budget: func(at float64) app.WeightsBudget { return app.WeightsBudget{SNR: max(at, snrStep)} },
		},
		{
			title: "Plan: at most this size", kept: "weights.budget.bytes",
			limits: func(s *app.Survey) (lo, hi, step, first float64) {
				curve := s.Curve()
				if len(curve) == 0 {
					return 1, 2, 1, 1
				}
				lo, hi = float64(curve[0].Bytes), float64(max(s.File.Bytes, curve[0].Bytes+1))
				return lo, hi, math.Ceil((hi - lo) / sizeSteps), (lo + hi) / 2
			},
			words:  func(at float64) string { return view.Quantity(at, "B") },
			budget: func(at float64) app.WeightsBudget { return app.WeightsBudget{Bytes: int64(math.Ceil(at))} },
		},
	}
}

// kindChoice is the setting that remembers what limits plans.
const kindChoice = "weights.budget.kind"
