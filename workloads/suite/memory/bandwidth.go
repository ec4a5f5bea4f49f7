// Package memory has the workloads for memory: bandwidth, buffers and the pool.
package memory

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/stream"
	"assay/workloads"
	"assay/workloads/bench"
)

// Metrics of this workload.
const (
	ofBest metric.Name = "share_of_best"
	ofSpec metric.Name = "share_of_specification"
)

// all is the value of a choice that means each of the others.
const all = "all"

// Bandwidth measures how fast memory is read and written, by access pattern and working set.
func Bandwidth() workloads.Workload {
	const most = 4 << 20 // KiB
	return bench.WithTunables(workloads.Workload{
		Name: "bandwidth", Title: "Bandwidth", Group: "Memory",
		About:    "Bandwidth of each level of memory: operations, patterns, layouts, alignment and vector width, by working set.",
		Question: "How fast is memory, and what does a bad access pattern cost?",
		Params: []workloads.Param{
			{
				Name: "access", Title: "Access", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: accessOptions(), About: "What to compare, or all in turn.",
			},
			workloads.SweepEnd("min_set", "Smallest working set", "KiB", most, 4, "Bytes that a repetition reads and writes in the smallest case; the sweep doubles up to the largest."),
			workloads.SweepEnd("max_set", "Largest working set", "KiB", most, 256<<10, "Bytes in the largest case; a size beyond the last-level cache shows memory itself."),
			{
				Name: "stride", Title: "Stride", Type: workloads.Int, Unit: "elements", Min: 2, Max: 4096, Log2: true, Role: workloads.RoleVariant, Default: 32,
				About:   "Elements between consecutive reads of the strided pattern.",
				Applies: only("stride", "patterns"),
			},
			{
				Name: "chunk", Title: "Chunk", Type: workloads.Int, Unit: "elements", Min: 16, Max: 1 << 20, Log2: true, Role: workloads.RoleVariant, Default: 1024,
				About:   "Elements per chunk of the pattern that reads chunks in random order; a power of two.",
				Applies: only("chunk", "patterns"),
			},
		},
		Axes: []workloads.Axis{
			{Name: "access", Title: "Access"}, {Name: "set", Title: "Working set", Unit: "KiB"}, bench.FoundOperands(),
		},
		Metrics: metric.List{
			{
				Name: ofBest, Title: "Share of the best", Unit: "ratio", Shape: metric.Scalar, Better: metric.More,
				About: "Bandwidth as a share of the best variant of the same case.",
			},
			{
				Name: ofSpec, Title: "Share of specification", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 6,
				About: "Bandwidth as a share of the memory’s specified bandwidth, where it is known and operands come from memory.",
			},
		},
		Sweeps: []workloads.Sweep{{
			Axis: "set", From: "min_set", To: "max_set", Steps: workloads.Doubling, Title: "Working set",
			About: "Bytes that a repetition reads and writes; the sweep doubles them.",
		}},
		Quick:    map[string]any{"access": "patterns", "min_set": 256, "max_set": 16 << 10},
		Presets:  bandwidthPresets(),
		Valid:    bandwidthValid,
		Variants: func(v workloads.Values) int { return len(accessNamed(v.String("access")).ways) },
		Run:      bench.Run(runBandwidth),
		Views: []chart.View{
			{
				Facet: "access", X: chart.Enc{Of: "set", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Bandwidth)},
				Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Facet: "access", X: chart.Enc{Of: "set", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Speedup)},
				Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "no difference"}},
			},
		},
	}, "width=2", accessOps()...)
}

func bandwidthPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Access patterns at a few working sets; takes seconds.", map[string]any{"access": "patterns", "min_set": 256, "max_set": 16 << 10}),
		{
			Name: "caches", Title: "Caches", About: "Copy, scale, triad and sum from 4 KiB to 1 GiB: each level of caches, and memory.",
			Values: workloads.Values{"access": "operations", "max_set": 1 << 20},
		},
		{
			Name: "layouts", Title: "Layouts", About: "Rows, columns and transpositions of large matrices.",
			Values: workloads.Values{"access": "layouts", "min_set": 16 << 10},
		},
	}
}

// only explains why a parameter has no effect on the other kinds of access.
func only(param, access string) func(workloads.Values) error {
	return func(v workloads.Values) error {
		if a := v.String("access"); a != all && a != access {
			return fmt.Errorf("%s has no %s: choose %s", a, param, access)
		}
		return nil
	}
}

func bandwidthValid(v workloads.Values) error {
	if n := v.Int("chunk"); n&(n-1) != 0 {
		return workloads.NewParamError([]string{"chunk"}, "{chunk} is %v, want a power of two", n)
	}
	return nil
}

// access is what one kind of case compares: its ways, each with the first.
type access struct {
	name, title, about string
	subject            string // in sentences
	typical            bool
	ways               []access1
}

// access1 is one way to traverse memory.
type access1 struct {
	name, words string // of the variant; in sentences
	pick        shaders.Pick
	constants   shaders.Constants
	arrays      int // of n elements each, which make up the working set
	make        func(m *moving, n int) (params any, args []gpu.Buffer, err error)
}

// accessOps are the operations of all accesses.
func accessOps() []string {
	var ops []string
	for _, a := range accesses() {
		for i := range a.ways {
			ops = append(ops, a.ways[i].pick.Op)
		}
	}
	return ops
}

func accesses() []access {
	f32 := func(op, impl string) shaders.Pick { return shaders.Pick{Op: op, Impl: impl, Type: shaders.F32} }
	copied := func(name, words string, c shaders.Constants) access1 {
		return access1{name: name, words: words, pick: f32("copy", ""), constants: c, arrays: 2, make: copyArgs(0)}
	}
	off := copied("off by one", "reads from one element on", nil)
	off.make = copyArgs(1)
	wide := func(n int32, words string) access1 {
		return copied(fmt.Sprintf("%d wide", n), words, shaders.Constants{stream.Width: n})
	}
	return []access{
		{
			name: "operations", title: "Operations", subject: "Sequential access", about: "Copy, scale, triad and sum, from the first element to the last.",
			ways: []access1{
				copied("copy", "copy", nil),
				{name: "scale", words: "scale", pick: f32("scale", ""), arrays: 2, make: scaleArgs},
				{name: "triad", words: "triad", pick: f32("triad", ""), arrays: 3, make: triadArgs},
				{name: "sum", words: "sum, which only reads", pick: f32("sum", shaders.Plain), arrays: 1, make: sumArgs},
			},
		},
		{
			name: "patterns", title: "Patterns", subject: "Access patterns", typical: true, about: "Sequential, strided and random reads, and chunks in random order.",
			ways: []access1{
				copied("sequential", "sequential reads", nil),
				{name: "strided", words: "strided reads", pick: f32("transpose", shaders.Plain), arrays: 2, make: stridedArgs},
				{name: "random", words: "random reads", pick: f32("gather", ""), arrays: 2, make: gatherArgs(func(*moving) int { return 1 })},
				{name: "chunks", words: "chunks in random order", pick: f32("gather", ""), arrays: 2, make: gatherArgs(func(m *moving) int { return m.chunk })},
			},
		},
		{
			name: "layouts", title: "Layouts", subject: "Matrices", about: "Walking a matrix by rows or by columns, and transposing it naively or in tiles.",
			ways: []access1{
				{name: "rows", words: "a walk along its rows", pick: f32("copy_matrix", shaders.Plain), arrays: 2, make: matrixArgs},
				{name: "columns", words: "a walk along its columns", pick: f32("copy_matrix", stream.Columns), arrays: 2, make: matrixArgs},
				{name: "transpose", words: "naive transposition", pick: f32("transpose", shaders.Plain), arrays: 2, make: matrixArgs},
				{name: "transpose, tiled", words: "tiled transposition", pick: f32("transpose", stream.Tiled), arrays: 2, make: matrixArgs},
			},
		},
		{
			name: "alignment", title: "Alignment", subject: "Alignment", about: "Reads that start on a vector boundary, or one element past it.",
			ways: []access1{copied("aligned", "aligned reads", nil), off},
		},
		{
			name: "width", title: "Width", subject: "Vector width", about: "One, two, four or eight elements per thread.",
			ways: []access1{
				copied("4 wide", "four elements per thread", nil), wide(1, "one element per thread"), wide(2, "two elements per thread"),
				wide(8, "eight elements per thread"),
			},
		},
	}
}

// accessNamed returns the access of that name; for all, the one with the most ways.
func accessNamed(name string) access {
	list := accesses()
	best := list[0]
	for _, a := range list {
		if a.name == name {
			return a
		}
		if len(a.ways) > len(best.ways) {
			best = a
		}
	}
	return best
}

func accessOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, a := range accesses() {
		list = append(list, workloads.Option{Value: a.name, Title: a.title, About: a.about, Typical: a.typical})
	}
	return list
}

// wordsOf returns the words for a way in sentences.
func (a *access) wordsOf(variant string) string {
	for i := range a.ways {
		if a.ways[i].name == variant {
			return a.ways[i].words
		}
	}
	return variant
}

func runBandwidth(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	plan := &accessPlan{b: b, stride: v.Int("stride"), chunk: v.Int("chunk")}
	if err := b.MeasurePoints(ctx, v, plan.at); err != nil {
		return err
	}
	for _, a := range accesses() {
		plan.find(b, &a)
	}
	return nil
}

// find adds the findings for one kind of access.
func (p *accessPlan) find(b *bench.Bench, a *access) {
	curve := workloads.Curve{Axis: b.Workload.Axis("set"), Of: workloads.Bandwidth, Unit: "B/s"}
	first := curve
	for _, r := range b.Results() {
		if r.Setting("access") != a.name || r.Status != workloads.OK {
			continue
		}
		curve.Results = append(curve.Results, r)
		if r.Variant == a.ways[0].name {
			first.Results = append(first.Results, r)
		}
	}
	curve.Subject = workloads.Subject{Name: a.subject, Baseline: a.ways[0].words}
	first.Subject = workloads.Subject{Name: a.subject + ", " + a.ways[0].words}
	if a.name == accesses()[0].name {
		b.Find(first.Levels(p.reach(first.Results))...)
		b.Find(curve.Share(p.specified(), "the "+b.Engine.Info().Engine+" engine does not report its memory’s bandwidth", a.wordsOf)...)
		return
	}
	curve.Readings = curve.Rate
	b.Find(curve.Costs(a.wordsOf)...)
}

// specified returns the specified memory bandwidth; 0: not known.
func (p *accessPlan) specified() float64 { return p.b.Engine.Info().Bandwidth }

// reach says which level the largest working set does not show, if it fits the last-level cache.
func (p *accessPlan) reach(results []workloads.Result) string {
	cache := p.b.Engine.Info().LastLevelCache
	if len(results) == 0 || cache == 0 {
		return ""
	}
	kib, _ := workloads.Number(results[len(results)-1].Setting("set"))
	if largest := kib * si.Size("KiB"); largest < 2*float64(cache) {
		return fmt.Sprintf("The last-level cache holds %s: use a working set twice that size to measure memory.", si.Format(float64(cache), "iB"))
	}
	return ""
}

// accessPlan is what all cases of a run share.
type accessPlan struct {
	b             *bench.Bench
	stride, chunk int
}

func (p *accessPlan) at(at workloads.Point) bench.Case {
	a, kib := accessNamed(at.String("access")), at.Int("set")
	return bench.Case{
		Name: fmt.Sprintf("%s %s", a.name, si.Format(float64(kib)*si.Size("KiB"), "iB")), Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			m := &moving{Scope: s, stride: p.stride, chunk: p.chunk}
			var list []bench.Variant
			for i := range a.ways {
				v := a.ways[i].variant(m, kib<<10)
				if i > 0 {
					v.Baseline = a.ways[0].name
				}
				if v.Err != nil && !s.Tells(v.Name) { // what the engine does not support is reported once
					continue
				}
				list = append(list, v)
			}
			return list, nil
		},
		Adjust: p.relate,
	}
}

// relate sets the shares of the best result and of the specification.
func (p *accessPlan) relate(results []workloads.Result) {
	rate := func(r *workloads.Result) float64 { return r.Number(workloads.Bytes) / r.Time().Median }
	best := 0.0
	for i := range results {
		if results[i].Status == workloads.OK {
			best = max(best, rate(&results[i]))
		}
	}
	for i := range results {
		r := &results[i]
		if r.Status != workloads.OK {
			continue
		}
		r.Values.SetNumber(ofBest, rate(r)/best)
		if spec := p.specified(); spec > 0 && r.Setting("operands") == bench.FromMemory {
			r.Values.SetNumber(ofSpec, rate(r)/spec)
		}
	}
}
