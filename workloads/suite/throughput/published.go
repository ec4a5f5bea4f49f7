package throughput

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Published measures what published tables claim, and shows their figures next to its own.
func Published() workloads.Workload {
	return workloads.Workload{
		Name: "published", Title: "Published", Group: "Throughput",
		About:    "What two published guides for Apple GPUs claim, measured here; what they leave out is stated.",
		Question: "How do published figures compare with this machine?",
		Params: []workloads.Param{
			{
				Name: "tables", Title: "Tables", Type: workloads.Choice, Role: workloads.RolePlan, All: all, Default: all,
				Choices: publishedTables(), About: "Which published table to measure, or all of them in turn.",
				Applies: func(v workloads.Values) error {
					if item := v.String("item"); item != all {
						return fmt.Errorf("not used while %s alone is measured", item)
					}
					return nil
				},
			},
			{
				Name: "item", Title: "Row", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: publishedOptions(), About: "Which row of the tables to measure, or all in turn.",
			},
			dtypeParam("Format of the operands, which one of the guides does not state; arithmetic is always in f32.", bench.OneOf("matmul", "add")),
			{
				Name: "scale", Title: "Size", Type: workloads.Int, Unit: "% of the published", Min: 1, Max: 100, Default: 100, Role: workloads.RoleCase,
				Axis: "shape", About: "Size of each dimension; published figures are shown only at 100 %.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "item", Title: "Row"},
			{Name: "table", Title: "Table"},
			{Name: "shape", Title: "Shape"},
			{Name: "way", Title: "Way"},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Metrics:  workloads.PublishedMetrics(),
		Quick:    publishedQuick(),
		Presets:  publishedPresets(),
		Variants: func(workloads.Values) int { return 2 },
		Run:      bench.Run(runPublished),
		Views:    []chart.View{publishedView(workloads.Time, "s"), publishedView(workloads.Speedup, "×")},
	}
}

// Ways: which of the two variants it is; their names differ from row to row.
const (
	plainly  = "plain"
	improved = "improved"
)

func publishedQuick() map[string]any { return map[string]any{"tables": operationsTable} }

func publishedPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("The four operations of one table; takes half a minute.", publishedQuick()),
		{Name: "batching-tables", Title: "Batching", About: "What a guide says about batches and efficient sizes.", Values: workloads.Values{"tables": batchingTable}},
		{Name: "fusion-claims", Title: "Fusion", About: "How much faster a guide says fused kernels are.", Values: workloads.Values{"tables": fusionTable}},
		{Name: "half-precision", Title: "Half precision", About: "All rows in f16, the default of one of the guides.", Values: workloads.Values{"dtype": "f16"}},
	}
}

func publishedOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, p := range publishedItems() {
		list = append(list, workloads.Option{
			Value: p.name, Title: p.title(full), Typical: p.typical,
			Applies: func(v workloads.Values) bool { t := v.String("tables"); return t == all || t == p.table },
		})
	}
	return list
}

// publishedView draws a metric of the rows of each table, with the published figures in that unit as separate markers. They appear at
// the shape they apply to, and not at all if another shape was measured.
func publishedView(of metric.Name, unit string) chart.View {
	marks := map[string][]chart.Reference{}
	for _, p := range publishedItems() {
		at := p.title(full)
		for _, f := range p.figures {
			for _, y := range f.heights(unit) {
				marks[at] = append(marks[at], chart.Reference{Source: "published: " + string(p.source), Label: f.of, Y: y})
			}
		}
	}
	return chart.View{
		Facet: "table", X: chart.Enc{Of: "shape", Scale: chart.Category}, Y: chart.Enc{Of: string(of), Scale: chart.Log10},
		Color: "way", Places: []string{plainly, improved},
		Layers: []chart.Layer{chart.Points{}, chart.References{Of: marks}},
	}
}

func runPublished(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t, s := bench.Types(v.String("dtype"))[0], share(v.Int("scale"))
	items := publishedItems()
	find := func(name any) *publishedItem {
		return &items[slices.IndexFunc(items, func(p publishedItem) bool { return p.name == name })]
	}
	build := func(at workloads.Point) bench.Case { return find(at.String("item")).measured(t, s, at) }
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	results := b.Results()
	for i := range results {
		if i > 0 && results[i].Case == results[i-1].Case {
			p := find(results[i].Setting("item"))
			b.Find(workloads.Beside(&results[i-1], &results[i], p.subject(t, s), p.told(s))...)
		}
	}
	return nil
}

// measured is both ways to do an item's work.
func (p *publishedItem) measured(t shaders.Type, s share, at workloads.Point) bench.Case {
	settings := append(at[:len(at):len(at)], workloads.Setting{Name: "table", Value: p.table}, workloads.Setting{Name: "shape", Value: p.title(s)})
	return bench.Case{
		Name: p.table + ", " + p.title(s), Settings: settings,
		Build: func(scope *bench.Scope) ([]bench.Variant, error) {
			plain, better := p.ways(t, s)
			inputs := bench.Buffers{}
			one, err := p.variant(scope, p.plain, plain, s, inputs)
			two, err2 := p.variant(scope, p.better, better, s, inputs)
			one.Settings, two.Settings = []workloads.Setting{{Name: "way", Value: plainly}}, []workloads.Setting{{Name: "way", Value: improved}}
			two.Baseline = one.Name
			return []bench.Variant{one, two}, errors.Join(err, err2)
		},
	}
}

func (p *publishedItem) variant(scope *bench.Scope, name string, steps []bench.Step, s share, inputs bench.Buffers) (bench.Variant, error) {
	v := bench.Variant{Name: name, Items: 1, Adjust: func(r *workloads.Result) {
		r.Values.SetText(workloads.PublishedGaps, p.lacks(s))
		if s == full {
			r.Values.SetText(workloads.Published, p.words())
			r.Values.SetText(workloads.PublishedIn, string(p.source))
		}
	}}
	launches, err := scope.Chain(steps, inputs)
	if errors.Is(err, gpu.ErrUnsupported) {
		v.Err = err
		return v, nil
	}
	v.Work = scope.Launches(launches)
	return v, err
}
