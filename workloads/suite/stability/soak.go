// Package stability has the workloads for sustained performance.
package stability

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/chart"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Soak repeats the same work for minutes and tracks its throughput.
func Soak() workloads.Workload {
	return workloads.Workload{
		Name: "soak", Title: "Soak", Group: "Stability", Series: true,
		About:    "Does throughput hold over minutes of the same work, or drift as the machine heats up?",
		Question: "Does the machine keep its speed for minutes, or throttle?",
		Params: []workloads.Param{
			{
				Name: "work", Title: "Work", Type: workloads.Choice, Choices: workOptions(), Default: "product", Role: workloads.RoleCase,
				About: "The work to repeat.",
			},
			{
				Name: "size", Title: "Matrix side", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Default: 1024,
				Role: workloads.RoleCase, About: "Rows and columns of the matrices; for attention, the number of queries and keys.",
			},
			{
				Name: "dtype", Title: "Number format", Type: workloads.Choice, Choices: workloads.Options("f32", "f16"), Default: "f32",
				Role: workloads.RoleCase, About: "Format of the operands; sums are always in f32.", Applies: hasFormats,
			},
			{
				Name: "duration", Title: "Duration", Type: workloads.Float, Unit: "s", Min: 1, Max: 172800, Default: 180.0,
				Role: workloads.RoleBudget, About: "Duration of the run; heat takes minutes to show.",
			},
			{
				Name: "window", Title: "Window", Type: workloads.Float, Unit: "s", Min: 0, Max: 60, Default: 0.0,
				Role: workloads.RoleBudget, About: "Measuring time per point of the curve; 0: 5 s, or 1/240 of the duration in runs over 20 minutes.",
			},
		},
		Axes:  []workloads.Axis{{Name: "work", Title: "Work"}, {Name: "size", Title: "Matrix side", Unit: "rows"}, bench.FoundOperands(), bench.FoundKernel(), bench.Elapsed()},
		Quick: map[string]any{"duration": 10.0, "window": 0.5},
		Presets: []workloads.Preset{
			workloads.QuickLook("Ten seconds: a functional check, too short for heat.", map[string]any{"duration": 10.0, "window": 0.5}),
			{
				Name: "half-an-hour", Title: "Half an hour", About: "Long enough for a fanless machine to reach thermal equilibrium.",
				Values: workloads.Values{"duration": 1800.0, "window": 15.0},
			},
			{
				Name: "memory", Title: "Memory", About: "Three minutes of a triad beyond the caches: does the memory keep its bandwidth?",
				Values: workloads.Values{"work": "triad", "size": 4096},
			},
			{
				Name: "a-day", Title: "A day", About: "A mix of work, with a window a minute: a record that stays small.",
				Values: workloads.Values{"work": "mixed", "duration": 86400.0, "window": 60.0},
			},
		},
		Metrics: bench.SeriesMetrics(),
		Valid: func(v workloads.Values) error {
			if w := v.Float("window"); w > 0 && w < minWindow {
				return &workloads.ParamError{Params: []string{"window"}, Text: fmt.Sprintf("{window} is %g s; the minimum is %g s, or 0 for an automatic choice", w, minWindow)}
			}
			if v.Float("window") > v.Float("duration") {
				return &workloads.ParamError{
					Params: []string{"window", "duration"},
					Text:   fmt.Sprintf("{window} is %g s, longer than {duration}, which is %g s", v.Float("window"), v.Float("duration")),
				}
			}
			return nil
		},
		Run: bench.Run(runSoak),
		Views: []chart.View{
			{
				Facet: "work", X: chart.Enc{Of: "elapsed"}, Y: chart.Enc{Of: string(workloads.Throughput)}, Ys: []chart.Enc{{Of: string(workloads.Bandwidth)}},
				Layers: []chart.Layer{chart.Lines{}},
			},
		},
	}
}

func workOptions() []workloads.Option {
	var list []workloads.Option
	for _, w := range works() {
		list = append(list, workloads.Option{Value: w.name, Title: w.title, About: w.about})
	}
	return list
}

// chosen returns the work selected by the values.
func chosen(v workloads.Values) work {
	all := works()
	return all[slices.IndexFunc(all, func(w work) bool { return w.name == v.String("work") })]
}

// hasFormats rejects a choice of format for work that has only one.
func hasFormats(v workloads.Values) error {
	if w := chosen(v); w.f32 {
		return fmt.Errorf("%s is measured in f32 only", w.name)
	}
	return nil
}

func runSoak(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	w, t, n := chosen(v), bench.Types(v.String("dtype"))[0], v.Int("size")
	if w.f32 {
		t = shaders.F32
	}
	c := bench.Case{
		Name:     fmt.Sprintf("%s %d", w.name, n),
		Settings: workloads.Point{{Name: "work", Value: w.name}, {Name: "size", Value: n}},
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			launches, err := s.Chain(w.steps(t, n), bench.Buffers{})
			return []bench.Variant{{Name: t.String(), Work: s.Launches(launches), Items: 1, Err: err}}, nil
		},
	}
	if err := b.Follow(ctx, c, seconds(v.Float("duration")), seconds(windowOf(v))); err != nil {
		return err
	}
	along := series(b, w, t)
	b.Find(along.Drift()...)
	b.Find(along.Anchored()...)
	b.Find(along.Conditions()...)
	return nil
}

// minWindow is the minimum window length, in seconds.
const minWindow = 0.1

// windowOf returns the length of a window, in seconds. Long runs have longer windows, so that their record stays small.
func windowOf(v workloads.Values) float64 {
	if w := v.Float("window"); w > 0 {
		return w
	}
	return min(max(5, v.Float("duration")/240), v.Float("duration"))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// series returns the curve over time; empty if anything failed, so that there is no finding.
func series(b *bench.Bench, w work, t shaders.Type) *workloads.Curve {
	c := &workloads.Curve{
		Axis: b.Workload.Axis("elapsed"), Unit: w.unit, Subject: workloads.Subject{Name: fmt.Sprintf("%s in %v", w.subject, t), Plural: true}, Of: w.of,
	}
	for _, r := range b.Results() {
		if r.Status != workloads.OK {
			c.Results = nil
			break
		}
		c.Results = append(c.Results, r)
	}
	return c
}
