// Package tuning has the workload that searches for the fastest kernel for a call.
package tuning

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/chart"
	"assay/internal/plain"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Limits of a call, as in other workloads: a dispatch takes about a tenth of a second at most on a small GPU, and the operands fit
// machines with 8 GB.
const (
	maxOps   = 2 * 4096 * 4096 * 4096
	maxBytes = 2e9
)

// Tuning searches the implementations of an operation and the values of their tunables for the fastest kernel at given sizes, and
// keeps it if it is certainly faster than the default.
func Tuning() workloads.Workload {
	return workloads.Workload{
		Name: "tuning", Title: "Tuning", Group: "Throughput", Series: true,
		About:    "Searches the implementations of an operation and their tunables by successive halving, and keeps a choice only if it beats the default on fresh data.",
		Question: "Is there a faster kernel than the default for these sizes?",
		Params:   params(),
		Axes: []workloads.Axis{
			{Name: "op", Title: "Operation"},
			{Name: "dtype", Title: "Number format"},
			{Name: "shape", Title: "Sizes"},
			{Name: "round", Title: "Round"},
			{Name: "implementation", Title: "Implementation"},
			{Name: "landscape", Title: "Landscape"},
			{Name: "across", Title: "Across"},
			{Name: "down", Title: "Up"},
			{Name: "leading", Title: "Round", Measured: true},
			bench.OperandsAxis(), bench.FoundKernel(),
		},
		Quick:   quick(),
		Presets: presets(),
		Valid:   valid,
		Run:     bench.Run(run),
		Views: []chart.View{
			{
				Title: "The fastest of each round", X: chart.Enc{Of: "leading"}, Y: chart.Enc{Of: string(workloads.Speedup)},
				Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "the default"}},
			},
			{
				Title: "Landscape", Facet: "landscape", X: chart.Enc{Of: "across", Scale: chart.Category}, Y: chart.Enc{Of: "down", Scale: chart.Category},
				Layers: []chart.Layer{chart.Heat{Of: string(workloads.Speedup)}},
			},
		},
	}
}

func quick() map[string]any {
	return map[string]any{rows: 256, columns: 256, inner: 256, elements: 100_000, "budget": 6.0, "candidates": 24}
}

func presets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("A small product; takes seconds.", quick()),
		{
			Name: "row-by-weights", Title: "One row by weights", About: "The product of a row and a weight matrix, as when a model generates one token.",
			Values: workloads.Values{"op": "matmul", rows: 1, columns: 4096, inner: 4096},
		},
		{
			Name: "row-by-int4", Title: "One row by int4 weights", About: "The same with 4-bit weights, 32 of which share a scale.",
			Values: workloads.Values{"op": "matmul_quant", "dtype": "int4", rows: 1, columns: 4096, inner: 4096, block: 32},
		},
		{
			Name: "attention", Title: "Attention", About: "Eight heads of 64 over 512 keys.",
			Values: workloads.Values{"op": "attention", heads: 8, queries: 512, keys: 512, head: 64},
		},
	}
}

func params() []workloads.Param {
	var ops []workloads.Option
	var names []string
	for _, o := range operations() {
		ops = append(ops, workloads.Option{Value: o.Name, About: plain.Capitalized(o.About) + "."})
		names = append(names, o.Name)
	}
	list := []workloads.Param{
		{
			Name: "op", Title: "Operation", Type: workloads.Choice, Role: workloads.RoleCase, Choices: ops, Default: "matmul",
			About: "The operation to tune; those whose kernels offer a choice are listed.",
		},
		{
			Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase, Choices: bench.Formats(bench.OneOf(names...), formats()...), Default: "f32",
			About: "Format of the operands, or of the weights where they are quantized.",
		},
	}
	for _, one := range sizes() {
		list = append(list, one.param())
	}
	return append(list,
		bench.OperandsParam(bench.FromMemory),
		workloads.Param{
			Name: "library", Title: "Library", Type: workloads.Bool, Default: true, Role: workloads.RoleVariant,
			About: "Includes the platform’s library as a candidate.",
		},
		workloads.Param{
			Name: "candidates", Title: "Candidates", Type: workloads.Int, Unit: "candidates", Min: 2, Max: 300, Log2: true, Role: workloads.RoleBudget, Default: 96,
			About: "If there are more candidates, this many are drawn at random, plus each implementation’s defaults.",
		},
		workloads.Param{
			Name: "budget", Title: "Time", Type: workloads.Float, Unit: "s", Min: 0.1, Max: 3600, Role: workloads.RoleBudget, Default: 30.0,
			About: "Time for all rounds together; compiling and the minimum samples of each candidate come on top.",
		},
	)
}

// param returns the size as a parameter.
func (s size) param() workloads.Param {
	return workloads.Param{
		Name: s.name, Title: s.title, Type: workloads.Int, Unit: s.unit, Min: float64(s.least), Max: float64(s.most), Log2: s.least > 0, Role: workloads.RoleCase,
		Default: s.value, About: s.about,
		Applies: func(v workloads.Values) error {
			if o := operationNamed(v.String("op")); !o.sized(s.name) {
				return fmt.Errorf("%s has no %s", o.Name, strings.ToLower(s.title))
			}
			return nil
		},
	}
}

// valid rejects a format that no implementation has, and sizes that are too large.
func valid(v workloads.Values) error {
	o, t := operationNamed(v.String("op")), typeOf(v)
	impls := o.of(t)
	own := slices.IndexFunc(impls, func(m *shaders.Impl) bool { return m.Library == shaders.Own })
	if own < 0 {
		return &workloads.ParamError{Params: []string{"op", "dtype"}, Text: fmt.Sprintf("{op} is %s, which has no kernel for {dtype} %v: choose %s", o.Name, t, strings.Join(o.types(), ", "))}
	}
	k, p := impls[own].Kernel(t), o.params(v)
	k = k.With(o.constants(v))
	var named []string
	for _, s := range sizes() {
		if o.sized(s.name) {
			named = append(named, s.name)
		}
	}
	if err := k.Check(p); err != nil {
		return &workloads.ParamError{Params: named, Text: fmt.Sprintf("%s: not possible: %v", workloads.Braced(named), err)}
	}
	switch cost := k.Cost(p); {
	case cost.Ops > maxOps:
		return workloads.Excessive(named, cost.Ops, "FLOP", "per dispatch", maxOps)
	case cost.Bytes > maxBytes:
		return workloads.Excessive(named, cost.Bytes, "B", "per dispatch", maxBytes)
	}
	return nil
}
