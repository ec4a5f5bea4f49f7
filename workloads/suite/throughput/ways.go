package throughput

import (
	"errors"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench"
)

// all is the value of a choice that means each of the others.
const all = "all"

// dtypeParam chooses the number format of the operands: f32, f16 or one of more.
func dtypeParam(about string, needs bench.Ops, more ...string) workloads.Param {
	return workloads.Param{
		Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase,
		Choices: bench.Formats(needs, append([]string{"f32", "f16"}, more...)...), Default: "f32", About: about,
	}
}

// lengths returns the two ends of a sweep over array length, and the sweep, whose axis is "elements".
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

// way is one way to do an operation, in workloads that compare several with the first.
type way struct {
	name    string // of the variant
	differs string // how it differs from the first: a value of the parameter compare; empty: it is the first
	words   string // in sentences
}

// byLength compares operations on arrays by their length.
func byLength() versus { return versus{axis: "elements", scale: chart.Log10, facet: "op"} }

// aWay is a type that embeds a way.
type aWay interface{ itself() way }

func (w way) itself() way { return w }

// baseline returns the way that w is compared with; empty: w is the first.
func (w way) baseline(first string) string {
	if w.differs == "" {
		return ""
	}
	return first
}

// compared lists the ways for one value of the parameter compare: the first, and those that differ in that respect.
func compared[W aWay](ways []W, compare string) []W {
	return slices.DeleteFunc(slices.Clone(ways), func(w W) bool {
		differs := w.itself().differs
		return differs != "" && compare != all && differs != compare
	})
}

// counted implements the workload's Variants: how many ways its values compare.
func counted[W aWay](ways func() []W) func(workloads.Values) int {
	return func(v workloads.Values) int { return len(compared(ways(), v.String("compare"))) }
}

// lacks decides which variants of a run stay in its results although the engine or the shape rules them out. If everything is
// compared, the first of each name stays, so that the reason is given once; what was requested explicitly is always reported.
type lacks struct{ everything bool }

func lacking(everything bool) *lacks { return &lacks{everything} }

// add appends a variant of a case, unless it is a repeated unsupported one. The first of a case, the baseline, always stays.
func (l *lacks) add(s *bench.Scope, list []bench.Variant, v bench.Variant) []bench.Variant {
	if errors.Is(v.Err, gpu.ErrUnsupported) && !s.Tells(v.Name) && l.everything && len(list) > 0 {
		return list
	}
	return append(list, v)
}

// implementations lists the implementations of operations that have a source, in the order of the catalog, each name once.
func implementations(ops ...string) []*shaders.Impl {
	return implsOf(ops, func(m *shaders.Impl) bool { return m.Library == shaders.Own })
}

// libraryImpls lists the implementations in the platforms' libraries.
func libraryImpls(ops ...string) []*shaders.Impl {
	return implsOf(ops, func(m *shaders.Impl) bool { return m.Library != shaders.Own })
}

func implsOf(ops []string, wanted func(m *shaders.Impl) bool) []*shaders.Impl {
	var list []*shaders.Impl
	for _, op := range ops {
		for _, k := range catalog.Default().Op(op) {
			same := func(m *shaders.Impl) bool { return m.Name == k.Impl.Name }
			if wanted(k.Impl) && !slices.ContainsFunc(list, same) {
				list = append(list, k.Impl)
			}
		}
	}
	return list
}

// byLibrary is the value of the parameter compare for the libraries.
const byLibrary = "library"

// inLibrary is the way that uses a library.
func inLibrary(l shaders.Library) way { return way{l.Short(), byLibrary, l.Full()} }

// by is the way that uses an implementation other than the first; its name distinguishes it.
func by(m *shaders.Impl) way { return way{m.Shown(), m.Name, m.Shown()} }

// mayRun lists the ways without libraries of other engines, unless a library was requested and this engine can have none: then they
// stay, and their results say so.
func mayRun[W interface {
	aWay
	of() shaders.Library
}](b *bench.Bench, ways []W, asked bool) []W {
	foreign := func(w W) bool { return w.of() != shaders.Own && !b.MayHave(w.of()) }
	own := slices.DeleteFunc(slices.Clone(ways), foreign)
	hasOne := slices.ContainsFunc(own, func(w W) bool { return w.of() != shaders.Own })
	if asked && !hasOne {
		return ways
	}
	return own
}

// option is the value of the parameter compare that names an implementation.
func option(m *shaders.Impl) workloads.Option {
	o := workloads.Option{Value: m.Name, Title: plain.Capitalized(m.Shown()), Needs: []workloads.Need{bench.NeedsImpl(m)}}
	if m.About != "" {
		o.About = plain.Capitalized(m.About) + "."
	}
	return o
}

// needsImpl is the need for an implementation, by name.
func needsImpl(op, name string) []workloads.Need {
	for _, m := range implementations(op) {
		if m.Name == name {
			return []workloads.Need{bench.NeedsImpl(m)}
		}
	}
	return nil
}

// exists reports whether an operation has an implementation at all, on some engine.
func exists(pick shaders.Pick) bool {
	_, err := catalog.Pick(pick)
	return err == nil
}

// versus is how ways are compared with the first: along an axis, separately for each value of a facet.
type versus struct {
	axis  string
	scale chart.Scale
	facet string // another axis; empty: there is none
	// phrase replaces the axis’s phrase if the axis has only one value; empty: it does not.
	phrase string
}

func (c versus) along(w *workloads.Workload) workloads.Axis {
	axis := w.Axis(c.axis)
	if c.phrase != "" {
		axis.Phrase = c.phrase
	}
	return axis
}

// views draws metrics of each way, with one chart per value of the facet.
func views[W aWay](c versus, ways []W, of ...metric.Name) []chart.View {
	var names []string
	for _, w := range ways {
		names = append(names, w.itself().name)
	}
	var list []chart.View
	for _, name := range of {
		v := chart.View{
			Facet: c.facet, X: chart.Enc{Of: c.axis, Scale: c.scale}, Y: chart.Enc{Of: string(name)}, Places: names,
			Layers: []chart.Layer{chart.Lines{}},
		}
		if name == workloads.Speedup {
			v.Layers = append(v.Layers, chart.Rule{Y: 1, Label: "no difference"})
		}
		list = append(list, v)
	}
	return list
}

// find adds a finding for each way but the first, and each value of the facet: the range in which it pays. A subject has the name for
// such a value, and the first way in words.
func find[W aWay](b *bench.Bench, c versus, ways []W, subject func(value string) workloads.Subject) {
	for _, value := range c.values(b.Results()) {
		for _, w := range ways[1:] {
			s := subject(value)
			s.Way = w.itself().words
			b.Find(c.gain(b, value, w.itself().name, s).Crossover()...)
		}
	}
}

// withDetail returns the words for the first way, plus the detail that distinguishes it from other ways if one that differs in that
// respect was measured: on a CPU, for example, no two kernels differ in the elements per thread.
func withDetail[W aWay](b *bench.Bench, ways []W, words, detail string, differs ...string) string {
	results := b.Results()
	for _, w := range ways {
		own := w.itself()
		measured := func(r workloads.Result) bool { return r.Variant == own.name && r.Status == workloads.OK }
		if slices.Contains(differs, own.differs) && slices.ContainsFunc(results, measured) {
			return words + detail
		}
	}
	return words
}

// worthwhile is the share of the best rate that makes a length worth a dispatch.
const worthwhile = 0.9

// worthDispatching finds, for each value of the facet, the length from which a variant's elements per second are near the best; unit is
// what findings call them.
func worthDispatching(b *bench.Bench, c versus, variant, unit string, name func(value string) string) {
	for _, value := range c.values(b.Results()) {
		rates := c.rates(b.Workload, b.Results(), value, variant, workloads.Subject{Name: name(value)})
		rates.Unit = unit
		b.Find(rates.Knee(worthwhile)...)
	}
}

// rates returns the elements per second of a variant along the axis, for one value of the facet.
func (c versus) rates(w *workloads.Workload, results []workloads.Result, value, variant string, s workloads.Subject) *workloads.Curve {
	curve := &workloads.Curve{Axis: c.along(w), Of: workloads.ItemRate, Subject: s}
	curve.Results = slices.DeleteFunc(c.of(results, value), func(r workloads.Result) bool {
		return r.Variant != variant || r.Status != workloads.OK
	})
	return curve
}

// values lists the measured values of the facet.
func (c versus) values(results []workloads.Result) []string {
	var list []string
	for i := range results {
		if v, _ := results[i].Setting(c.facet).(string); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// of returns the results with that value of the facet.
func (c versus) of(results []workloads.Result, value string) []workloads.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r workloads.Result) bool {
		v, _ := r.Setting(c.facet).(string)
		return v != value
	})
}

// gain is the speedup of a variant over its baseline, for one value of the facet.
func (c versus) gain(b *bench.Bench, value, variant string, s workloads.Subject) *workloads.Curve {
	curve := &workloads.Curve{Axis: c.along(b.Workload), Of: workloads.Speedup, Subject: s}
	for _, r := range c.of(b.Results(), value) {
		if r.Variant != variant {
			continue
		}
		curve.Add(r)
		curve.Partial = curve.Partial || r.Status == workloads.Unsupported
	}
	return curve
}

// best is the speedup of the fastest variant of each case over their baseline, for one value of the facet; among those that count,
// nil: all.
func (c versus) best(b *bench.Bench, value string, s workloads.Subject, counts func(r *workloads.Result) bool) *workloads.Curve {
	curve := &workloads.Curve{Axis: c.along(b.Workload), Of: workloads.Speedup, Subject: s}
	for _, r := range c.of(b.Results(), value) {
		if counts != nil && !counts(&r) {
			continue
		}
		last := len(curve.Results) - 1
		switch {
		case !r.Speedup().Bounded():
			if r.Baseline != "" && r.Status == workloads.OK {
				curve.Left = append(curve.Left, r)
			}
		case last < 0 || curve.Results[last].Case != r.Case:
			curve.Results = append(curve.Results, r)
		case r.Speedup().Median > curve.Results[last].Speedup().Median:
			curve.Results[last] = r
		}
	}
	curve.Left = slices.DeleteFunc(curve.Left, func(left workloads.Result) bool { // another one is the best of its case
		return slices.ContainsFunc(curve.Results, func(r workloads.Result) bool { return r.Case == left.Case })
	})
	return curve
}

// rotated is the variant with its launches cycling through the sets of operands.
func rotated(s *bench.Scope, v bench.Variant, r bench.Rotation, launches func(set int) ([]gpu.Launch, error)) bench.Variant {
	v.Notes = r.Notes()
	s.For(v.Name)
	var sets [][]gpu.Launch
	for i := range r.Sets {
		set, err := launches(i)
		if err != nil {
			v.Err = err
			return v
		}
		sets = append(sets, set)
	}
	v.Work = s.Launches(sets...)
	return v
}
