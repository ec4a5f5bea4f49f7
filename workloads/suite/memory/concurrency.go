package memory

import (
	"context"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// efficiency is the work done by concurrent requests, relative to that many times the work of a single request.
const efficiency metric.Name = "scaling_efficiency"

// Ways to run several requests, the baseline first.
const (
	inTurn     = "one after another"
	sideBySide = "side by side"
)

// Concurrency measures requests that share the weights of a model: memory, throughput and efficiency by number of requests.
func Concurrency() workloads.Workload {
	return workloads.Workload{
		Name: "concurrency", Title: "Concurrency", Group: "Memory",
		About:    "Requests that share a model’s weights, each with its own activations and queue, side by side and one after another.",
		Question: "How many concurrent requests pay off, and how much memory does each one add?",
		Params: []workloads.Param{
			{
				Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase, Choices: bench.Formats(bench.AllOf("matmul"), "f32", "f16"),
				Default: "f32", About: "Format of weights and activations; sums are always in f32.",
			},
			requestsParam("min_requests", "Fewest requests", "Requests in the smallest case, the baseline of efficiency.", 1),
			requestsParam("max_requests", "Most requests", "Requests in the largest case; the sweep doubles them.", 8),
			sizeParam("rows", "Rows", "rows", 4096, 64, "Rows of activations per request, such as its tokens."),
			sizeParam("width", "Width", "columns", 4096, 1024, "Columns of the activations, and both sides of each layer’s weight matrix."),
			{
				Name: "layers", Title: "Layers", Type: workloads.Int, Unit: "layers", Min: 1, Max: 64, Role: workloads.RoleCase, Default: 8,
				About: "Layers of the model, each a matrix product with ReLU.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "requests", Title: "Requests", Unit: "requests"},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Metrics: metric.List{
			workloads.HeldMetric("Bytes of the pool’s buffers for all requests and the weights, each buffer counted once."),
			{
				Name: efficiency, Title: "Efficiency", Unit: "ratio", Shape: metric.Interval, Better: metric.More, Shown: true,
				About: "Requests per second as a share of linear scaling from one request (from the smallest case, if that has more).",
			},
		},
		Quick:   concurrencyQuick(),
		Presets: concurrencyPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "requests", From: "min_requests", To: "max_requests", Steps: workloads.Doubling, Title: "Requests",
			About: "Concurrent requests; the sweep doubles them.",
		}},
		Valid:    concurrencyFits,
		Variants: func(workloads.Values) int { return 2 },
		Run:      bench.Run(runConcurrency),
		Views: []chart.View{
			requestsView(workloads.ItemRate), requestsView(workloads.HeldBytes), requestsView(efficiency),
			requestsView(workloads.Speedup, chart.Rule{Y: 1, Label: "no difference"}),
		},
	}
}

func requestsParam(name, title, about string, value int) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Int, Unit: "requests", Min: 1, Max: 32, Log2: true, Role: workloads.RoleSweep, Default: value, About: about,
	}
}

func sizeParam(name, title, unit string, most float64, value int, about string) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Int, Unit: unit, Min: 1, Max: most, Log2: true, Role: workloads.RoleCase, Default: value, About: about,
	}
}

func requestsView(of metric.Name, more ...chart.Layer) chart.View {
	return chart.View{
		X: chart.Enc{Of: "requests", Scale: chart.Log2}, Y: chart.Enc{Of: string(of)}, Places: []string{inTurn, sideBySide},
		Layers: append([]chart.Layer{chart.Lines{}}, more...),
	}
}

func concurrencyQuick() map[string]any {
	return map[string]any{"max_requests": 4, "rows": 16, "width": 512, "layers": 4}
}

func concurrencyPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Up to four requests to a small model; takes seconds.", concurrencyQuick()),
		{
			Name: "decoding", Title: "Decoding", About: "Requests of one token each, which read all weights for a single row.",
			Values: workloads.Values{"rows": 1, "width": 2048, "max_requests": 16},
		},
		{
			Name: "prompts", Title: "Prompts", About: "Requests of 512 tokens, whose activations are as large as a layer’s weights.",
			Values: workloads.Values{"rows": 512, "width": 512},
		},
	}
}

// concurrencyFits rejects values that take too much memory, or too long.
func concurrencyFits(v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	n, rows, width, layers := float64(v.Int("max_requests")), v.Int("rows"), v.Int("width"), float64(v.Int("layers"))
	weights, activations := layers*float64(t.Bytes(width*width)), (layers+1)*float64(t.Bytes(rows*width))
	ops := 2 * n * layers * float64(rows) * float64(width) * float64(width)
	return within([]string{"max_requests", "rows", "width", "layers"},
		limit{weights + n*activations, maxHeld, "B", "of buffers"}, limit{ops, maxOps, "FLOP", "per repetition"})
}

func runConcurrency(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	m := sharedModel{t: bench.Types(v.String("dtype"))[0], rows: v.Int("rows"), width: v.Int("width"), layers: v.Int("layers")}
	build := func(at workloads.Point) bench.Case {
		n := at.Int("requests")
		return bench.Case{
			Name:     fmt.Sprintf("concurrency %d", n),
			Settings: at,
			Build:    func(s *bench.Scope) ([]bench.Variant, error) { return m.variants(s, n) },
			Adjust:   func(all []workloads.Result) { scaled(b.Results(), all) },
		}
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	about := m.name() + ", " + workloads.WithUnit(fmt.Sprint(m.rows), "rows") + " a request"
	b.Find(m.curve(b, workloads.ItemRate, "requests/s", workloads.Subject{Name: about + ", " + sideBySide}).Knee(0.9)...)
	b.Find(m.curve(b, workloads.Speedup, "", workloads.Subject{Name: about, Way: "serving requests side by side", Baseline: inTurn}).Crossover()...)
	b.Find(m.curve(b, workloads.HeldBytes, "B", workloads.Subject{Name: about, Way: "memory grows by", Where: "for each additional request"}).Growth()...)
	return nil
}

// scaled sets how close to linear scaling the results of a case come, relative to the first of the same way.
func scaled(earlier, all []workloads.Result) {
	for i := range all {
		r := &all[i]
		first := r
		if at := slices.IndexFunc(earlier, func(o workloads.Result) bool { return o.Variant == r.Variant }); at >= 0 {
			first = &earlier[at]
		}
		r.Values.Set(efficiency, workloads.Scaling(first, r))
	}
}

// sharedModel is the model that the requests use.
type sharedModel struct {
	t                   shaders.Type
	rows, width, layers int
}

func (m *sharedModel) name() string {
	return fmt.Sprintf("%s of %d × %d in %v", workloads.WithUnit(fmt.Sprint(m.layers), "layers"), m.width, m.width, m.t)
}

// curve is a metric of the concurrent requests, by their number.
func (m *sharedModel) curve(b *bench.Bench, of metric.Name, unit string, s workloads.Subject) *workloads.Curve {
	c := &workloads.Curve{Subject: s, Axis: b.Workload.Axis("requests"), Unit: unit, Of: of}
	for _, r := range b.Results() {
		if r.Variant == sideBySide && r.Status == workloads.OK {
			c.Results = append(c.Results, r)
		}
	}
	c.Readings = func(r *workloads.Result) []workloads.Reading {
		share := r.Get(efficiency)
		return []workloads.Reading{
			{Value: r.Get(workloads.ItemRate), Unit: "requests/s"},
			{Value: stats.Interval{Median: 100 * share.Median, Lo: 100 * share.Lo, Hi: 100 * share.Hi}, Unit: "%", Per: "of linear scaling"},
		}
	}
	return c
}

// request is the forward pass of one request. The weights have the same labels in all requests.
func (m *sharedModel) request(n int) []bench.Step {
	label := func(what string, l int) string { return fmt.Sprintf("%s %d of request %d", what, l, n) }
	var steps []bench.Step
	for l := range m.layers {
		steps = append(steps, bench.Step{
			Pick: shaders.Pick{Op: "matmul", Type: m.t}, Constants: shaders.Constants{shgemm.Activation: shaders.ActRelu},
			Params: shgemm.MatmulParams{M: uint32(m.rows), N: uint32(m.width), K: uint32(m.width), Batch: 1},
			Args:   []string{label("activations", l), fmt.Sprintf("weights %d", l), bench.None, label("activations", l+1)},
		})
	}
	return steps
}

// variants are the requests one after another in one queue, and each in its own queue.
func (m *sharedModel) variants(s *bench.Scope, requests int) ([]bench.Variant, error) {
	inputs := bench.Buffers{}
	var each [][]gpu.Launch
	for n := range requests {
		launches, err := s.Chain(m.request(n), inputs)
		if err != nil {
			return nil, err
		}
		each = append(each, launches)
	}
	held := float64(bench.Held(each...))
	hold := func(r *workloads.Result) { r.Values.SetNumber(workloads.HeldBytes, held) }
	serial, err := s.Streams(s.Launches(slices.Concat(each...)))
	if err != nil {
		return nil, err
	}
	var works []bench.Work
	for _, launches := range each {
		works = append(works, s.Launches(launches))
	}
	together, err := s.Streams(works...)
	items := float64(requests)
	return []bench.Variant{
		{Name: inTurn, Work: serial, Items: items, Adjust: hold},
		{Name: sideBySide, Work: together, Items: items, Adjust: hold, Baseline: inTurn, Err: err},
	}, nil
}
