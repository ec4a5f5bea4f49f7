// Package latency has the workloads for latency, compilation and overlap.
package latency

import (
	"context"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench"
)

// Metrics of this workload.
const (
	sourceTime   metric.Name = "source_s"
	pipelineTime metric.Name = "pipeline_s"
)

// The variants.
const (
	cold = "cold"
	warm = "warm"
)

// Compile measures how long kernels take from source to pipeline. It runs on the host and dispatches nothing.
func Compile() workloads.Workload {
	return workloads.Workload{
		Name: "compile", Title: "Compile time", Group: "Latency",
		About:    "How long a kernel takes to compile, from source and from the disk cache, for a few kernels or for all.",
		Question: "What does compiling kernels cost at start?",
		Params: []workloads.Param{{
			Name: "kernel", Title: "Kernel", Type: workloads.Choice, Default: few, All: few, Role: workloads.RoleCase,
			Choices: kernelOptions(), About: "Which kernel to compile, the four offered here, or every kernel, which takes minutes.",
		}},
		Axes: []workloads.Axis{{Name: "kernel", Title: "Kernel"}, {Name: "start", Title: "Start"}},
		Metrics: metric.List{
			{
				Name: sourceTime, Title: "From source", Unit: "s", Shape: metric.Interval, Better: metric.Less, Shown: true,
				About: "Median time of the compiler's front end, from source text to a library.",
			},
			{
				Name: pipelineTime, Title: "To pipeline", Unit: "s", Shape: metric.Interval, Better: metric.Less, Shown: true,
				About: "Median time from a library to a pipeline for the device.",
			},
		},
		Quick: map[string]any{"kernel": "add"},
		Needs: []workloads.Need{{Ability: func(e gpu.Engine) error { _, err := compilerOf(e); return err }}},
		Presets: []workloads.Preset{
			workloads.QuickLook("Only the smallest source.", map[string]any{"kernel": "add"}),
			{Name: "all-kernels", Title: "All kernels", About: "Every kernel, cold and warm; takes minutes.", Values: workloads.Values{"kernel": every}},
			{Name: "gemm", Title: "Matrix product", About: "Only the largest source.", Values: workloads.Values{"kernel": "matmul"}},
		},
		Run: bench.Run(runCompile),
		Views: []chart.View{
			{
				X: chart.Enc{Of: "kernel", Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Time), Title: "Compile time"},
				Color: "start", Places: []string{cold, warm}, Layers: []chart.Layer{chart.Bars{}},
			},
			{
				Title: "Spread", Facet: "kernel", Most: 8, X: chart.Enc{Of: string(workloads.Time), Title: "Compile time"},
				Color: "start", Places: []string{cold, warm}, Layers: []chart.Layer{chart.Histogram{}},
			},
		},
		Pairs: &workloads.Pairs{Title: "Cold and warm, longest first", Axis: "kernel", Baseline: cold, Way: warm, Ratio: "Cold ÷ warm"},
	}
}

// picks are kernels with small and large sources.
func picks() []shaders.Pick {
	return []shaders.Pick{
		{Op: "add", Type: shaders.F32},
		{Op: "rmsnorm", Type: shaders.F32},
		{Op: "matmul", Type: shaders.F32},
		{Op: "matmul_quant", Type: shaders.I4},
	}
}

// Choices that stand for several kernels.
const (
	few   = "few"
	every = "all"
)

// enough is how many samples of each variant are taken even after the budget is spent, for all kernels: that many give an interval.
const enough = 6

func kernelOptions() []workloads.Option {
	list := []workloads.Option{{Value: few, Title: "a few"}, {Value: every, Title: "all", Each: sources()}}
	for _, p := range picks() {
		list = append(list, workloads.Option{Value: p.Op, Typical: p.Op == "matmul"})
	}
	return list
}

// sources lists the names of the kernels that have a source, in order.
func sources() (names []string) {
	for _, k := range catalog.All() {
		if k.Impl.Library == shaders.Own {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}

func runCompile(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	c, err := compilerOf(b.Engine)
	if err != nil {
		return b.MeasureAll(ctx, []bench.Case{{Name: "compile", Build: func(*bench.Scope) ([]bench.Variant, error) { return nil, err }}})
	}
	if v.String("kernel") == every {
		b.Options.LateSamples = enough
	}
	var cases []bench.Case
	for _, at := range b.Workload.Points(v) {
		cases = append(cases, compileCase(c, at))
	}
	if err := b.MeasureAll(ctx, cases); err != nil {
		return err
	}
	b.Find(workloads.Totals(b.Results(), workloads.Subject{Name: "Compiling the measured kernels", Way: "from the cache on disk", Baseline: "from source"}, cold, warm)...)
	return nil
}

// compilerOf returns the engine's compiler; ErrUnsupported if it compiles nothing.
func compilerOf(e gpu.Engine) (gpu.Compiler, error) {
	c, ok := gpu.As[gpu.Compiler](e)
	if !ok {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "compile", "", "the kernels of engine %s are part of the program", e.Info().Engine)
	}
	return c, nil
}

func compileCase(c gpu.Compiler, at workloads.Point) bench.Case {
	name := at.String("kernel")
	return bench.Case{
		Name: "compile " + name, Settings: at,
		Build: func(*bench.Scope) ([]bench.Variant, error) {
			k, err := kernelOf(name)
			if err != nil {
				return nil, err
			}
			return []bench.Variant{compiling(c, k, cold, ""), compiling(c, k, warm, cold)}, nil
		},
	}
}

// kernelOf returns the kernel of that name, or the one measured for an operation.
func kernelOf(name string) (shaders.Kernel, error) {
	if k, ok := catalog.Default().Find(name); ok {
		return k, nil
	}
	for _, p := range picks() {
		if p.Op == name {
			return catalog.Default().Pick(p)
		}
	}
	return shaders.Kernel{}, fmt.Errorf("no kernel %q", name)
}

// compiling is one variant of compiling the kernel. The time of a sample is the key to its parts.
func compiling(c gpu.Compiler, k shaders.Kernel, start, baseline string) bench.Variant {
	sources := map[float64]float64{} // per sample: seconds in the front end, by total seconds
	v := bench.Variant{Name: start, Baseline: baseline, Settings: []workloads.Setting{{Name: "start", Value: start}}}
	v.Work = bench.Host(func(ctx context.Context, reps int) (float64, error) {
		var source, all float64
		for range reps {
			done, err := c.Recompile(ctx, k, start == cold)
			if err != nil {
				return 0, err
			}
			source, all = source+done.SourceSeconds, all+done.Seconds
		}
		n := float64(reps)
		sources[all/n] = source / n
		return all / n, nil
	})
	v.Adjust = func(r *workloads.Result) {
		if r.Status != workloads.OK {
			return
		}
		var front, back []float64
		for _, all := range r.Samples {
			front, back = append(front, sources[all]), append(back, all-sources[all])
		}
		r.Values.Set(sourceTime, stats.Median(front).Interval)
		r.Values.Set(pipelineTime, stats.Median(back).Interval)
	}
	return v
}
