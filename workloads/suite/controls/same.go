package controls

import (
	"context"
	"fmt"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench"
)

// Same is a control: it compares a kernel with itself, which must be neither faster nor slower.
func Same() workloads.Workload {
	return workloads.Workload{
		Name: "same", Title: "Same vs. same", Group: group, Control: true, Prove: proveSame,
		About:    "Compares a kernel with itself, alternately, to show that a comparison finds no difference where there is none.",
		Question: "Would Assay see a difference where there is none?",
		Params: []workloads.Param{
			sizeParam(),
			{
				Name: "copies", Title: "Copies", Type: workloads.Int, Unit: "copies", Min: 1, Max: 32, Default: 5, Role: workloads.RoleCase,
				About: "Copies of the kernel to compare with the first, on the same buffers, just as other workloads compare variants.",
			},
			{
				Name: "matters", Title: "Difference that matters", Type: workloads.Float, Unit: "%", Min: 0.1, Max: 50, Default: 2.0,
				Role: workloads.RoleCase, About: "Relative difference up to which two times count as equal.",
			},
		},
		Quick: map[string]any{"size": 256, "copies": 3},
		Run:   run(runSame),
		Axes:  axes(), Views: views(),
	}
}

// Names of the case and of its baseline.
const (
	sameCase  = "same kernel"
	sameFirst = "kernel"
)

func runSame(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	names := []string{sameFirst}
	for i := range v.Int("copies") {
		names = append(names, fmt.Sprintf("copy %d", i+1))
	}
	build := func(s *bench.Scope) ([]bench.Variant, error) { return products(s, v.Int("size"), names...) }
	return b.MeasureAll(ctx, []bench.Case{named(sameCase, build)})
}

func proveSame(s workloads.Seen) workloads.Proof {
	if p := untimedCase(s.Results, sameCase); p != nil {
		return *p
	}
	matters := s.Values.Float("matters") / 100
	switch apart, unsure := differences(s.Results, matters); {
	case apart != "":
		return workloads.Missed(apart)
	case unsure != "":
		return workloads.Undecided(unsure)
	}
	return workloads.Passed(fmt.Sprintf("the kernel is as fast as itself within ± %s %%, in %s", si.Digits(100*matters), si.Counted(len(s.Results)-1, "comparison")))
}

// differences compares results of the same kernel with their baseline: the difference found, and why there may be one.
func differences(results []workloads.Result, matters float64) (apart, unsure string) {
	rule := stats.Rule{Floor: matters, Matters: matters}
	for i := range results {
		r := &results[i]
		if r.Baseline == "" {
			continue
		}
		text, disturbed := r.Disturbed()
		switch verdict := rule.Judge(r.Speedup()); {
		case verdict == stats.Same:
		case disturbed:
			unsure = r.Variant + " was " + text
		case verdict == stats.Unsure:
			unsure = fmt.Sprintf("%s is %s to %s times as fast, too wide an interval to decide", r.Variant, si.Digits(r.Speedup().Lo), si.Digits(r.Speedup().Hi))
		default:
			apart = fmt.Sprintf("%s of the same kernel was called %s (%s times as fast)", r.Variant, verdict, si.Digits(r.Speedup().Median))
		}
	}
	return apart, unsure
}
