package throughput

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/reduce"
	"assay/workloads"
	"assay/workloads/bench"
)

// Reduction measures ways to reduce an array to one element, by length.
func Reduction() workloads.Workload {
	shortest, most, sweep := lengths(100_000_000)
	return bench.WithTunables(workloads.Workload{
		Name: "reduction", Title: "Reduction", Group: "Throughput",
		About:    "Sum, maximum and argmax of an array: in one dispatch or two, by SIMD functions, a tree or atomics.",
		Question: "What is the fastest way to reduce a long array?",
		Params: []workloads.Param{
			{
				Name: "op", Title: "Operation", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: reductionOptions(),
				About:   "What to compute for the array, or all in turn.",
			},
			dtypeParam("Format of the array; sums are always in f32.", bench.OneOf(reductionNames()...)),
			{
				Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: byDispatches, Title: "Dispatches", About: "Two dispatches, one with a single threadgroup, or threadgroups that combine their results by atomics."},
					{Value: byJoining, Title: "Combining", About: "SIMD functions, or a tree in threadgroup memory.", Typical: true},
				},
				About: "What to compare with two dispatches and SIMD functions, or both.",
			},
			bench.OperandsParam(bench.FromMemory),
			shortest, most,
			{
				Name: "slices", Title: "Slices", Type: workloads.Int, Unit: "slices", Min: 2, Max: 4096, Log2: true, Role: workloads.RoleVariant,
				Default: 256, About: "Slices of the array that the first of two dispatches reduces, one per threadgroup.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "op", Title: "Operation"},
			bench.OperandsAxis(),
			{Name: "elements", Title: "Length", Unit: "elements"},
			bench.FoundKernel(),
		},
		Quick:    reductionQuick(),
		Presets:  reductionPresets(),
		Sweeps:   []workloads.Sweep{sweep},
		Variants: counted(reductions),
		Run:      bench.Run(runReduction),
		Views:    views(byLength(), reductions(), workloads.ItemRate, workloads.Speedup, workloads.Bandwidth),
	}, "threads=128", reductionOps()...)
}

func reductionQuick() map[string]any {
	return map[string]any{"min_elements": 10_000, "max_elements": 1_000_000}
}

func reductionPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All operations at a few lengths; takes seconds.", reductionQuick()),
		{
			Name: "loss", Title: "Loss", About: "The sum of a batch’s losses: short arrays, just written.",
			Values: workloads.Values{"op": "sum", "operands": bench.FromCache, "min_elements": 100, "max_elements": 100_000},
		},
		{
			Name: "next-token", Title: "Next token", About: "Argmax over a vocabulary of 10,000 to 1,000,000 logits in f16.",
			Values: workloads.Values{"op": "argmax", "dtype": "f16", "operands": bench.FromCache, "min_elements": 10_000, "max_elements": 1_000_000},
		},
	}
}

// What distinguishes ways to reduce: the values of the parameter compare.
const (
	byDispatches = "dispatches"
	byJoining    = "joining"
)

// reduction is a way to reduce an array.
type reduction struct {
	way
	impl  string
	twice bool // in two dispatches
	// atomic means that the threadgroups combine into one element, which an earlier dispatch sets to the value for an empty array.
	// Argmax, whose index and value would need a 64-bit atomic, first combines the maximum, then its index, and so reads the array
	// twice.
	atomic bool
}

// ops are the operations that read the array.
func (r *reduction) ops(name string) []string {
	switch {
	case r.atomic && name == "argmax":
		return []string{"max_into", reduce.Find}
	case r.atomic:
		return []string{name + "_into"}
	}
	return []string{name}
}

// picks are the kernels that read the array.
func (r *reduction) picks(op string, t shaders.Type) []shaders.Pick {
	var all []shaders.Pick
	for _, name := range r.ops(op) {
		all = append(all, shaders.Pick{Op: name, Impl: r.impl, Type: t})
	}
	return all
}

// inTwo is the baseline of the others: any number of threadgroups share the work.
const inTwo = "two dispatches"

func reductions() []reduction {
	return []reduction{
		{way: way{name: inTwo}, impl: shaders.Plain, twice: true},
		{way: way{"one dispatch", byDispatches, "one dispatch"}, impl: shaders.Plain},
		{way: way{"atomics", byDispatches, "combining by atomics"}, impl: shaders.Plain, twice: true, atomic: true},
		{way: way{"tree, two dispatches", byJoining, "a tree"}, impl: reduce.Tree, twice: true},
	}
}

func reductionOptions() []workloads.Option {
	return []workloads.Option{
		{Value: all}, {Value: "sum", Title: "Sum", Typical: true}, {Value: "max", Title: "Maximum"}, {Value: "argmax", Title: "Argmax"},
	}
}

// reductionNames lists the operations.
func reductionNames() []string {
	var names []string
	for _, o := range reductionOptions()[1:] {
		names = append(names, o.Value)
	}
	return names
}

// reductionOps are the operations of all ways to reduce.
func reductionOps() []string {
	var ops []string
	for _, r := range reductions() {
		for _, name := range reductionNames() {
			ops = append(ops, r.ops(name)...)
		}
	}
	return ops
}

func runReduction(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	missing := lacking(v.String("compare") == all)
	build := func(at workloads.Point) bench.Case {
		return reductionCase(t, v.Int("slices"), compared(reductions(), v.String("compare")), missing, at)
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	title := func(op string) string {
		options := reductionOptions()
		return options[slices.IndexFunc(options, func(o workloads.Option) bool { return o.Value == op })].Title
	}
	first := withDetail(b, reductions(), inTwo, " with SIMD functions", byJoining)
	find(b, byLength(), reductions(), func(op string) workloads.Subject {
		return workloads.Subject{Name: fmt.Sprintf("%s in %v", title(op), t), Baseline: first}
	})
	worthDispatching(b, byLength(), inTwo, "elements/s", func(op string) string { return fmt.Sprintf("%s in %v, in two dispatches", title(op), t) })
	tellErrors(b, fmt.Sprintf("%s in %v", title("sum"), t))
	return nil
}

// tellErrors reports the error of each way to add up the longest array.
func tellErrors(b *bench.Bench, subject string) {
	results := b.Results()
	longest := -1
	for i := range results {
		if results[i].Status != workloads.OK || results[i].Setting("op") != "sum" {
			continue
		}
		if longest < 0 || lengthOf(&results[i]) > lengthOf(&results[longest]) {
			longest = i
		}
	}
	if longest < 0 {
		return
	}
	var errors []string
	for i := longest; i < len(results) && results[i].Case == results[longest].Case; i++ {
		if r := &results[i]; r.Status == workloads.OK {
			errors = append(errors, si.Format(r.Number(workloads.ErrorMax), "")+" ("+r.Variant+")")
		}
	}
	b.Find(workloads.Noted(&results[longest], workloads.Subject{Name: subject}, fmt.Sprintf("over %s, the error against float64 is at most %s",
		si.Counted(int(lengthOf(&results[longest])), "element"), strings.Join(errors, ", ")))...)
}

func lengthOf(r *workloads.Result) float64 {
	n, _ := workloads.Number(r.Setting("elements"))
	return n
}

func reductionCase(t shaders.Type, parts int, ways []reduction, missing *lacks, at workloads.Point) bench.Case {
	op, n := at.String("op"), at.Int("elements")
	return bench.Case{
		Name:     fmt.Sprintf("%s %d", op, n) + bench.OperandsSuffix(at.String("operands"), bench.FromMemory),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			rotation := s.Rotation(at.String("operands"), int64(t.Bytes(n)), maxSets)
			var variants []bench.Variant
			for _, way := range ways {
				if slices.ContainsFunc(way.picks(op, t), func(p shaders.Pick) bool { return !exists(p) }) {
					continue // the operation has no such form
				}
				variants = missing.add(s, variants, way.variant(s, op, t, rotation, n, parts))
			}
			return variants, nil
		},
	}
}

func (r *reduction) variant(s *bench.Scope, op string, t shaders.Type, rotation bench.Rotation, n, parts int) bench.Variant {
	v := bench.Variant{Name: r.name, Items: float64(n), Baseline: r.baseline(inTwo)}
	for _, p := range r.picks(op, t) {
		if v.Err = s.Supports(p); v.Err != nil {
			return v
		}
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) { return r.launches(s, op, t, n, parts) })
}

// launches reduces an array to one element: in one dispatch, or to at most `parts` elements that a second dispatch reduces.
func (r *reduction) launches(s *bench.Scope, op string, t shaders.Type, n, parts int) ([]gpu.Launch, error) {
	x, err := s.Random(t, n, "x")
	if err != nil {
		return nil, err
	}
	if r.atomic {
		return r.accumulate(s, op, t, x, n, parts)
	}
	if !r.twice {
		parts = 1
	}
	result := shaders.F32
	if op == "argmax" {
		result = shaders.U32
	}
	found, err := s.Output(result, parts, "partial")
	if err != nil {
		return nil, err
	}
	first, err := r.dispatch(s, op, t, n, parts, n, nil, x, found)
	if err != nil || !r.twice {
		return []gpu.Launch{first}, err
	}
	out, err := s.Output(result, 1, "out")
	if err != nil {
		return nil, err
	}
	var second gpu.Launch
	if op == "argmax" {
		second, err = r.dispatch(s, op, t, parts, 1, n, shaders.Constants{reduce.Indexed: 1}, x, found, out)
	} else {
		second, err = r.dispatch(s, op, shaders.F32, parts, 1, n, nil, found, out)
	}
	return []gpu.Launch{first, second}, err
}

// accumulate sets one element to the operation's value for an empty array, and then combines x into it.
func (r *reduction) accumulate(s *bench.Scope, op string, t shaders.Type, x gpu.Buffer, n, parts int) ([]gpu.Launch, error) {
	out, err := s.Output(shaders.F32, 1, "out")
	if err != nil {
		return nil, err
	}
	if op == "argmax" {
		return r.locate(s, t, x, out, n, parts)
	}
	return r.into(s, op, t, x, out, n, parts)
}

func (r *reduction) into(s *bench.Scope, op string, t shaders.Type, x, out gpu.Buffer, n, parts int) ([]gpu.Launch, error) {
	start, err := r.dispatch(s, op, t, 0, 1, 0, nil, x, out)
	if err != nil {
		return nil, err
	}
	add, err := s.Dispatch(r.picks(op, t)[0], nil, reduce.ReduceParams{N: uint32(n), Parts: uint32(parts)}, x, out)
	return []gpu.Launch{start, add}, err
}

// locate finds the maximum of x in one element, and its index in another.
func (r *reduction) locate(s *bench.Scope, t shaders.Type, x, top gpu.Buffer, n, parts int) ([]gpu.Launch, error) {
	launches, err := r.into(s, "max", t, x, top, n, parts)
	if err != nil {
		return nil, err
	}
	out, err := s.Output(shaders.U32, 1, "index")
	if err != nil {
		return nil, err
	}
	start, err := r.dispatch(s, "argmax", t, 0, 1, 0, nil, x, out)
	if err != nil {
		return nil, err
	}
	find, err := s.Dispatch(shaders.Pick{Op: reduce.Find, Impl: r.impl, Type: t}, nil, reduce.ReduceParams{N: uint32(n), Parts: uint32(parts)}, x, top, out)
	return append(launches, start, find), err
}

// dispatch reduces n elements, or for argmax n candidates among `source`, to `parts`.
func (r *reduction) dispatch(s *bench.Scope, op string, t shaders.Type, n, parts, source int, c shaders.Constants, args ...gpu.Buffer) (gpu.Launch, error) {
	var params any = reduce.ReduceParams{N: uint32(n), Parts: uint32(parts)}
	if op == "argmax" {
		params = reduce.ArgmaxParams{N: uint32(n), Parts: uint32(parts), Source: uint32(source)}
		if c[reduce.Indexed] == 0 {
			args = slices.Insert(args, 1, gpu.Buffer(nil))
		}
	}
	return s.Dispatch(shaders.Pick{Op: op, Impl: r.impl, Type: t}, c, params, args...)
}
