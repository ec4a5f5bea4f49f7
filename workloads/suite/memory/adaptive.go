package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// outcome is the outcome of a step: within the limits, or not.
const outcome metric.Name = "outcome"

// Values of outcome.
const (
	withinLimits = "within the limits"
	tooSlow      = "too slow"
	tooLarge     = "too large"
)

// Adaptive changes the batch of an MLP from step to step: up while it is within limits of time and memory, down otherwise.
func Adaptive() workloads.Workload {
	return workloads.Workload{
		Name: "adaptive", Title: "Adaptive batch", Group: "Memory", Series: true,
		About:    "Doubles the batch while it stays within latency and memory limits and halves it when it does not, then searches again by bisection.",
		Question: "Which batch does adaptive batching settle on, if it settles?",
		Params:   adaptiveParams(),
		Axes: []workloads.Axis{
			{Name: "policy", Title: "Policy"},
			{Name: "step", Title: "Step"},
			{Name: "batch", Title: "Batch", Unit: "items", Phrase: "a batch of %s", Measured: true},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Metrics: metric.List{
			workloads.HeldMetric("Bytes of the pool’s buffers for weights and activations together."),
			{Name: outcome, Title: "Outcome", Shape: metric.Text, Shown: true, About: "Whether the whole interval of the time is within the latency limit. A batch beyond the memory limit is too large, and is not timed."},
		},
		Quick: adaptiveQuick(),
		Presets: []workloads.Preset{
			workloads.QuickLook("A small MLP and a limit of 1 ms; takes seconds.", adaptiveQuick()),
			{
				Name: "memory", Title: "Memory limit", About: "No time limit: the batch grows until its buffers exceed 64 MB.",
				Values: workloads.Values{"max_latency": 0.0, "max_memory": 64.0, "max_batch": 4096},
			},
			{
				Name: "published", Title: "Published settings", About: "Only the published bounds: start at 32, between 1 and 128, with no time or memory limit.",
				Values: workloads.Values{"max_latency": 0.0},
			},
		},
		Valid: adaptiveValid,
		Run:   bench.Run(runAdaptive),
		Views: []chart.View{adaptiveView("batch", chart.Log2), adaptiveView(string(workloads.Time), chart.Linear), adaptiveView(string(workloads.ItemRate), chart.Linear)},
	}
}

func adaptiveQuick() map[string]any {
	return map[string]any{"width": 256, "layers": 2, "max_latency": 1.0, "max_batch": 4096, "steps": 8}
}

func adaptiveView(of string, scale chart.Scale) chart.View {
	return chart.View{X: chart.Enc{Of: "step"}, Y: chart.Enc{Of: of, Scale: scale}, Layers: []chart.Layer{chart.Lines{}}}
}

func adaptiveParams() []workloads.Param {
	batch := func(name, title, about string, value int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "items", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleCase, Default: value, About: about,
		}
	}
	choices := []workloads.Option{{Value: all}}
	for _, p := range policies() {
		choices = append(choices, workloads.Option{Value: p.name, Title: p.title, About: p.about})
	}
	return []workloads.Param{
		{
			Name: "policy", Title: "Policy", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all, Choices: choices,
			About: "How to choose the next batch from earlier ones, or both policies in turn.",
		},
		batch("start", "First batch", "Batch of the first step.", 32),
		batch("min_batch", "Smallest batch", "The batch never gets smaller than this.", 1),
		batch("max_batch", "Largest batch", "The batch never gets larger than this.", 128),
		{
			Name: "max_latency", Title: "Latency limit", Type: workloads.Float, Unit: "ms", Min: 0, Max: 10_000, Zero: "no limit", Default: 5.0, Role: workloads.RoleCase,
			Line: workloads.Line{Of: workloads.Time, Per: 1e-3}, About: "Maximum time for a batch; 0: no limit.",
		},
		{
			Name: "max_memory", Title: "Memory limit", Type: workloads.Float, Unit: "MB", Min: 0, Max: 100_000, Zero: "no limit", Default: 0.0, Role: workloads.RoleCase,
			About: "Maximum memory for a batch’s buffers and the weights (1 MB = 10⁶ B); 0: only the pool’s limit.",
		},
		{
			Name: "steps", Title: "Steps", Type: workloads.Int, Unit: "steps", Min: 2, Max: 100, Role: workloads.RoleBudget, Default: 12,
			About: "Steps of each policy; a policy that settles stops early.",
		},
		{
			Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase, Choices: bench.Formats(bench.AllOf("matmul"), "f32", "f16"), Default: "f32",
			About: "Format of weights and activations; sums are always in f32.",
		},
		sizeParam("width", "Width", "columns", 4096, 1024, "Columns of the activations, and both sides of each layer’s weight matrix."),
		sizeParam("layers", "Layers", "layers", 64, 4, "Layers of the MLP, each a matrix product with ReLU."),
	}
}

func adaptiveValid(v workloads.Values) error {
	lo, start, hi := v.Int("min_batch"), v.Int("start"), v.Int("max_batch")
	if start < lo || start > hi {
		return workloads.NewParamError([]string{"start", "min_batch", "max_batch"}, "{start} is %v, want {min_batch} to {max_batch}, which are %v and %v", start, lo, hi)
	}
	m := modelOf(v)
	bytes := float64(m.t.Bytes(m.width*m.width))*float64(m.layers) + float64(m.t.Bytes(hi*m.width))*float64(m.layers+1)
	ops := 2 * float64(hi) * float64(m.layers) * float64(m.width) * float64(m.width)
	return within([]string{"max_batch", "width", "layers"}, limit{bytes, maxHeld, "B", "of buffers"}, limit{ops, maxOps, "FLOP", "per repetition"})
}

// modelOf returns the MLP for the values; its rows are the batch.
func modelOf(v workloads.Values) sharedModel {
	return sharedModel{t: bench.Types(v.String("dtype"))[0], width: v.Int("width"), layers: v.Int("layers")}
}

// adaptation is a run of one policy.
type adaptation struct {
	bench  *bench.Bench
	v      workloads.Values
	policy *policy
	model  sharedModel
	fatal  error // why further steps make no sense
}

func runAdaptive(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	for _, p := range policies() {
		if chosen := v.String("policy"); chosen != all && chosen != p.name {
			continue
		}
		a := adaptation{bench: b, v: v, policy: &p, model: modelOf(v)}
		if err := a.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (a *adaptation) run(ctx context.Context) error {
	before, steps := len(a.bench.Results()), a.v.Int("steps")
	step := 0
	search := measure.Search[int]{
		Propose: func(tried []measure.Trial[int]) (int, bool) {
			if a.fatal != nil {
				return 0, false
			}
			return a.policy.next(bounds{a.v.Int("min_batch"), a.v.Int("start"), a.v.Int("max_batch")}, tried)
		},
		Measure: func(ctx context.Context, batch int) (float64, error) {
			step++
			return a.try(ctx, step, batch)
		},
		MaxTrials: steps,
	}
	tried, err := search.Run(ctx)
	if err := errors.Join(err, a.fatal); err != nil {
		return err
	}
	settling := workloads.Settling{
		Subject: workloads.Subject{Name: a.model.name(), Way: a.policy.words},
		Axis:    a.bench.Workload.Axis("batch"), Steps: a.bench.Results()[before:],
		Fits:   func(r *workloads.Result) bool { return r.Values.Text(outcome) == withinLimits },
		Limits: limitsOf(a.v), Ended: len(tried) < steps, Untimed: a.v.Float("max_latency") == 0,
	}
	a.bench.Find(settling.Settled()...)
	return nil
}

// limitsOf names the limits in words.
func limitsOf(v workloads.Values) string {
	var words []string
	if ms := v.Float("max_latency"); ms > 0 {
		words = append(words, si.Time(ms/1e3))
	}
	if mb := v.Float("max_memory"); mb > 0 {
		words = append(words, si.Bytes(mb*1e6))
	}
	if len(words) == 0 {
		return "the limit of the pool"
	}
	return "the limit of " + strings.Join(words, " and ")
}

// errSlow is the outcome of a step beyond the latency limit.
var errSlow = errors.New(tooSlow)

// try measures a step.
func (a *adaptation) try(ctx context.Context, step, batch int) (float64, error) {
	c := bench.Case{
		Name:     fmt.Sprintf("%s, step %d, batch %d", a.policy.name, step, batch),
		Settings: workloads.Point{{Name: "policy", Value: a.policy.name}, {Name: "step", Value: step}, {Name: "batch", Value: batch}},
		Build:    func(s *bench.Scope) ([]bench.Variant, error) { return a.variant(s, batch) },
		Adjust:   a.judge,
	}
	if a.fatal = a.bench.MeasureAll(ctx, []bench.Case{c}); a.fatal != nil {
		return 0, a.fatal
	}
	results := a.bench.Results()
	r := &results[len(results)-1]
	switch {
	case r.Status != workloads.OK:
		return 0, errors.New(r.WithoutTime())
	case r.Values.Text(outcome) != withinLimits:
		return 0, errSlow
	}
	return r.Time().Median, nil
}

// variant runs the batch through the MLP, unless its buffers exceed the memory limit. That is an outcome, not a failure, because the
// search looks for the limit.
func (a *adaptation) variant(s *bench.Scope, batch int) ([]bench.Variant, error) {
	m := a.model
	m.rows = batch
	launches, err := s.Chain(m.request(0), bench.Buffers{})
	if err != nil {
		return nil, err
	}
	held := bench.Held(launches)
	v := bench.Variant{Name: a.policy.title, Work: s.Launches(launches), Items: float64(batch)}
	v.Adjust = func(r *workloads.Result) { r.Values.SetNumber(workloads.HeldBytes, float64(held)) }
	if limit := a.v.Float("max_memory") * 1e6; limit > 0 && float64(held) > limit {
		v.Err = gpu.Errorf(gpu.ErrUnsupported, "batch", "", "a batch of %d takes %s, the limit is %s", batch, si.Bytes(float64(held)), si.Bytes(limit))
		v.Adjust = func(r *workloads.Result) { r.Values.SetText(outcome, tooLarge) }
	}
	return []bench.Variant{v}, nil
}

// judge marks each result as certainly within the latency limit, or not.
func (a *adaptation) judge(all []workloads.Result) {
	limit := a.v.Float("max_latency") / 1e3
	for i := range all {
		r := &all[i]
		if r.Status != workloads.OK {
			continue
		}
		slowest := r.Time().Hi
		if math.IsNaN(slowest) || math.IsInf(slowest, 0) {
			slowest = r.Time().Median
		}
		if limit > 0 && slowest > limit {
			r.Values.SetText(outcome, tooSlow)
		} else {
			r.Values.SetText(outcome, withinLimits)
		}
	}
}
