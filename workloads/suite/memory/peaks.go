package memory

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
	"assay/shaders/peak"
	"assay/workloads"
	"assay/workloads/bench"
)

// ofMemory is the value of the peaks' axis for bandwidth; the others are formats.
const ofMemory = "bandwidth"

// Peaks measures the highest rates of a device for compute and memory, which results of other workloads are related to.
func Peaks() workloads.Workload {
	const most = 4 << 20 // KiB
	return workloads.Workload{
		Name: workloads.PeaksName, Title: "Peaks", Group: "Memory",
		About:    "Peak rates of this device: multiply-adds in registers, large GEMMs, and bandwidth by working set; later results are shown as shares of them.",
		Question: "How fast is this device at its peak, and how close does my kernel come?",
		Params: []workloads.Param{
			{
				Name: workloads.PeakAxis, Title: "Peak of", Type: workloads.Choice, Role: workloads.RolePlan, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: "f32", About: "Multiply-adds and matrix products of 32-bit floats."},
					{Value: "f16", About: "The same in 16 bits."},
					{Value: "bf16", About: "The same in bfloat16."},
					{Value: "int8", About: "Products of 8-bit integers with 32-bit sums."},
					{Value: ofMemory, Title: "Bandwidth", Axis: workloads.PeakSet, Typical: true, About: "Copy, scale, triad and sum by working set."},
				},
				About: "What to measure, or all in turn.",
			},
			workloads.SweepEnd("min_set", "Smallest working set", "KiB", most, 16, "Bytes that a repetition reads and writes in the smallest case; the sweep doubles up to the largest."),
			workloads.SweepEnd("max_set", "Largest working set", "KiB", most, 512<<10, "Bytes in the largest case; they should exceed the last-level cache."),
			{
				Name: "elements", Title: "Elements", Type: workloads.Int, Unit: "elements", Min: 0, Max: 1 << 26, Zero: "enough to keep the device busy", Default: 0,
				Role: workloads.RoleCase, About: "Elements for the multiply-adds in registers; 0: enough to keep the device busy.",
			},
			{
				Name: "size", Title: "Product", Type: workloads.Int, Unit: "rows", Min: 0, Max: 8192, Zero: "as large as suits the device", Default: 0,
				Role: workloads.RoleCase, About: "M, N and K of the products; 0: 1024 on a CPU, 4096 on a GPU.",
			},
		},
		Axes: []workloads.Axis{
			{Name: workloads.PeakAxis, Title: "Peak of"},
			{Name: workloads.PeakSet, Title: "Working set", Unit: "KiB"},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Sweeps: []workloads.Sweep{{
			Axis: workloads.PeakSet, From: "min_set", To: "max_set", Steps: workloads.Doubling, Title: "Working set",
			About: "Bytes that a repetition reads and writes; the sweep doubles them.",
		}},
		Quick: map[string]any{"min_set": 64, "max_set": 64 << 10},
		Presets: []workloads.Preset{
			workloads.QuickLook("All formats, and bandwidth up to 64 MiB; takes seconds.", map[string]any{"min_set": 64, "max_set": 64 << 10}),
			{
				Name: "arithmetic", Title: "32-bit floats", About: "Only multiply-adds and products in f32.",
				Values: workloads.Values{workloads.PeakAxis: "f32"},
			},
			{
				Name: "memory", Title: "Memory", About: "Bandwidth from 16 KiB to 2 GiB: each level of caches, and memory.",
				Values: workloads.Values{workloads.PeakAxis: ofMemory, "max_set": 2 << 20},
			},
		},
		Variants: func(workloads.Values) int { return 4 },
		Run:      bench.Run(runPeaks),
		Views: []chart.View{
			{
				Facet: workloads.PeakAxis, X: chart.Enc{Of: workloads.PeakSet, Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Bandwidth)},
				Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Title: "Arithmetic", X: chart.Enc{Of: workloads.PeakAxis, Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Throughput)},
				Layers: []chart.Layer{chart.Bars{}},
			},
		},
	}
}

func runPeaks(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	p := &peakPlan{v: v, gpu: b.Engine.Info().GPU}
	if err := b.MeasurePoints(ctx, v, p.at); err != nil {
		return err
	}
	b.Find(peaksFound(b.Workload, b.Results())...)
	return nil
}

// peaksFound reports the highest rate of each format, and the bandwidth levels with the best result for the largest working set.
func peaksFound(w *workloads.Workload, results []workloads.Result) []workloads.Finding {
	of := map[string][]workloads.Result{}
	for _, r := range results {
		name, _ := r.Setting(workloads.PeakAxis).(string)
		of[name] = append(of[name], r)
	}
	var found []workloads.Finding
	p, _ := w.Param(workloads.PeakAxis)
	for _, format := range p.ChoiceValues() {
		if format != ofMemory {
			found = append(found, workloads.Peak("Arithmetic in "+format, workloads.Throughput, "FLOP/s", of[format])...)
		}
	}
	curve := workloads.Curve{Axis: w.Axis(workloads.PeakSet), Of: workloads.Bandwidth, Unit: "B/s", Subject: workloads.Subject{Name: "Bandwidth"}}
	for _, r := range of[ofMemory] {
		if r.Status == workloads.OK && r.Variant == accesses()[0].ways[0].name {
			curve.Results = append(curve.Results, r)
		}
	}
	return append(found, curve.Levels("")...)
}

// peakPlan is what the cases of a run share.
type peakPlan struct {
	v   workloads.Values
	gpu bool
}

func (p *peakPlan) at(at workloads.Point) bench.Case {
	if format := at.String(workloads.PeakAxis); format != ofMemory {
		return bench.Case{Name: "arithmetic in " + format, Settings: at, Build: func(s *bench.Scope) ([]bench.Variant, error) {
			return p.arithmetic(s, format), nil
		}}
	}
	kib := at.Int(workloads.PeakSet)
	return bench.Case{
		Name: "bandwidth over " + si.Format(float64(kib)*si.Size("KiB"), "iB"), Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			m := &moving{Scope: s}
			var list []bench.Variant
			for _, w := range accesses()[0].ways {
				v := w.variant(m, kib<<10)
				if v.Err == nil || s.Tells(v.Name) { // what the engine does not support is reported once
					list = append(list, v)
				}
			}
			return list, nil
		},
	}
}

// elements and steps of multiply-adds: a few milliseconds of work on any device, mostly neither launch overhead nor memory traffic.
func (p *peakPlan) elements() uint32 {
	const cpu, gpu = 1 << 20, 1 << 24
	switch n := p.v.Int("elements"); {
	case n > 0:
		return uint32(n+3) / 4 * 4
	case p.gpu:
		return gpu
	}
	return cpu
}

func (p *peakPlan) size() uint32 {
	const cpu, gpu = 1024, 4096
	switch n := p.v.Int("size"); {
	case n > 0:
		return uint32(n)
	case p.gpu:
		return gpu
	}
	return cpu
}

// arithmetic returns the ways to compute in a format: in registers, in register tiles, and as GEMMs with each library and with the
// kernel chosen for the device.
func (p *peakPlan) arithmetic(s *bench.Scope, format string) []bench.Variant {
	var list []bench.Variant
	inputs := bench.Buffers{}
	for _, w := range p.ways(format) {
		if l := w.library; l != shaders.Own && !s.MayHave(l) {
			continue
		}
		v := bench.Variant{Name: w.name}
		if v.Err = s.SupportsCall(w.step.Pick, w.step.Constants, w.step.Params); v.Err == nil {
			var launches []gpu.Launch
			launches, v.Err = s.Chain([]bench.Step{w.step}, inputs)
			v.Work = s.Launches(launches)
		}
		list = append(list, v)
	}
	return list
}

// peakWay is a way to compute as fast as possible.
type peakWay struct {
	name    string
	library shaders.Library
	step    bench.Step
}

// Steps of multiply-adds by format. Formats that round to 16 bits at each step take few, so that the number of steps still shows in
// the result.
const (
	floatSteps = 512
	halfSteps  = 128
	byteSteps  = 512
	tileSteps  = 512
)

func (p *peakPlan) ways(format string) []peakWay {
	n, size := p.elements(), p.size()
	if format == "int8" {
		return append([]peakWay{{name: "multiply-add", step: bench.Step{
			Pick: shaders.Pick{Op: "dot_add", Type: shaders.I8}, Params: peak.StepsParams{N: n, Steps: byteSteps}, Args: []string{"x", "sums"},
		}}}, products("matmul_int8", shaders.I8, gemm.Int8MatmulParams{M: size, N: size, K: size}, nil, []string{"a", "weights", "product"})...)
	}
	t := bench.Types(format)[0]
	var list []peakWay
	if t != shaders.BF16 {
		steps := uint32(floatSteps)
		if t == shaders.F16 {
			steps = halfSteps
		}
		list = append(list, peakWay{name: "multiply-add", step: bench.Step{
			Pick: shaders.Pick{Op: "multiply_add", Type: t}, Params: peak.StepsParams{N: n, Steps: steps}, Args: []string{"x", "swung"},
		}})
	}
	list = append(list, peakWay{name: "tiles", step: bench.Step{
		Pick: shaders.Pick{Op: "multiply_add_tiles", Type: t}, Params: peak.TileStepsParams{SIMDs: max(1, n>>11), Steps: tileSteps},
		Args: []string{"tiles of a", "tiles of b", "sums"},
	}})
	params := gemm.MatmulParams{M: size, N: size, K: size, Batch: 1}
	return append(list, products("matmul", t, params, shaders.Constants{gemm.TransposeB: 1}, []string{"a", "b", bench.None, "product"})...)
}

// products are GEMMs with the kernel chosen for the device, and with each library.
func products(op string, t shaders.Type, params any, c shaders.Constants, args []string) []peakWay {
	step := bench.Step{Pick: shaders.Pick{Op: op, Type: t}, Params: params, Constants: c, Args: args}
	list := []peakWay{{name: "product", step: step}}
	for _, k := range catalog.Default().Op(op) {
		if m := k.Impl; m.Library != shaders.Own && k.Type == t {
			by := step
			by.Impl = m.Name
			list = append(list, peakWay{name: fmt.Sprintf("product, %s", m.Library.Short()), library: m.Library, step: by})
		}
	}
	return list
}
