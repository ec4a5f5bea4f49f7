package throughput

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/shaders"
	"assay/shaders/entropy"
	"assay/workloads"
	"assay/workloads/bench"
)

// Entropy measures ways to count bytes in windows.
func Entropy() workloads.Workload {
	shortest, most, sweep := lengths(10_000_000)
	shortest.Unit, most.Unit = "bytes", "bytes"
	shortest.Max, most.Max = 1<<26, 1<<26
	shortest.Default = 10_000
	return bench.WithTunables(workloads.Workload{
		Name: "entropy", Title: "Entropy", Group: "Throughput",
		About:    "The entropy of windows of 256 bytes at a fixed stride: a histogram per thread, per threadgroup, or kept from window to window.",
		Question: "Where should a kernel keep a histogram?",
		Params: []workloads.Param{
			{
				Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: byGroup, Title: "Threadgroup", About: "One histogram in threadgroup memory, for one window.", Needs: needsImpl("entropy", entropy.Shared)},
					{Value: byKeeping, Title: "Rolling", About: "A histogram kept from window to window.", Typical: true, Needs: needsImpl("entropy", entropy.Rolling)},
				},
				About: "What to compare with a histogram per thread, or both.",
			},
			bench.OperandsParam(bench.FromMemory),
			shortest, most,
			{
				Name: "stride", Title: "Stride", Type: workloads.Int, Unit: "bytes", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleCase,
				Default: 64, About: "Bytes from one window to the next; windows overlap below 256.",
			},
		},
		Axes: []workloads.Axis{
			bench.OperandsAxis(),
			{Name: "elements", Title: "Length", Unit: "bytes"},
			bench.FoundKernel(),
		},
		Quick:    entropyQuick(),
		Presets:  entropyPresets(),
		Sweeps:   []workloads.Sweep{sweep},
		Valid:    entropyValid,
		Variants: counted(histograms),
		Run:      bench.Run(runEntropy),
		Views:    views(byBytes(), histograms(), workloads.ItemRate, workloads.Speedup),
	}, "threads=64", "entropy")
}

// maxWindows keeps a dispatch below a tenth of a second on a GPU that counts ten billion bytes per second.
const maxWindows = 1 << 21

func entropyValid(v workloads.Values) error {
	n, stride := v.Int("max_elements"), v.Int("stride")
	if n/stride > maxWindows {
		return workloads.NewParamError([]string{"stride", "max_elements"}, "{max_elements} is %v and {stride} %v, which makes %v windows; the maximum is %v, reached with a {stride} of %v", n, stride, n/stride, maxWindows, (n+maxWindows-1)/maxWindows)
	}
	return nil
}

func entropyQuick() map[string]any {
	return map[string]any{"min_elements": 10_000, "max_elements": 1_000_000}
}

func entropyPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("A few lengths; takes seconds.", entropyQuick()),
		{
			Name: "every-byte", Title: "Every byte", About: "A window around every byte, as in a scan for packed or encrypted parts of a file.",
			Values: workloads.Values{"stride": 1, "min_elements": 1000, "max_elements": 1_000_000},
		},
		{
			Name: "blocks", Title: "Blocks", About: "Windows that do not overlap: an entropy per block of 256 bytes.",
			Values: workloads.Values{"stride": 256, "max_elements": 50_000_000},
		},
	}
}

// What distinguishes histograms: the values of the parameter compare.
const (
	byGroup   = "threadgroup"
	byKeeping = "rolling"
)

// histogram is where the bytes of a window are counted.
type histogram struct {
	way
	impl string
}

const perThread = "per thread"

func histograms() []histogram {
	return []histogram{
		{way: way{name: perThread}, impl: shaders.Plain},
		{way: way{"per threadgroup", byGroup, "a histogram per threadgroup"}, impl: entropy.Shared},
		{way: way{"rolling", byKeeping, "a histogram kept from window to window"}, impl: entropy.Rolling},
	}
}

func byBytes() versus { return versus{axis: "elements", scale: chart.Log10} }

func runEntropy(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	stride, ways := v.Int("stride"), compared(histograms(), v.String("compare"))
	missing := lacking(v.String("compare") == all)
	build := func(at workloads.Point) bench.Case { return entropyCase(stride, ways, missing, at) }
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	find(b, byBytes(), ways, func(string) workloads.Subject {
		return workloads.Subject{Name: fmt.Sprintf("Entropy at every %s", ordinal(stride)), Baseline: "a histogram per thread"}
	})
	return nil
}

// ordinal is "byte", "2nd byte", "64th byte".
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	if n == 1 {
		return "byte"
	}
	return fmt.Sprintf("%d%s byte", n, suffix)
}

func entropyCase(stride int, ways []histogram, missing *lacks, at workloads.Point) bench.Case {
	n := at.Int("elements")
	p := entropy.EntropyParams{N: uint32(n), Stride: uint32(stride)}
	return bench.Case{
		Name:     fmt.Sprintf("entropy %d", n) + bench.OperandsSuffix(at.String("operands"), bench.FromMemory),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			rotation := s.Rotation(at.String("operands"), int64(n), maxSets)
			var variants []bench.Variant
			for _, h := range ways {
				variants = missing.add(s, variants, h.variant(s, p, rotation))
			}
			return variants, nil
		},
	}
}

func (h *histogram) variant(s *bench.Scope, p entropy.EntropyParams, rotation bench.Rotation) bench.Variant {
	v := bench.Variant{Name: h.name, Items: float64(p.Read()), Baseline: h.baseline(perThread)}
	if v.Err = s.Supports(shaders.Pick{Op: "entropy", Impl: h.impl, Type: shaders.I8}); v.Err != nil {
		return v
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) {
		x, err := s.Random(shaders.I8, int(p.N), "x")
		if err != nil {
			return nil, err
		}
		out, err := s.Output(shaders.F32, p.Windows(), "entropy")
		if err != nil {
			return nil, err
		}
		l, err := s.Dispatch(shaders.Pick{Op: "entropy", Impl: h.impl, Type: shaders.I8}, nil, p, x, out)
		return []gpu.Launch{l}, err
	})
}
