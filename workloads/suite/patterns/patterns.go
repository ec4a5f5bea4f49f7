// Package patterns has the workloads of whole jobs: where their time goes, stage by stage.
package patterns

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Patterns measures jobs of several dispatches, as a whole and stage by stage.
func Patterns() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "patterns", Title: "Patterns", Group: "Throughput",
		About:    "Jobs of many dispatches, whole and stage by stage: an MLP’s forward pass, a training step, an image pipeline.",
		Question: "Where does the time of a real job go?",
		Params: []workloads.Param{
			{
				Name: "pattern", Title: "Pattern", Type: workloads.Choice, Role: workloads.RoleCase, Choices: options(), All: all, Default: all,
				About: "Which job to measure, or all of them in turn.",
			},
			dtypeParam(),
			workloads.SweepEnd("min_batch", "Smallest batch", "rows", 1024, 64, "Rows of the smallest batch of the MLP and of training; the sweep doubles them."),
			workloads.SweepEnd("max_batch", "Largest batch", "rows", 1024, 512, "Rows of the largest batch."),
			{
				Name: "width", Title: "Width", Type: workloads.Int, Unit: "columns", Min: 4, Max: 1024, Log2: true, Role: workloads.RoleCase,
				Default: 256, Sweeps: []string{"batch"}, About: "Columns of the input and of the layers of the MLP and of training.",
			},
			{
				Name: "steps", Title: "Training steps", Type: workloads.Int, Unit: "steps", Min: 2, Max: 200, Log2: true, Role: workloads.RoleCase,
				Default: 50, Sweeps: []string{"batch"}, About: "Steps of a trial training before a step is timed; the loss must fall.",
			},
			workloads.SweepEnd("min_images", "Fewest images", "images", 64, 1, "Images of the smallest batch of the pipeline; the sweep doubles them."),
			workloads.SweepEnd("max_images", "Most images", "images", 64, 8, "Images of the largest batch."),
			{
				Name: "side", Title: "Image side", Type: workloads.Int, Unit: "pixels", Min: 4, Max: 1024, Log2: true, Role: workloads.RoleCase,
				Default: 512, Sweeps: []string{"images"}, About: "Height and width of the three-channel images that the pipeline halves.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "pattern", Title: "Pattern"},
			bench.FoundOperands(),
			{Name: "batch", Title: "Batch", Unit: "rows"},
			{Name: "images", Title: "Images", Unit: "images"},
			bench.FoundKernel(),
		},
		Metrics: metric.List{
			{
				Name: lossFirst, Title: "First loss", Shape: metric.Scalar, Better: metric.Less,
				About: "Mean cross-entropy before the first step of training.",
			},
			{
				Name: lossLast, Title: "Last loss", Shape: metric.Scalar, Better: metric.Less,
				About: "Mean cross-entropy of the same batch before the last step of training.",
			},
		},
		Quick:   quick(),
		Presets: presets(),
		Sweeps: []workloads.Sweep{
			{Axis: "batch", From: "min_batch", To: "max_batch", Steps: workloads.Doubling, Title: "Batch", About: "Rows of the MLP’s and of training’s batch; the sweep doubles them."},
			{Axis: "images", From: "min_images", To: "max_images", Steps: workloads.Doubling, Title: "Images", About: "Images in the pipeline’s batch; the sweep doubles them."},
		},
		Variants: variants,
		Run:      bench.Run(run),
		Views:    []chart.View{stacked("batch"), stacked("images")},
	}, "threads=128", jobOps()...)
}

// all is the value of pattern that means each of them; whole is the variant of all stages of a job.
const (
	all   = "all"
	whole = "whole"
)

func dtypeParam() workloads.Param {
	return workloads.Param{
		Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase, Choices: workloads.Options("f32", "f16"), Default: "f32",
		About: "Format of the data between dispatches; arithmetic is always in f32.",
	}
}

func dtypeOf(v workloads.Values) shaders.Type { return bench.Types(v.String("dtype"))[0] }

// stacked shows the stages of each job stacked, next to the whole.
func stacked(along string) chart.View {
	return chart.View{
		Title: "Stages", Facet: "pattern", X: chart.Enc{Of: along, Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Time)},
		Layers: []chart.Layer{chart.Stacked{Total: whole}},
	}
}

func quick() map[string]any {
	return map[string]any{"min_batch": 64, "max_batch": 128, "width": 128, "steps": 20, "max_images": 2, "side": 256}
}

func presets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All jobs at two sizes; takes seconds.", quick()),
		{
			Name: "train-small", Title: "A small network", About: "Training steps of a narrow network, with short dispatches.",
			Values: workloads.Values{"pattern": "training", "width": 64, "min_batch": 16, "max_batch": 256},
		},
		{
			Name: "photos", Title: "Photos", About: "The image pipeline on large images, one to eight at a time.",
			Values: workloads.Values{"pattern": "image", "side": 1024, "max_images": 8},
		},
		{Name: "half-precision", Title: "Half precision", About: "All jobs in f16.", Values: workloads.Values{"dtype": "f16"}},
	}
}

// job is a chain of stages, as data.
type job struct {
	name, title string
	axis        string // what the sweep varies
	typical     bool   // it represents all jobs of its axis in live tuning
	stages      func(size sizes) []stage
	// prepare adds inputs that are not random; nil: none.
	prepare func(s *bench.Scope, size sizes, inputs bench.Buffers) error
	// check does what must succeed before anything is measured, and adds its findings to the result of the whole; nil: nothing.
	check func(s *bench.Scope, size sizes, inputs bench.Buffers) (func(r *workloads.Result), error)
}

// stage is a group of steps of a job that is also measured on its own.
type stage struct {
	name  string
	steps []bench.Step
}

// sizes are the sizes of a case.
type sizes struct {
	n                  int // of the axis
	width, side, steps int
	layers             int     // of the network being trained
	rate               float32 // learning rate; 0: suitable for the network's width
	t                  shaders.Type
}

// pick chooses an operation in the number format of the job.
func (z sizes) pick(op string) shaders.Pick { return shaders.Pick{Op: op, Type: z.t} }

func jobs() []job {
	return []job{
		{name: "mlp", title: "MLP forward", axis: "batch", stages: mlp},
		{name: "training", title: "A training step", axis: "batch", typical: true, stages: training, prepare: seedTask, check: train},
		{name: "image", title: "The image pipeline", axis: "images", typical: true, stages: pipeline, prepare: channels},
	}
}

// jobOps are the operations of all jobs.
func jobOps() []string {
	var steps []bench.Step
	for _, j := range jobs() {
		for _, s := range j.stages(sizes{n: 1, width: 4, side: 4, layers: fewLayers, t: shaders.F32}) {
			steps = append(steps, s.steps...)
		}
	}
	return bench.StepOps(steps)
}

func options() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, j := range jobs() {
		list = append(list, workloads.Option{Value: j.name, Axis: j.axis, Typical: j.typical})
	}
	return list
}

// variants returns how many variants a case has; for all jobs, the maximum.
func variants(v workloads.Values) int {
	most := 0
	for _, j := range jobs() {
		if name := v.String("pattern"); name == all || name == j.name {
			most = max(most, 1+len(j.stages(sizes{n: 1, width: 4, side: 4, layers: fewLayers})))
		}
	}
	return most
}

func run(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	build := func(at workloads.Point) bench.Case {
		all := jobs()
		j := all[slices.IndexFunc(all, func(j job) bool { return j.name == at.String("pattern") })]
		size := sizes{n: at.Int(j.axis), width: v.Int("width"), side: v.Int("side"), steps: v.Int("steps"), layers: fewLayers, t: dtypeOf(v)}
		return jobCase(&j, size, at)
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	for _, j := range jobs() {
		for _, results := range byCase(b.Results(), j.name) {
			n, _ := workloads.Number(results[0].Setting(j.axis))
			subject := workloads.Subject{Name: fmt.Sprintf("%s of %s in %v", j.title, workloads.WithUnit(fmt.Sprint(n), b.Workload.Axis(j.axis).Unit), dtypeOf(v))}
			b.Find(workloads.Stages(results, subject, whole)...)
			noteLoss(b, results, subject, v.Int("steps"))
		}
	}
	return nil
}

// noteLoss reports the loss before and after training, if the job has one.
func noteLoss(b *bench.Bench, results []workloads.Result, s workloads.Subject, steps int) {
	for i := range results {
		if first, last := results[i].Number(lossFirst), results[i].Number(lossLast); first > 0 {
			b.Find(workloads.Noted(&results[i], s, fmt.Sprintf("the loss fell from %s to %s in %s of one batch", si.Format(first, ""), si.Format(last, ""), si.Counted(steps, "step")))...)
		}
	}
}

// byCase groups the results of a job by case.
func byCase(results []workloads.Result, name string) [][]workloads.Result {
	var cases [][]workloads.Result
	for _, r := range results {
		if r.Setting("pattern") != name {
			continue
		}
		if n := len(cases); n > 0 && cases[n-1][0].Case == r.Case {
			cases[n-1] = append(cases[n-1], r)
		} else {
			cases = append(cases, []workloads.Result{r})
		}
	}
	return cases
}

func jobCase(j *job, size sizes, at workloads.Point) bench.Case {
	return bench.Case{
		Name: fmt.Sprintf("%s %d", j.name, size.n), Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) { return j.variants(s, size) },
	}
}

// variants are the whole job and its stages, which read the same inputs; the outputs of earlier stages are replaced by random values.
func (j *job) variants(s *bench.Scope, size sizes) ([]bench.Variant, error) {
	inputs := bench.Buffers{}
	if j.prepare != nil {
		if err := j.prepare(s, size, inputs); err != nil {
			return nil, err
		}
	}
	first := bench.Variant{Name: whole, Items: float64(size.n)}
	if j.check != nil {
		var err error
		if first.Adjust, err = j.check(s, size, inputs); err != nil {
			return nil, err
		}
	}
	stages := j.stages(size)
	var err error
	if first.Work, err = chain(s, inputs, stages...); err != nil {
		return nil, err
	}
	list := []bench.Variant{first}
	for _, st := range stages {
		v := bench.Variant{Name: st.name, Items: float64(size.n)}
		v.Work, v.Err = chain(s, inputs, st)
		list = append(list, v)
	}
	return list, nil
}

// chain is the work of a number of stages in sequence.
func chain(s *bench.Scope, inputs bench.Buffers, stages ...stage) (bench.Work, error) {
	var steps []bench.Step
	for _, st := range stages {
		steps = append(steps, st.steps...)
	}
	launches, err := s.Chain(steps, inputs)
	if err != nil {
		return nil, err
	}
	return s.Launches(launches), nil
}
