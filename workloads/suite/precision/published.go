package precision

import (
	"fmt"

	"assay/internal/chart"
	"assay/workloads"
	"assay/workloads/quant"
)

// ratio is how much faster than f32 a format is claimed to be.
type ratio struct {
	kind     quant.Kind
	from, to float64
}

// publishedIn is the source of the ratios; publishedGaps is what it leaves out.
const (
	publishedIn   = "Metal Optimization Guide (Shvayambhu)"
	publishedGaps = "the machine, the shape (here a layer’s product), the batch, what shares a scale, whether weights come from memory, or how times were taken"
)

// ratios are as published. None is repeated as a fact.
func ratios() []ratio {
	return []ratio{
		{quant.F16, 1.5, 2},
		{quant.BF16, 1.5, 2}, // "similar to FP16"
		{quant.Int8, 2, 4},
		{quant.Int4, 4, 8},
	}
}

// tell adds the published ratios of a format to its result, if there are any.
func tell(r *workloads.Result, k quant.Kind) {
	for _, p := range ratios() {
		if p.kind == k {
			r.Values.SetText(workloads.Published, fmt.Sprintf("%g× to %g× faster than f32", p.from, p.to))
			r.Values.SetText(workloads.PublishedIn, publishedIn)
			r.Values.SetText(workloads.PublishedGaps, publishedGaps)
		}
	}
}

// besidePublished draws the speedup of each format, with both ends of the published range as separate markers. The source does not say
// which type scales have, so the range appears next to both.
func besidePublished() chart.View {
	marks := map[string][]chart.Reference{}
	for _, p := range ratios() {
		label := fmt.Sprintf("%g× to %g×", p.from, p.to)
		ends := []chart.Reference{{Source: "published: " + publishedIn, Label: label, Y: p.from}, {Source: "published: " + publishedIn, Label: label, Y: p.to}}
		for _, half := range []bool{false, true} {
			marks[series(quant.Format{Kind: p.kind, Half: half})] = ends
		}
	}
	return chart.View{
		Title: "Beside published", Facet: "weights", X: chart.Enc{Of: "format", Scale: chart.Category},
		Y:      chart.Enc{Of: string(workloads.Speedup), Title: "Speedup over f32"},
		Layers: []chart.Layer{chart.Bars{}, chart.References{Of: marks}, chart.Rule{Y: 1, Label: "no difference"}},
	}
}
