package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// room is how much of the budget a plan leaves; negative: how much it exceeds it by.
const room metric.Name = "room_bytes"

// whole is the variant with all categories together.
const whole = "total"

// Values of the parameter grow: what is increased.
const (
	growBatch   = "batch"
	growContext = "context"
)

// Plan allocates what a model needs, by category, for growing batches and contexts, and finds the largest that fits.
func Plan() workloads.Workload {
	return workloads.Workload{
		Name: "plan", Title: "Memory plan", Group: "Memory",
		About:    "Allocates the weights, KV cache, activations and temporary buffers of a transformer, for growing batches and contexts, within a budget.",
		Question: "Does the model fit, and up to what batch or context?",
		Params:   planParams(),
		Axes: []workloads.Axis{
			{Name: "grow", Title: "Grows"},
			{Name: growBatch, Title: "Batch", Unit: "requests", Phrase: "a batch of %s"},
			{Name: growContext, Title: "Context", Unit: "tokens", Phrase: "a context of %s tokens"},
		},
		Metrics: metric.List{
			workloads.HeldMetric("Bytes of the buffers, as the engine allocated them. The CPU engine’s buffers take no memory until they are written."),
			{
				Name: room, Title: "Room left", Unit: "B", Shape: metric.Scalar, Better: metric.More, Shown: true,
				About: "Budget minus what the whole plan takes; negative: the shortfall, by the plan’s numbers.",
			},
		},
		Quick:   planQuick(),
		Presets: planPresets(),
		Sweeps: []workloads.Sweep{
			{Axis: growBatch, From: "min_batch", To: "max_batch", Steps: workloads.Doubling, Title: "Batch", About: "Concurrent requests, at the shortest context; the sweep doubles them."},
			{Axis: growContext, From: "min_context", To: "max_context", Steps: workloads.Doubling, Title: "Context", About: "Tokens of each request, at the smallest batch; the sweep doubles them."},
		},
		Valid:    planValid,
		Ready:    planReady,
		Variants: func(workloads.Values) int { return len(categories()) + 1 },
		Run:      bench.Run(runPlan),
		Views:    []chart.View{planView(growBatch), planView(growContext)},
	}
}

func planView(along string) chart.View {
	var names []string
	for _, c := range categories() {
		names = append(names, c.name)
	}
	return chart.View{
		Facet: "grow", X: chart.Enc{Of: along, Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.HeldBytes)},
		Places: append(names, whole), Layers: []chart.Layer{chart.Stacked{Total: whole}},
	}
}

func planParams() []workloads.Param {
	number := func(name, title, unit string, most float64, value int, about string) workloads.Param {
		return sizeParam(name, title, unit, most, value, about)
	}
	end := func(name, title, unit string, most float64, value int, about string) workloads.Param {
		p := sizeParam(name, title, unit, most, value, about)
		p.Role = workloads.RoleSweep
		return p
	}
	return []workloads.Param{
		{
			Name: "grow", Title: "Grow", Type: workloads.Choice, Role: workloads.RolePlan, All: "both", Default: "both",
			Choices: []workloads.Option{{Value: "both"}, {Value: growBatch, Axis: growBatch}, {Value: growContext, Axis: growContext}},
			About:   "What the sweep grows: the batch, the context, or each in turn.",
		},
		{
			Name: "file", Title: "File", Type: workloads.File, Default: "", Role: workloads.RoleCase,
			About: "A .safetensors or .gguf file; its header gives the weights as stored and those of the sizes below that its tensors show.",
		},
		number("layers", "Layers", "layers", maxLayers, 32, "Layers of the transformer."),
		number("hidden", "Hidden size", "columns", 65536, 4096, "Columns of the activations between layers."),
		number("heads", "Heads", "heads", 1024, 32, "Attention heads; their number must divide the hidden size."),
		number("kv_heads", "KV heads", "heads", 1024, 8, "Heads of keys and values, each shared by a group of heads."),
		number("ffn", "Feed-forward size", "columns", 1<<20, 14336, "Columns of the gated feed-forward layer."),
		number("vocab", "Vocabulary", "tokens", 1<<20, 128256, "Rows of the input and output embeddings."),
		{
			Name: "weights", Title: "Weights", Type: workloads.Choice, Role: workloads.RoleCase, Choices: kinds(quant.Kinds()), Default: "f16",
			About: fmt.Sprintf("Format of the weights; codes have a scale (int8 and int4 also a zero point) per %d, and ggml blocks contain theirs.", weightBlock), Applies: notOfFile,
		},
		{
			Name: "cache", Title: "KV cache", Type: workloads.Choice, Role: workloads.RoleCase, Choices: kinds(quant.Kinds()), Default: "f16",
			About: fmt.Sprintf("Format of keys and values; codes have a scale (int8 and int4 also a zero point) per %d, and ggml blocks contain theirs.", cacheBlock),
		},
		number("tokens", "Tokens at once", "tokens", 1<<16, 512, "Tokens of a request that one pass computes, as when a prompt is read in chunks."),
		{
			Name: "attention", Title: "Attention", Type: workloads.Choice, Role: workloads.RoleCase, Default: "flash",
			Choices: []workloads.Option{
				{Value: "flash", Title: "Flash", About: "Keeps no scores."}, {Value: "naive", Title: "Naive", About: "Writes the scores of all heads."},
			},
			About: "Whether attention scores take memory.",
		},
		end("min_batch", "Smallest batch", "requests", maxPlanned, 1, "Concurrent requests in the smallest case, and while the context grows."),
		end("max_batch", "Largest batch", "requests", maxPlanned, 16, "Concurrent requests in the sweep’s largest case; the largest number that fits is also measured."),
		end("min_context", "Shortest context", "tokens", maxContext, 8192, "Tokens of a request in the smallest case, and while the batch grows."),
		end("max_context", "Longest context", "tokens", maxContext, 131072, "Tokens of a request in the sweep’s largest case; the largest number that fits is also measured."),
		{
			Name: "budget", Title: "Budget", Type: workloads.Float, Unit: "GB", Min: 0, Max: 1e5, Zero: "80 % of the working set", Default: 0.0, Role: workloads.RoleCase,
			About: "Memory for the whole plan (1 GB = 10⁹ B); 0: 80 % of the device’s working set.",
		},
	}
}

// Limits on a sweep, and on the search for what fits.
const (
	maxPlanned = 1 << 16
	maxContext = 1 << 24
)

func kinds(all []quant.Kind) []workloads.Option {
	var names []string
	for _, k := range all {
		names = append(names, k.String())
	}
	return workloads.Options(names...)
}

// notOfFile rejects a number that the file determines.
func notOfFile(v workloads.Values) error {
	if v.String("file") != "" {
		return errors.New("the weights are taken from the file, as stored")
	}
	return nil
}

func planQuick() map[string]any {
	return map[string]any{
		"layers": 12, "hidden": 768, "heads": 12, "kv_heads": 12, "ffn": 3072, "vocab": 50257, "tokens": 128,
		"max_batch": 8, "min_context": 1024, "max_context": 4096, "budget": 2.0,
	}
}

func planPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("A model of 0.2 billion weights within 2 GB; takes seconds.", planQuick()),
		{Name: "int4-8b", Title: "8B, int4", About: "A model of 8 billion weights in int4, with keys and values in int8.", Values: workloads.Values{"weights": "int4", "cache": "int8"}},
		{
			Name: "published", Title: "Published plan", About: "A published guide’s plan: weights of 2.5 GB, activations of 0.5 to 2 GB, temporary buffers of 100 to 500 MB.",
			Values: workloads.Values{"layers": 24, "hidden": 2048, "heads": 16, "kv_heads": 16, "ffn": 5504, "vocab": 32000, "tokens": 2048, "attention": "naive", "min_context": 2048, "max_context": 32768},
		},
	}
}

func planValid(v workloads.Values) error {
	if v.Int("hidden")%v.Int("heads") != 0 {
		return workloads.NewParamError([]string{"hidden", "heads"}, "{heads} is %v, want a number that divides {hidden}, which is %v", v.Int("heads"), v.Int("hidden"))
	}
	if v.Int("kv_heads") > v.Int("heads") {
		return workloads.NewParamError([]string{"kv_heads", "heads"}, "{kv_heads} is %v, above {heads}, which is %v", v.Int("kv_heads"), v.Int("heads"))
	}
	return nil
}

func planReady(v workloads.Values) error {
	if path := v.String("file"); path != "" {
		return workloads.CheckWeights(path)
	}
	return nil
}

// share is the share of the working set that serves as the budget if none is set.
const share = 0.8

// plan is a run of the workload.
type plan struct {
	bench  *bench.Bench
	v      workloads.Values
	model  *model
	budget float64 // bytes; 0: unknown
}

func runPlan(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	m, err := planned(v)
	if err != nil {
		return err
	}
	p := plan{bench: b, v: v, model: m, budget: v.Float("budget") * 1e9}
	if p.budget == 0 {
		p.budget = share * float64(b.Engine.Info().WorkingSet)
	}
	if err := b.MeasurePoints(ctx, v, p.point); err != nil {
		return err
	}
	if p.budget == 0 || b.Options.Short {
		return nil // the device does not report its memory, or only this point is wanted
	}
	for _, along := range []string{growBatch, growContext} {
		if grow := v.String("grow"); grow != "both" && grow != along {
			continue
		}
		if err := p.largest(ctx, along); err != nil {
			return err
		}
	}
	return nil
}

// at returns the batch and the context if one of them grows to n.
func (p *plan) at(along string, n int) (batch, context int) {
	if along == growBatch {
		return n, p.v.Int("min_context")
	}
	return p.v.Int("min_batch"), n
}

// point returns the case at a point of a sweep.
func (p *plan) point(at workloads.Point) bench.Case {
	along := at.String("grow")
	return p.sized(along, at.Int(along))
}

func (p *plan) sized(along string, n int) bench.Case {
	batch, context := p.at(along, n)
	return bench.Case{
		Name:     fmt.Sprintf("%s %d", along, n),
		Settings: workloads.Point{{Name: "grow", Value: along}, {Name: along, Value: n}},
		Build:    func(*bench.Scope) ([]bench.Variant, error) { return p.variants(batch, context), nil },
	}
}

// variants are the categories, each alone, and all together, which may not fit.
func (p *plan) variants(batch, context int) []bench.Variant {
	var list []bench.Variant
	for _, c := range categories() {
		list = append(list, p.variant(c.name, c.buffers(p.model, batch, context)))
	}
	sum := p.model.buffers(batch, context)
	total := p.variant(whole, sum)
	if p.budget > 0 {
		left := p.budget - bytesOf(sum)
		hold := total.Adjust
		total.Adjust = func(r *workloads.Result) {
			hold(r)
			r.Values.SetNumber(room, left)
		}
	}
	return append(list, total)
}

// variant allocates buffers and frees them again. It holds them once beforehand, to find out whether they fit.
func (p *plan) variant(name string, sizes []int64) bench.Variant {
	pool := p.pool()
	held, err := p.held(pool, name, sizes)
	v := bench.Variant{Name: name, Err: err}
	v.Adjust = func(r *workloads.Result) {
		if err == nil {
			r.Values.SetNumber(workloads.HeldBytes, float64(held))
		}
	}
	v.Work = bench.Host(func(ctx context.Context, reps int) (float64, error) {
		start := time.Now()
		for range reps {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if _, err := p.allocate(pool, name, sizes); err != nil {
				return 0, err
			}
		}
		return time.Since(start).Seconds() / float64(reps), nil
	})
	return v
}

// pool allocates and frees each buffer. The budget has been checked before, by the computed sizes.
func (p *plan) pool() *gpu.Pool {
	return gpu.NewPool(p.bench.Engine, gpu.PoolOptions{Storage: p.bench.Engine.Info().Storage(), Mode: gpu.ModeDirty, Disabled: true})
}

// held returns what buffers take together. If they do not fit, that is an answer to the plan's question, not a failure: it is the
// reason why there is nothing to measure.
func (p *plan) held(pool *gpu.Pool, name string, sizes []int64) (int64, error) {
	if needs := bytesOf(sizes); p.budget > 0 && needs > p.budget {
		return 0, gpu.Errorf(gpu.ErrUnsupported, "plan", "", "it takes %s, %s more than the budget of %s", si.Bytes(needs), si.Bytes(needs-p.budget), si.Bytes(p.budget))
	}
	held, err := p.allocate(pool, name, sizes)
	if no := (*refusal)(nil); errors.As(err, &no) {
		return 0, gpu.Errorf(gpu.ErrUnsupported, "plan", "", "%s", no.Error()) // only its message: retrying is useless before there is work
	}
	return held, err
}

func (p *plan) name() string {
	var weights int64
	for _, n := range p.model.weightBuffers() {
		weights += n
	}
	if path := p.v.String("file"); path != "" {
		return fmt.Sprintf("%s, %s of weights", filepath.Base(path), si.Bytes(float64(weights)))
	}
	return fmt.Sprintf("%s of %d, weights of %s in %s", workloads.WithUnit(fmt.Sprint(p.model.layers), "layers"), p.model.hidden, si.Bytes(float64(weights)), p.v.String("weights"))
}
