package throughput

import (
	"fmt"
	"strings"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// publishedItem is a row of a published table, as data, and the work that it describes.
type publishedItem struct {
	name    string // value of the parameter
	table   string
	typical bool // it represents its table in live tuning
	title   func(s share) string
	// ways do the work plainly, and in the way that the source recommends; plain and better name the variants.
	ways          func(t shaders.Type, s share) (plain, better []bench.Step)
	plain, better string
	figures       []figure
	source        source
	gaps          string // what the source omits, and what is measured instead
}

// figure is a published number: a time, a ratio, a size. None is repeated as a fact.
type figure struct {
	value, most float64 // most is the upper end of a range; 0: there is none
	unit        string
	of          string // the machine or the thing, in the words of the source
	foreign     bool   // a ratio between two machines, not between the two ways on one machine, so charts do not show it
}

// source is a published document.
type source string

const (
	tritonOptimizers source = "Metal Backend Optimizers (Triton)"
	pensieveAnalysis source = "Metal GPU Acceleration Analysis (pensieve)" // it names no machine, size or number format
	tensorLogicGuide source = "Metal GPU Optimization Guide (TensorLogic)"
)

// Tables: the values of the parameter.
const (
	operationsTable = "operations"
	productsTable   = "products"
	fusionTable     = "fusion"
	batchingTable   = "batching"
)

func publishedTables() []workloads.Option {
	return []workloads.Option{
		{Value: all},
		{Value: operationsTable, Title: "Operations", About: "Times of four operations on M1, M2 and M3.", Typical: true},
		{Value: productsTable, Title: "Products", About: "Times of square products on an M4 Pro."},
		{Value: fusionTable, Title: "Fusion", About: "How much faster fused kernels are said to be."},
		{Value: batchingTable, Title: "Batching", About: "What batches are said to gain, and which sizes are said to be efficient."},
	}
}

// share is a size in percent of the published one.
type share int

const full share = 100

// of scales a dimension.
func (s share) of(n int) int { return max(1, n*int(s)/int(full)) }

// words formats a figure with the digits of its source: "8.2 ms (M3)", "2× to 5× (throughput of a batch)".
func (f *figure) words() string {
	text := f.written(f.value)
	if f.most > 0 {
		text = strings.TrimSuffix(text, " "+f.unit) + " to " + f.written(f.most)
	}
	return fmt.Sprintf("%s (%s)", text, f.of)
}

func (f *figure) written(v float64) string {
	switch f.unit {
	case "s":
		return fmt.Sprintf("%.4g ms", 1e3*v)
	case "FLOP/s":
		return fmt.Sprintf("%.4g GFLOP/s", v/1e9)
	case "×":
		return fmt.Sprintf("%g×", v)
	case "%":
		return fmt.Sprintf("about %g %% faster", v)
	}
	return si.Count(int(v)) + " " + f.unit
}

// heights returns where the figure appears in a chart with the given unit: nowhere if its unit is another. A gain in percent becomes a
// ratio of speeds.
func (f *figure) heights(unit string) []float64 {
	switch {
	case unit == "×" && f.unit == "%":
		return []float64{1 + f.value/100}
	case unit != f.unit || f.foreign:
		return nil
	case f.most > 0:
		return []float64{f.value, f.most}
	}
	return []float64{f.value}
}

// words lists the published figures: "8.20 ms (M1 or M2), 5.10 ms (M3)".
func (p *publishedItem) words() string {
	var parts []string
	for i := range p.figures {
		parts = append(parts, p.figures[i].words())
	}
	return strings.Join(parts, ", ")
}

// lacks returns what the source omits; at another size, everything it states applies to a different size.
func (p *publishedItem) lacks(s share) string {
	if s != full {
		return fmt.Sprintf("anything of this size, which is %d %% of the published one in each dimension", s)
	}
	return p.gaps
}

func (p *publishedItem) subject(t shaders.Type, s share) workloads.Subject {
	return workloads.Subject{Name: fmt.Sprintf("%s in %v", plain.Capitalized(p.title(s)), t), Way: p.better, Baseline: p.plain}
}

// told describes in sentences what was published.
func (p *publishedItem) told(s share) string {
	if s != full {
		return fmt.Sprintf("No figure was published for this size, which is %d %% of %s.", s, p.title(full))
	}
	return fmt.Sprintf("Published: %s, in %s, which does not state %s.", p.words(), p.source, p.gaps)
}
