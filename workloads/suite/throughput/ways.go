package throughput

import (
	"errors"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench"
)

// all is the value of a choice that means each of the others.
const all = "all"

// dtypeParam chooses the number format of the operands: f32, f16 or one of more.
func dtypeParam(about string, more ...string) workloads.Param {
	return workloads.Param{
		Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase,
		Choices: workloads.Options(append([]string{"f32", "f16"}, more...)...), Default: "f32", About: about,
	}
}

// lengths are the ends of a sweep over the length of arrays, and the sweep, whose axis is "elements".
func lengths(longest int) (shortest, most workloads.Param, sweep workloads.Sweep) {
	end := func(name, title, about string, value int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "elements", Min: 1, Max: 1 << 28, Log2: true,
			Role: workloads.RoleSweep, Default: value, About: about,
		}
	}
	return end("min_elements", "Shortest array", "Elements of the shortest array; the sweep grows tenfold up to the longest.", 1000),
		end("max_elements", "Longest array", "Elements of the longest array.", longest),
		workloads.Sweep{
			Axis: "elements", From: "min_elements", To: "max_elements", Steps: workloads.Tenfold, Title: "Length",
			About: "Elements of an array; the sweep grows them tenfold.",
		}
}

// way is one way to do an operation, in workloads that compare several with the first of them.
type way struct {
	name    string // of the variant
	differs string // in what it differs from the first: a value of the parameter compare; empty: it is the first
	words   string // in sentences
}

// compared reports whether a value of the parameter compare includes the way.
func (w *way) compared(compare string) bool {
	return w.differs == "" || compare == all || w.differs == compare
}

// baseline is the way that w is compared with; empty: it is that one itself.
func (w *way) baseline(first string) string {
	if w.differs == "" {
		return ""
	}
	return first
}

// lacks tells which variants of a run stay in its results though the engine or the shape rules them out. With everything compared,
// the first of each name does, so that the reason is said once; what was asked for is always told of.
type lacks struct {
	everything bool
	said       map[string]bool
}

func lacking(everything bool) *lacks { return &lacks{everything, map[string]bool{}} }

// add appends a variant, unless it is one more that is not supported. The first of a case, with which others are compared, stays.
func (l *lacks) add(list []bench.Variant, v bench.Variant) []bench.Variant {
	if errors.Is(v.Err, gpu.ErrUnsupported) {
		if l.everything && l.said[v.Name] && len(list) > 0 {
			return list
		}
		l.said[v.Name] = true
	}
	return append(list, v)
}

// exists reports whether an operation has an implementation at all, on some engine.
func exists(pick shaders.Pick) bool {
	_, err := catalog.Pick(pick)
	return err == nil
}

// waysViews draws metrics of each way along an axis, a chart for each operation.
func waysViews(axis string, scale chart.Scale, names []string, of ...metric.Name) []chart.View {
	var views []chart.View
	for _, name := range of {
		v := chart.View{
			Facet: "op", X: chart.Enc{Of: axis, Scale: scale}, Y: chart.Enc{Of: string(name)}, Places: names,
			Layers: []chart.Layer{chart.Lines{}},
		}
		if name == workloads.Speedup {
			v.Layers = append(v.Layers, chart.Rule{Y: 1, Label: "no difference"})
		}
		views = append(views, v)
	}
	return views
}

// worthwhile is the share of the best rate that the smallest length worth a dispatch reaches.
const worthwhile = 0.9

// rates are the elements per second of a way to do an operation, along the length.
func rates(w *workloads.Workload, results []workloads.Result, op, variant string, s workloads.Subject) *workloads.Curve {
	c := &workloads.Curve{Axis: w.Axis("elements"), Of: workloads.ItemRate, Unit: "items/s", Subject: s}
	c.Results = slices.DeleteFunc(slices.Clone(results), func(r workloads.Result) bool {
		return r.Setting("op") != op || r.Variant != variant || r.Status != workloads.OK
	})
	return c
}

// gain is how much faster a way is than its baseline, along an axis; of one operation, or with "" of all.
func gain(w *workloads.Workload, results []workloads.Result, axis, op, variant string, s workloads.Subject) *workloads.Curve {
	c := &workloads.Curve{Axis: w.Axis(axis), Of: workloads.Speedup, Subject: s}
	c.Results = slices.DeleteFunc(slices.Clone(results), func(r workloads.Result) bool {
		return op != "" && r.Setting("op") != op || r.Variant != variant || !r.Speedup().Bounded()
	})
	return c
}
