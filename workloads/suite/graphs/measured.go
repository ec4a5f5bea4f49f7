package graphs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/gpu"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/graph"
)

// generating names the pass that needs a compiler on the machine.
const generating = "chain"

// measured is the case of a job: the graph unfused, fused, and a single dispatch like those that fusing removes.
func (j *job) measured() bench.Case {
	return bench.Case{
		Name: j.name, Settings: j.settings, Adjust: adjust,
		Build: func(s *bench.Scope) ([]bench.Variant, error) { return j.variants(s) },
	}
}

func (j *job) variants(s *bench.Scope) ([]bench.Variant, error) {
	inputs, err := j.inputs(s)
	if err != nil {
		return nil, err
	}
	judge := &judge{scope: s, graph: j.graph, inputs: inputs}
	before, base, err := judge.planned(unfused, nil)
	if err != nil {
		return nil, err
	}
	judge.ops = before.Cost().Ops
	way, after, err := j.fused(judge)
	if err != nil {
		return nil, err
	}
	way.Baseline = unfused
	list := []bench.Variant{base, way}
	if fewer := len(before.Steps) - len(after.Steps); fewer > 0 {
		list = append(list, oneLess(s, j.graph.Type, (before.Cost().Bytes-after.Cost().Bytes)/float64(fewer)))
	}
	return list, nil
}

// fused is the variant after the passes, without generated kernels if the engine cannot run them.
func (j *job) fused(judge *judge) (bench.Variant, *graph.Plan, error) {
	plan, v, err := judge.planned(fused, j.passes)
	if !errors.Is(v.Err, gpu.ErrUnsupported) || !slices.Contains(j.passes, generating) {
		return v, plan, err
	}
	why := v.Err
	plan, v, err = judge.planned(fused, slices.DeleteFunc(slices.Clone(j.passes), func(p string) bool { return p == generating }))
	v.Notes = append(v.Notes, workloads.Note("without the pass %s: %v", generating, why))
	return v, plan, err
}

// inputs are random, and the same for all variants.
func (j *job) inputs(s *bench.Scope) (map[int]gpu.Buffer, error) {
	all := map[int]gpu.Buffer{}
	for _, i := range j.graph.Inputs() {
		b, err := s.Random(j.graph.Type, graph.Elements(j.graph.Values[i].Shape), j.graph.Label(i))
		if err != nil {
			return nil, err
		}
		all[i] = b
	}
	return all, nil
}

// oneLess is an addition that moves the given number of bytes.
func oneLess(s *bench.Scope, t shaders.Type, bytes float64) bench.Variant {
	v := bench.Variant{Name: removed, Items: 1}
	const moved, most = 3, 1 << 26
	n := int(min(max(bytes/float64(moved*t.Bytes(1)), 1), most))
	var operands []gpu.Buffer
	for _, name := range []string{"x", "y", "sum"} {
		take := s.Random
		if name == "sum" {
			take = s.Buffer
		}
		b, err := take(t, n, name)
		if err != nil {
			v.Err = err
			return v
		}
		operands = append(operands, b)
	}
	l, err := s.Dispatch(shaders.Pick{Op: "add", Type: t}, nil, elementwise.ElementwiseParams{N: uint32(n)}, operands...)
	if err != nil {
		v.Err = err
		return v
	}
	v.Work = s.Launches([]gpu.Launch{l})
	return v
}

// adjust adds the predicted and measured savings to the result of the fused graph.
func adjust(results []workloads.Result) {
	at := func(variant string) *workloads.Result {
		i := slices.IndexFunc(results, func(r workloads.Result) bool { return r.Variant == variant && r.Status == workloads.OK })
		if i < 0 {
			return nil
		}
		return &results[i]
	}
	base, way, one := at(unfused), at(fused), at(removed)
	if base == nil || way == nil {
		return
	}
	if s := way.Speedup(); s.Median > 0 {
		way.Values.Set(saving, workloads.Saving(s))
	}
	switch fewer := way.Number(workloads.DispatchesSaved); {
	case one != nil:
		way.Values.Set(predicted, share(fewer, stats.Speedup(base.Samples, one.Samples).Interval))
	case fewer == 0:
		way.Values.Set(predicted, stats.Exact(0))
	}
}

// share returns the share of the time that the dispatches take; ratio is the whole time divided by the time of one dispatch.
func share(dispatches float64, ratio stats.Interval) stats.Interval {
	if !ratio.Bounded() {
		return stats.Unbounded(dispatches / ratio.Median)
	}
	return stats.Interval{Median: dispatches / ratio.Median, Lo: dispatches / ratio.Hi, Hi: dispatches / ratio.Lo}
}

// Shares closer than `matters` do not count as different; a share whose interval is wider than `vague` confirms no other.
const (
	matters = 0.02
	vague   = 0.1
)

// verdict compares in sentences the measurement with the plan's prediction, and reports the effect on memory.
func verdict(base, way *workloads.Result) string {
	memory := fmt.Sprintf("Results take %s instead of %s.", si.Bytes(way.Number(workloads.HeldBytes)), si.Bytes(base.Number(workloads.HeldBytes)))
	p, m := way.Get(predicted), way.Get(saving)
	if math.IsNaN(p.Median) {
		return memory
	}
	text := fmt.Sprintf("Predicted: %s, for %s and %s less. ", percent(p), workloads.WithUnit(fmt.Sprint(way.Number(workloads.DispatchesSaved)), "dispatches"), si.Bytes(way.Number(workloads.BytesSaved)))
	switch {
	case disturbed(base) || disturbed(way) || !m.Bounded() || !p.Bounded():
	case m.Lo > p.Hi+matters:
		text += "It saves more than predicted. "
	case m.Hi < min(p.Lo-matters, -stats.InTurns):
		text += "It takes more time instead. "
	case m.Hi < p.Lo-matters:
		text += "It saves less than predicted. "
	case m.Hi-m.Lo > vague:
		text += "The measured interval is too wide to confirm that. "
	default:
		text += "The measurement agrees with that. "
	}
	return text + memory
}

func disturbed(r *workloads.Result) bool {
	_, is := r.Disturbed()
	return is
}

func percent(s stats.Interval) string {
	if !s.Bounded() || s.Lo == s.Hi {
		return fmt.Sprintf("%.1f %%", 100*s.Median)
	}
	return fmt.Sprintf("%.1f %% (%.1f–%.1f %%)", 100*s.Median, 100*s.Lo, 100*s.Hi)
}
