// Package graphs has the workload for op graphs: what fusing them saves, predicted and measured.
package graphs

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/graph"
)

// Graphs measures op graphs as written and fused.
func Graphs() workloads.Workload {
	return workloads.Workload{
		Name: "graph", Title: "Op graphs", Group: "Throughput",
		About:    "An op graph as written, with one dispatch per operation, and after its fusion passes: predicted and measured savings.",
		Question: "What does fusing a whole graph save?",
		Params:   params(), Metrics: metrics(),
		Axes: []workloads.Axis{
			{Name: "graph", Title: "Graph"},
			{Name: "source", Title: "File"},
			{Name: "size", Title: "First size", Phrase: "a first size of %s"},
			bench.FoundOperands(),
			bench.FoundKernel(),
		},
		Quick:   map[string]any{"sizes": "rows=64, tokens=64, side=32, width=128, columns=256"},
		Presets: presets(),
		Sweeps: []workloads.Sweep{{
			Axis: "size", From: "min_size", To: "max_size", Steps: workloads.Doubling, Title: "First size",
			About: "The first size that a graph names, such as rows or tokens; the sweep doubles it, and 0 leaves it as written.",
		}},
		Valid: valid, Ready: ready,
		Variants: func(workloads.Values) int { return 3 },
		Run:      bench.Run(run),
		Views:    views(),
	}
}

// Values of the parameters graph and dtype, and variants.
const (
	all     = "all"
	ofFile  = "file"
	written = "written"

	unfused = "unfused"
	fused   = "fused"
	removed = "removed dispatch"
)

func params() []workloads.Param {
	end := func(name, title, about string) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "elements", Min: 0, Max: 65536, Zero: "as written", Default: 0,
			Role: workloads.RoleSweep, About: about,
		}
	}
	return []workloads.Param{
		{
			Name: "graph", Title: "Graph", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all, Choices: options(),
			About: "Which graph to measure: a built-in one, the one in the file, or all.",
		},
		{
			Name: "file", Title: "File", Type: workloads.File, Default: "", Role: workloads.RoleCase, Axis: "source",
			About: "A text file with an op graph.",
		},
		{
			Name: "sizes", Title: "Sizes", Type: workloads.Text, Default: "", Role: workloads.RoleCase, Applies: usesSizes,
			About: "New values for sizes that the graphs name, such as rows=64, width=256; empty: as written.",
		},
		{
			Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase, Default: written,
			Choices: []workloads.Option{{Value: written, Title: "As written"}, {Value: "f32"}, {Value: "f16"}},
			About:   "Format of all values between kernels; arithmetic is in f32.",
		},
		{
			Name: "passes", Title: "Passes", Type: workloads.Text, Default: all, Role: workloads.RoleCase,
			About: "Fusion passes: all, none, a comma-separated list, or a name after a minus sign for all but that one.",
		},
		end("min_size", "Smallest first size", "The first size of each graph in the smallest case; 0: as written."),
		end("max_size", "Largest first size", "The first size of each graph in the largest case; the sweep doubles up to it."),
	}
}

func options() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, e := range graph.Examples() {
		list = append(list, workloads.Option{Value: e.Name, Title: e.Title, About: e.About, Typical: e.Name == "chain"})
	}
	return append(list, workloads.Option{
		Value: ofFile, Title: "File", Typical: true, Applies: func(v workloads.Values) bool { return v.String("file") != "" },
	})
}

// Metrics of this workload.
const (
	saving     metric.Name = "saving"
	predicted  metric.Name = "predicted_saving"
	planned    metric.Name = "planned_bytes"
	difference metric.Name = "difference"
)

func metrics() metric.List {
	return metric.List{
		{
			Name: saving, Title: "Time saved", Unit: "ratio", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Share of the unfused graph’s time that fusion saves, from paired samples; negative where fusion is slower.",
		},
		{
			Name: predicted, Title: "Predicted", Unit: "ratio", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Share that the plan predicts: the dispatches saved, each costed as an addition that moves the average bytes per dispatch, timed in the same case.",
		},
		{
			Name: planned, Title: "Memory planned", Unit: "B", Shape: metric.Scalar, Better: metric.Less, Shown: true, Spare: 5,
			About: "Memory of all results, excluding inputs, as the plan lays it out.",
		},
		workloads.HeldMetric("Memory of all results, excluding inputs, as the engine allocated it."),
		{
			Name: difference, Title: "Difference", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less, Spare: 6,
			About: "Largest difference between an output and the unfused graph’s, relative to the output’s largest magnitude.",
		},
	}
}

func views() []chart.View {
	var names []string
	for _, e := range graph.Examples() {
		names = append(names, e.Name)
	}
	by := func(title string, of metric.Name, facet string) chart.View {
		return chart.View{
			Title: title, Facet: facet, X: chart.Enc{Of: "graph", Scale: chart.Category}, Y: chart.Enc{Of: string(of)},
			Places: []string{unfused, fused, removed}, Layers: []chart.Layer{chart.Bars{}},
		}
	}
	return []chart.View{
		by("Time", workloads.Time, "size"),
		{
			Title: "Predicted and measured", X: chart.Enc{Of: string(predicted), Title: "Predicted saving"}, Y: chart.Enc{Of: string(saving), Title: "Measured saving"},
			Color: "graph", Places: append(names, ofFile), Layers: []chart.Layer{chart.Points{}, chart.Rule{Y: 0, Label: "no difference"}},
		},
		{
			Title: "By size", X: chart.Enc{Of: "size", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Speedup), Title: "Speedup over unfused"},
			Color: "graph", Places: append(names, ofFile), Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "no difference"}},
		},
		by("Memory", workloads.HeldBytes, "size"),
	}
}

func presets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All graphs at small sizes; takes seconds.", map[string]any{"sizes": "rows=64, tokens=64, side=32, width=128, columns=256"}),
		{
			Name: "by-size", Title: "By size", About: "Each graph from 32 to 512 rows, tokens or pixels, to find where fusing pays.",
			Values: workloads.Values{"min_size": 32, "max_size": 512},
		},
		{Name: "half-precision", Title: "Half precision", About: "All graphs in f16, with half the memory traffic.", Values: workloads.Values{"dtype": "f16"}},
		{
			Name: "memory-only", Title: "Memory only", About: "No fusion, only memory reuse: what memory planning alone saves.",
			Values: workloads.Values{"passes": "memory"},
		},
	}
}

func run(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	s, err := newSettings(v)
	if err != nil {
		return err
	}
	var cases []bench.Case
	for _, at := range b.Workload.Points(v) {
		j, err := s.job(at)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(cases, func(c bench.Case) bool { return c.Name == j.name }) { // a graph without sizes is one case
			cases = append(cases, j.measured())
		}
	}
	if err := b.MeasureAll(ctx, cases); err != nil {
		return err
	}
	find(b, s)
	return nil
}

// find reports for each graph what fusing saves at its largest size, and, if there are several sizes, where it pays.
func find(b *bench.Bench, s *settings) {
	var largest []workloads.Result
	curves, sizes := map[any]*workloads.Curve{}, map[any]int{}
	for _, r := range b.Results() {
		if r.Variant != fused {
			continue
		}
		name := r.Setting("graph")
		if c := curves[name]; c == nil {
			axis := b.Workload.Axis("size")
			axis.Phrase = s.first[r.Case] + " = %s"
			curves[name] = &workloads.Curve{Axis: axis, Of: workloads.Speedup, Subject: s.subject(&r, false)}
		} else {
			largest = largest[:len(largest)-1]
		}
		largest, sizes[name] = append(largest, r), sizes[name]+1
		curves[name].Add(r)
	}
	results := b.Results()
	for i := range largest {
		r := &largest[i]
		base := slices.IndexFunc(results, func(o workloads.Result) bool { return o.Case == r.Case && o.Variant == unfused })
		if base >= 0 {
			b.Find(workloads.Saved(&results[base], r, s.subject(r, true), verdict(&results[base], r))...)
		}
		if name := r.Setting("graph"); sizes[name] > 1 {
			b.Find(curves[name].Crossover()...)
		}
	}
}

// subject names a graph in a sentence, with its size or for all sizes.
func (s *settings) subject(r *workloads.Result, sized bool) workloads.Subject {
	name := fmt.Sprint(r.Setting("graph"))
	if i := slices.IndexFunc(graph.Examples(), func(e graph.Example) bool { return e.Name == name }); i >= 0 {
		name = graph.Examples()[i].Title
	} else if source := r.Setting("source"); source != nil {
		name = fmt.Sprint(source)
	}
	if n, is := r.Setting("size").(int); is && sized {
		name += fmt.Sprintf(" with %s = %d", s.first[r.Case], n)
	}
	return workloads.Subject{Name: name, Way: "the fused graph", Baseline: "the unfused graph"}
}
