package controls

import (
	"context"
	"fmt"
	"time"

	"assay/gpu/inject"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// Throttle is a control: the device slows down midway, through injected times, and recovers after a rest.
func Throttle() workloads.Workload {
	return workloads.Workload{
		Name: "throttle", Title: "Throttling", Group: group, Control: true, Prove: proveThrottle,
		About:    "Slows a kernel and the anchor artificially until the device rests, to show that throttled results are discarded and measured again.",
		Question: "Would Assay notice a device that throttles?",
		Params: []workloads.Param{
			sizeParam(),
			{
				Name: "slowdown", Title: "Slowdown", Type: workloads.Float, Unit: "×", Min: 1.4, Max: 10, Default: 2.0, Role: workloads.RoleCase,
				About: "Factor by which times grow while the device is throttled.",
			},
			{
				Name: "rest", Title: "Rest", Type: workloads.Float, Unit: "s", Min: 0.1, Max: 60, Default: 1.0, Role: workloads.RoleCase,
				About: "How long the device must rest to regain its full speed.",
			},
		},
		Quick: map[string]any{"size": 256},
		Run:   run(runThrottle),
		Axes:  axes(), Views: views(),
	}
}

// Cases before and while the device is throttled.
const (
	coolCase = "before"
	hotCase  = "throttled (injected)"
)

func runThrottle(ctx context.Context, b *bench.Bench, v workloads.Values) (err error) {
	heat := inject.Heat{Factor: v.Float("slowdown"), Rest: seconds(v.Float("rest"))}
	b.Engine = inject.Slow(b.Engine, &heat)
	queue, err := b.Engine.NewQueue("throttled deliberately")
	if err != nil {
		return err
	}
	defer queue.Close()
	b.Queue = queue
	limit := anchorLimit(heat.Factor)
	anchor, err := bench.NewAnchor(ctx, b.Engine, measure.AnchorOptions{
		Limit: limit, Recovered: limit / 2, Timeout: 10*time.Second + 4*heat.Rest, Share: 1, Sleep: heat.Sleep,
	})
	if err != nil {
		return err
	}
	defer anchor.Close()
	b.Anchor = anchor.Watch()
	begun := false
	return b.MeasureAll(ctx, []bench.Case{
		named(coolCase, func(s *bench.Scope) ([]bench.Variant, error) { return products(s, v.Int("size"), "product") }),
		named(hotCase, func(s *bench.Scope) ([]bench.Variant, error) {
			if !begun {
				heat.Begin()
			}
			begun = true
			return products(s, v.Int("size"), "product")
		}),
	})
}

// anchorLimit is the drift above which a case is discarded; the slowdown exceeds it.
func anchorLimit(slowdown float64) float64 { return (slowdown - 1) / 4 }

func proveThrottle(s workloads.Seen) workloads.Proof {
	if p := untimedCase(s.Results, coolCase, hotCase); p != nil {
		return *p
	}
	cool, hot := &only(s.Results, coolCase)[0], &only(s.Results, hotCase)[0]
	ratio := hot.Time().Median / cool.Time().Median
	how := fmt.Sprintf("the throttled case took %s times as long as before", si.Digits(ratio))
	text, disturbed := hot.Disturbed()
	slowdown := s.Values.Float("slowdown")
	slow, again := ratio > (1+slowdown)/2, hot.Number(workloads.TimesAgain) >= 1
	switch drift := hot.Number(workloads.AnchorDrift); {
	case disturbed && (slow || !again):
		return workloads.Undecided(how + ", and is marked (" + text + ")")
	case slow && again && drift <= anchorLimit(slowdown):
		return workloads.Undecided(how + " although it was discarded and measured again, once the anchor was as fast as at the start: other programs are slowing this device down")
	case slow:
		return workloads.Missed(how + ", but the result is not marked")
	case !again:
		return workloads.Missed("the throttled case was not measured again")
	}
	return workloads.Passed(fmt.Sprintf("the throttled case was discarded, and measured again after %s of cooling down: it took %s times as long as before",
		si.Time(hot.Number(workloads.CooledBefore)), si.Digits(ratio)))
}
