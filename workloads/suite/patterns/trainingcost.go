package patterns

import (
	"context"
	"fmt"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Training measures what memory training can save, and the cost in time.
func Training() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "training", Title: "Training", Group: "Throughput",
		About:    "Gradient checkpoints against keeping all activations, and epochs that clear the buffer pool against ones that keep it.",
		Question: "What do checkpoints save, and what does clearing the pool cost?",
		Params: []workloads.Param{
			{
				Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: checkpoints, Title: "Checkpoints", About: "A training step that keeps all activations, or keeps some and recomputes the others.", Typical: true},
					{Value: epochs, Title: "Epochs", About: "Training steps on buffers from a pool that is cleared after each epoch, or kept."},
				},
				About: "What to compare, or both in turn.",
			},
			dtypeParam(),
			workloads.SweepEnd("min_batch", "Smallest batch", "rows", 4096, 64, "Rows of the smallest batch; the sweep doubles them."),
			workloads.SweepEnd("max_batch", "Largest batch", "rows", 4096, 1024, "Rows of the largest batch."),
			{
				Name: "width", Title: "Width", Type: workloads.Int, Unit: "columns", Min: 4, Max: 1024, Log2: true, Role: workloads.RoleCase,
				Default: 256, About: "Columns of the input and of the layers.",
			},
			{
				Name: "layers", Title: "Layers", Type: workloads.Int, Unit: "layers", Min: 2, Max: 64, Role: workloads.RoleCase,
				Default: 16, About: "Layers of the network whose activations are kept or recomputed.", Applies: only(checkpoints, "has a network of 3 layers"),
			},
			{
				Name: "segment", Title: "Checkpoint every", Type: workloads.Int, Unit: "layers", Min: 0, Max: 64, Zero: "about the square root of all layers", Role: workloads.RoleCase,
				Default: 0, About: "Layers from one checkpoint to the next; 0: about the square root of all layers.", Applies: only(checkpoints, "has no checkpoints"),
			},
			{
				Name: "steps", Title: "Steps", Type: workloads.Int, Unit: "steps", Min: 1, Max: 100, Log2: true, Role: workloads.RoleCase,
				Default: 4, About: "Training steps in an epoch.", Applies: only(epochs, "has no epochs"),
			},
		},
		Axes: []workloads.Axis{
			{Name: "compare", Title: "Comparison"},
			bench.FoundOperands(),
			{Name: "batch", Title: "Batch", Unit: "rows", Phrase: "a batch of %s"},
			bench.FoundKernel(),
		},
		Metrics: metric.List{
			workloads.HeldMetric("Bytes of the pool’s buffers that the work writes to, as the pool counts them, excluding inputs and copies for verification."),
			{
				Name: buffersCreated, Title: "Buffers created", Shape: metric.Count, Better: metric.Less, Untimed: true,
				About: "Buffers that the engine allocated in the last epoch because the pool had none.",
			},
		},
		Quick:   trainingQuick(),
		Presets: trainingPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "batch", From: "min_batch", To: "max_batch", Steps: workloads.Doubling, Title: "Batch", About: "Rows of the batch; the sweep doubles them.",
		}},
		Valid:    trainingValid,
		Variants: func(workloads.Values) int { return 2 },
		Run:      bench.Run(runTraining),
		Views:    []chart.View{trainingView(workloads.Time), trainingView(workloads.HeldBytes)},
	}, "threads=128", bench.StepOps(checkpointed(sizes{n: 1, width: 4, layers: fewLayers, t: shaders.F32}, 1))...)
}

// Values of the parameter compare.
const (
	checkpoints = "checkpoints"
	epochs      = "epochs"
)

// Metrics of this workload.
const (
	buffersCreated metric.Name = "buffers_created"
)

// Variants; in each pair, the baseline comes first.
const (
	keepAll  = "all activations"
	keepSome = "checkpoints"
	keepPool = "pool kept"
	emptied  = "pool cleared"
)

// maxBuffers is the maximum number of bytes that a case of checkpoints may hold.
const maxBuffers = 4 << 30

// buffers returns about how many bytes a case of checkpoints holds: three steps, each with its layers' results, their gradients and a
// copy of what it overwrites, for verification, plus the weights of all.
func buffers(rows, width, layers int) float64 {
	const activations, weights = 9, 11
	return 4 * float64(layers) * float64(width) * (activations*float64(rows) + weights*float64(width))
}

func trainingValid(v workloads.Values) error {
	if v.String("compare") == epochs {
		return nil
	}
	layers, segment := v.Int("layers"), v.Int("segment")
	if segment >= layers {
		return workloads.NewParamError([]string{"segment", "layers"}, "{segment} is %v, want less than {layers}, which is %v", segment, layers)
	}
	if bytes := buffers(v.Int("max_batch"), v.Int("width"), layers); bytes > maxBuffers {
		return &workloads.ParamError{
			Params: []string{"max_batch", "width", "layers"},
			Text:   fmt.Sprintf("{max_batch}, {width} and {layers} make %s of buffers; the maximum is %s", si.Bytes(bytes), si.Bytes(maxBuffers)),
		}
	}
	return nil
}

// only explains why a parameter does not apply when something else is compared.
func only(compared, lacks string) func(v workloads.Values) error {
	return func(v workloads.Values) error {
		if c := v.String("compare"); c != all && c != compared {
			return fmt.Errorf("%s %s", c, lacks)
		}
		return nil
	}
}

func trainingView(of metric.Name) chart.View {
	return chart.View{
		Facet: "compare", X: chart.Enc{Of: "batch", Scale: chart.Category}, Y: chart.Enc{Of: string(of)},
		Places: []string{keepAll, keepSome, keepPool, emptied}, Layers: []chart.Layer{chart.Bars{}},
	}
}

func trainingQuick() map[string]any {
	return map[string]any{"min_batch": 128, "max_batch": 512, "width": 128}
}

func trainingPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Both comparisons at three sizes; takes seconds.", trainingQuick()),
		{
			Name: "deep", Title: "Deep network", About: "Checkpoints in 64 layers, whose activations take most of the memory.",
			Values: workloads.Values{"compare": checkpoints, "layers": 64, "width": 128, "min_batch": 256},
		},
		{
			Name: "short-epochs", Title: "Short epochs", About: "Epochs of a single step, where clearing the pool costs the most.",
			Values: workloads.Values{"compare": epochs, "steps": 1},
		},
		{Name: "half-precision", Title: "Half precision", About: "Both comparisons in f16.", Values: workloads.Values{"dtype": "f16"}},
	}
}

func runTraining(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	sized := func(rows any, compared string) sizes {
		n, _ := workloads.Number(rows)
		size := sizes{n: int(n), width: v.Int("width"), layers: fewLayers, steps: v.Int("steps"), t: dtypeOf(v)}
		if compared == checkpoints {
			size.layers = v.Int("layers")
		}
		return size
	}
	segment := segmentOf(v.Int("segment"), v.Int("layers"))
	build := func(at workloads.Point) bench.Case {
		size := sized(at.Int("batch"), at.String("compare"))
		variants := func(s *bench.Scope) ([]bench.Variant, error) { return epochVariants(s, size) }
		if at.String("compare") == checkpoints {
			variants = func(s *bench.Scope) ([]bench.Variant, error) { return checkpointVariants(s, size, segment) }
		}
		return bench.Case{Name: fmt.Sprintf("%s %d", at.String("compare"), size.n), Settings: at, Build: variants}
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	results := b.Results()
	described := func(of metric.Name) metric.Metric {
		m, _ := b.Workload.Metrics.Find(of)
		return *m
	}
	for i := 1; i < len(results); i++ {
		base, way := &results[i-1], &results[i]
		if base.Case != way.Case {
			continue
		}
		if way.Variant == keepSome {
			size := sized(way.Setting("batch"), checkpoints)
			s := size.subject("a checkpoint every "+layersText(segment), "all activations kept", "a step")
			b.Find(workloads.Trade(base, way, s, described(workloads.HeldBytes), "B", "are held")...)
			b.Find(size.whyNothingSaved(base, way, s)...)
			continue
		}
		size := sized(way.Setting("batch"), epochs)
		b.Find(workloads.Trade(base, way, size.subject("a pool cleared before each epoch", "one that keeps its buffers", size.epoch()), described(buffersCreated), "buffers", "are created")...)
	}
	return nil
}

// subject names a comparison of ways to train, for a sentence.
func (z sizes) subject(way, baseline, what string) workloads.Subject {
	return workloads.Subject{
		Name: fmt.Sprintf("%s of %d, a batch of %d in %v", si.Counted(z.layers, "layer"), z.width, z.n, z.t), Way: way, Baseline: baseline, Where: what,
	}
}

// whyNothingSaved explains checkpoints that hold as much as all activations.
func (z sizes) whyNothingSaved(all, some *workloads.Result, s workloads.Subject) []workloads.Finding {
	if z.n != z.width || all.Number(workloads.HeldBytes) != some.Number(workloads.HeldBytes) {
		return nil
	}
	return workloads.Noted(some, s, "checkpoints save no memory where the batch equals the width, since the gradients of the weights, which are "+
		"kept until the update, have the size of the activations and reuse their buffers")
}

// layersText is the distance of checkpoints: "4 layers", "layer".
func layersText(segment int) string {
	if segment == 1 {
		return "layer"
	}
	return si.Counted(segment, "layer")
}

func (z sizes) epoch() string {
	return "an epoch of " + workloads.WithUnit(fmt.Sprint(z.steps), "steps")
}

// holding adds the bytes that the work holds to its result.
func holding(held func() int64) func(r *workloads.Result) {
	return func(r *workloads.Result) { r.Values.SetNumber(workloads.HeldBytes, float64(held())) }
}

func checkpointVariants(s *bench.Scope, size sizes, segment int) ([]bench.Variant, error) {
	inputs := bench.Buffers{}
	if err := seedTask(s, size, inputs); err != nil {
		return nil, err
	}
	whole, err := share(s, wholeStep(size), inputs)
	if err != nil {
		return nil, err
	}
	some, err := share(s, checkpointed(size, segment), inputs)
	if err != nil {
		return nil, err
	}
	if err := sameWeights(s, size, inputs, whole, some); err != nil {
		return nil, err
	}
	list := []bench.Variant{whole.variant(keepAll, size), some.variant(keepSome, size)}
	list[1].Baseline = keepAll
	return list, nil
}

// epochVariants train for an epoch on buffers from the pool.
func epochVariants(s *bench.Scope, size sizes) ([]bench.Variant, error) {
	inputs := bench.Buffers{}
	if err := seedTask(s, size, inputs); err != nil {
		return nil, err
	}
	steps := wholeStep(size)
	var list []bench.Variant
	for _, name := range []string{keepPool, emptied} {
		v := bench.Variant{Name: name, Items: float64(size.n * size.steps)}
		work, err := s.Renewed(steps, inputs, size.steps, name == emptied)
		if err != nil {
			return nil, err
		}
		if name == emptied {
			v.Baseline = keepPool
		}
		v.Work, v.Adjust = work, func(r *workloads.Result) {
			holding(func() int64 { return work.Held })(r)
			r.Values.SetNumber(buffersCreated, float64(work.Created))
		}
		list = append(list, v)
	}
	return list, nil
}
