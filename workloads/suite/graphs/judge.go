package graphs

import (
	"context"
	"fmt"
	"math"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/graph"
	"assay/workloads/measure"
)

// judge creates the variants of a graph, and compares their outputs with a float64 evaluation of the graph, or with each other.
type judge struct {
	scope   *bench.Scope
	graph   *graph.Graph
	inputs  map[int]gpu.Buffer
	ops     float64            // of the unfused graph
	want    [][]shaders.Value  // expected outputs; nil: not computed yet
	unfused [][]float64        // outputs
	differs map[string]float64 // by variant
}

// planned plans the graph with the given passes for the engine, and binds the plan.
func (j *judge) planned(name string, passes []string) (*graph.Plan, bench.Variant, error) {
	p, err := graph.Make(j.graph, graph.Options{Passes: passes, Choose: j.scope.Choose})
	if err != nil {
		return nil, bench.Variant{}, err
	}
	return p, j.variant(name, p), nil
}

// variant places the results of a plan in memory and binds its steps.
func (j *judge) variant(name string, p *graph.Plan) bench.Variant {
	v := bench.Variant{Name: name, Items: 1}
	at, inputs, err := j.places(p)
	if err != nil {
		v.Err = err
		return v
	}
	var launches []gpu.Launch
	for i := range p.Steps {
		l, err := j.launch(&p.Steps[i], at)
		if err != nil {
			v.Err = err
			return v
		}
		launches = append(launches, l)
	}
	held := bench.HeldBeside(inputs, launches)
	v.Work = j.scope.Judged(j.compare(name, p, at), launches)
	v.Adjust = func(r *workloads.Result) {
		r.Values.SetNumber(planned, float64(p.Memory.Peak))
		r.Values.SetNumber(workloads.HeldBytes, float64(held))
		if d, known := j.differs[name]; known && r.Status == workloads.OK {
			r.Values.SetNumber(difference, d)
		}
	}
	return v
}

func (j *judge) launch(s *graph.Step, at map[int]gpu.Binding) (gpu.Launch, error) {
	var args []gpu.Binding
	for _, a := range s.Args {
		args = append(args, at[a]) // no argument for None
	}
	return j.scope.Launch(s.Kernel, s.Why, s.Params, args...)
}

// places locates the values of a plan: inputs in their buffers, results in one buffer, or each in its own if the plan shares no
// memory.
func (j *judge) places(p *graph.Plan) (at map[int]gpu.Binding, inputs []gpu.Buffer, err error) {
	at = map[int]gpu.Binding{}
	for i, b := range j.inputs {
		at[i] = gpu.Binding{Buffer: b}
		inputs = append(inputs, b)
	}
	t := j.graph.Type
	shared := p.Memory.Peak < p.Memory.Before
	var block gpu.Buffer
	if shared {
		if block, err = j.scope.Buffer(t, p.Memory.Peak/t.Bytes(1), "results"); err != nil {
			return nil, nil, err
		}
	}
	for _, one := range p.Memory.Intervals {
		if shared {
			at[one.Value] = gpu.Binding{Buffer: block, Offset: one.Offset}
			continue
		}
		b, err := j.scope.Buffer(t, graph.Elements(p.Graph.Values[one.Value].Shape), p.Graph.Label(one.Value))
		if err != nil {
			return nil, nil, err
		}
		at[one.Value] = gpu.Binding{Buffer: b}
	}
	return at, inputs, nil
}

// compare reads the outputs of a variant and compares them with the expected ones.
func (j *judge) compare(name string, p *graph.Plan, at map[int]gpu.Binding) bench.Whole {
	return func(context.Context) (measure.Check, error) {
		c := measure.Check{OK: true}
		var got [][]float64
		for o := range p.Graph.Outputs {
			data, err := j.output(p, o, at)
			if err != nil {
				return c, err
			}
			got = append(got, data)
		}
		if name == unfused {
			j.unfused = got
		}
		if err := j.evaluate(); err != nil {
			return c, err
		}
		for o := range got {
			c.Add(j.judged(p, o, got[o], name))
		}
		return c, nil
	}
}

// output reads an output, wherever it is stored.
func (j *judge) output(p *graph.Plan, o int, at map[int]gpu.Binding) ([]float64, error) {
	value := p.Graph.Memory(p.Graph.Outputs[o])
	return j.floats(at[value], graph.Elements(p.Graph.Values[value].Shape))
}

func (j *judge) floats(at gpu.Binding, n int) ([]float64, error) {
	t := j.graph.Type
	data := make([]float32, n)
	if err := j.scope.Floats(at.Buffer, t)(data, at.Offset/t.Bytes(1)); err != nil {
		return nil, err
	}
	all := make([]float64, n)
	for i, x := range data {
		all[i] = float64(x)
	}
	return all, nil
}

// evaluate computes the outputs in float64 once, if that takes only seconds.
func (j *judge) evaluate() error {
	if j.want != nil || j.ops > graph.MaxReference {
		return nil
	}
	var failed error
	want, err := j.graph.Reference(j.scope.Context(), func(i int) []float64 {
		data, err := j.floats(gpu.Binding{Buffer: j.inputs[i]}, graph.Elements(j.graph.Values[i].Shape))
		if err != nil {
			failed = err
			return make([]float64, graph.Elements(j.graph.Values[i].Shape))
		}
		return data
	})
	if failed != nil || err != nil {
		return firstOf(failed, err)
	}
	j.want = want
	return nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// far is how much outputs of graphs that are too large to evaluate may differ, relative to the largest magnitude of an output.
func far(t shaders.Type) float64 {
	if t == shaders.F16 {
		return 0.05
	}
	return 1e-3
}

// judged compares an output with the evaluation of the graph and with the output of the unfused graph.
func (j *judge) judged(p *graph.Plan, o int, got []float64, name string) measure.Check {
	c := measure.Check{OK: true, Checked: len(got), Outputs: len(got)}
	label := p.Graph.Label(p.Graph.Outputs[o])
	if j.want != nil {
		for i, w := range j.want[o] {
			if off := math.Abs(got[i] - w.Want); !(off <= graph.Unit*w.Scale+1e-30) && !(math.IsNaN(w.Want) && math.IsNaN(got[i])) && got[i] != w.Want {
				c.OK, c.Failure = false, fmt.Sprintf("%s[%d] is %g, the graph says %g ± %.2g", label, i, got[i], w.Want, graph.Unit*w.Scale)
				return c
			}
		}
	}
	if j.unfused == nil {
		return c // it could not run
	}
	d, where := differ(got, j.unfused[o])
	if j.differs == nil {
		j.differs = map[string]float64{}
	}
	j.differs[name] = math.Max(j.differs[name], d)
	if j.want == nil && !(d <= far(j.graph.Type)) {
		c.OK, c.Failure = false, fmt.Sprintf("%s[%d] is %g, unfused %g", label, where, got[where], j.unfused[o][where])
	}
	return c
}

// differ returns the largest difference relative to the largest magnitude, and its position.
func differ(got, base []float64) (d float64, where int) {
	largest := 0.0
	for i := range base {
		if !math.IsInf(base[i], 0) {
			largest = math.Max(largest, math.Abs(base[i]))
		}
		if off := math.Abs(got[i] - base[i]); off > d || math.IsNaN(off) && math.IsNaN(got[i]) != math.IsNaN(base[i]) {
			d, where = off, i
		}
	}
	if largest > 0 {
		d /= largest
	}
	return d, where
}
