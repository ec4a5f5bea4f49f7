package patterns

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"assay/gpu"
	"assay/internal/stats"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// weights returns the number of weights of the network, without biases.
func (z sizes) weights() int {
	n := 0
	for l := 1; l <= z.layers; l++ {
		n += layerCols(l-1, z) * layerCols(l, z)
	}
	return n
}

// classifier is a trained network with unseen examples.
type classifier struct {
	*bench.Scope
	size    sizes // n: unseen examples
	inputs  bench.Buffers
	weights [][]float32 // by layer, one output after another
	labels  []uint32
	right   []bool   // whether f32 decides correctly
	decided []uint32 // classes that f32 decides on
}

// newClassifier trains a network, whose loss must fall, and draws the examples.
func newClassifier(s *bench.Scope, size sizes, unseen int) (*classifier, error) {
	n := &classifier{Scope: s, size: size, inputs: bench.Buffers{}}
	inputs := bench.Buffers{}
	labels, err := n.draw(inputs, 1)
	if err != nil {
		return nil, err
	}
	if inputs["labels"], err = n.labeled(labels); err != nil {
		return nil, err
	}
	if err := seedWeights(s, size, inputs); err != nil {
		return nil, err
	}
	updated, err := trained(s, size, inputs)
	if err != nil {
		return nil, err
	}
	for l := 1; l <= size.layers; l++ {
		w, err := n.outputsFirst(updated[2*l-2], layerCols(l-1, size), layerCols(l, size))
		if err != nil {
			return nil, err
		}
		n.weights = append(n.weights, w)
		n.inputs[label("b", l)] = updated[2*l-1]
	}
	n.size.n = unseen
	n.labels, err = n.draw(n.inputs, 2)
	return n, err
}

// trained returns the weights and biases of each layer after training.
func trained(s *bench.Scope, size sizes, inputs bench.Buffers) ([]gpu.Buffer, error) {
	launches, err := s.Chain(wholeStep(size), inputs)
	if err != nil {
		return nil, err
	}
	if err := s.Verify(launches...); err != nil {
		return nil, err
	}
	if _, err := trainWith(s, size, launches); err != nil {
		return nil, err
	}
	var buffers []gpu.Buffer
	for _, l := range launches[len(launches)-2*size.layers:] { // the updates
		buffers = append(buffers, l.Bindings[0].Buffer)
	}
	return buffers, nil
}

// outputsFirst reads weights [from, to] of a layer, transposed: the weights of an output are contiguous, since formats share scales
// that way.
func (n *classifier) outputsFirst(b gpu.Buffer, from, to int) ([]float32, error) {
	w, out := make([]float32, from*to), make([]float32, from*to)
	if err := n.Floats(b, shaders.F32)(w, 0); err != nil {
		return nil, err
	}
	for i := range from {
		for o := range to {
			out[o*from+i] = w[i*to+o]
		}
	}
	return out, nil
}

// apart is the distance of examples from the center in each of some columns. It is chosen so that, at any width, a well-trained
// network distinguishes ten classes with about 95 % accuracy.
func apart(width int) float64 { return 2.4 / math.Sqrt(float64(width)) }

// draw generates examples, as many as the size says, and their classes: noise around a point per class. Streams have different noise
// around the same points.
func (n *classifier) draw(inputs bench.Buffers, stream uint64) (labels []uint32, err error) {
	points, width := rand.New(rand.NewPCG(n.Seed(), 0)), n.size.width
	center := make([]float32, classes*width)
	for i := range center {
		center[i] = float32(apart(width) * points.NormFloat64())
	}
	r := rand.New(rand.NewPCG(n.Seed(), stream))
	x := make([]float32, n.size.n*width)
	for row := range n.size.n {
		class := r.IntN(classes)
		labels = append(labels, uint32(class))
		for i := range width {
			x[row*width+i] = center[class*width+i] + 2*r.Float32() - 1
		}
	}
	b, err := n.Buffer(shaders.F32, len(x), "examples")
	if err != nil {
		return nil, err
	}
	inputs[activation(0)] = b
	return labels, n.FillFloats(b, shaders.F32, len(x), func(dst []float32, at int) error {
		copy(dst, x[at:])
		return n.Context().Err()
	})
}

// labeled returns a buffer of classes.
func (n *classifier) labeled(labels []uint32) (gpu.Buffer, error) {
	b, err := n.Buffer(shaders.U32, len(labels), "labels")
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, 4*len(labels))
	for _, l := range labels {
		data = binary.NativeEndian.AppendUint32(data, l)
	}
	return b, b.Write(0, data)
}

// variants are the network in each format. f32 comes first; the others are compared with its decisions.
func (n *classifier) variants(formats []quant.Format) ([]bench.Variant, error) {
	var list []bench.Variant
	for _, f := range formats {
		v := bench.Variant{
			Name: f.String(), Settings: []workloads.Setting{{Name: "format", Value: f.Kind.String()}}, Items: float64(n.size.n),
		}
		if shared := f.Shared(n.size.width, n.size.width); shared > 0 {
			v.Settings = append(v.Settings, workloads.Setting{Name: "block", Value: shared})
		}
		if v.Err = n.build(f, &v); errors.Is(v.Err, context.Canceled) {
			return nil, v.Err
		}
		list = append(list, v)
	}
	return list, nil
}

// build classifies the examples once with weights in the format.
func (n *classifier) build(f quant.Format, v *bench.Variant) error {
	inputs, lost, bytes, err := n.in(f)
	if err != nil {
		return err
	}
	var steps []bench.Step
	for l := 1; l <= n.size.layers; l++ {
		steps = append(steps, forward(l, n.size, activation))
	}
	launches, err := n.Chain(steps, inputs)
	if err != nil {
		return err
	}
	if err := n.Verify(launches...); err != nil {
		return err
	}
	scores := make([]float32, n.size.n*classes)
	if err := n.Floats(launches[len(launches)-1].Bindings[3].Buffer, shaders.F32)(scores, 0); err != nil {
		return err
	}
	v.Work, v.Adjust = n.Launches(launches), n.judge(decide(scores), f.Kind == quant.F32, lost, bytes)
	return nil
}

// in returns the inputs of the network with weights in a format, the errors of all weights, and their bytes.
func (n *classifier) in(f quant.Format) (inputs bench.Buffers, lost *quant.Errors, bytes int64, err error) {
	inputs, lost = bench.Buffers{activation(0): n.inputs[activation(0)]}, &quant.Errors{}
	for l := 1; l <= n.size.layers; l++ {
		from, to := layerCols(l-1, n.size), layerCols(l, n.size)
		if err := f.Check(from); err != nil {
			return nil, nil, 0, fmt.Errorf("%w: %w", gpu.ErrUnsupported, err)
		}
		packed, _, err := f.Encode(n.weights[l-1], to, from)
		if err != nil {
			return nil, nil, 0, err
		}
		rounded := make([]float32, from*to)
		if err := errors.Join(packed.Decode(rounded), n.Context().Err()); err != nil {
			return nil, nil, 0, err
		}
		if err := lost.Add(n.weights[l-1], rounded); err != nil {
			return nil, nil, 0, err
		}
		bytes += f.Bytes(to, from)
		inputs[label("b", l)] = n.inputs[label("b", l)]
		if inputs[label("w", l)], err = n.inputsFirst(rounded, from, to, label("w", l)); err != nil {
			return nil, nil, 0, err
		}
	}
	return inputs, lost, bytes, nil
}

// inputsFirst returns a buffer of weights [from, to] in the layout that the kernels read.
func (n *classifier) inputsFirst(w []float32, from, to int, name string) (gpu.Buffer, error) {
	b, err := n.Buffer(shaders.F32, from*to, name)
	if err != nil {
		return nil, err
	}
	return b, n.FillFloats(b, shaders.F32, from*to, func(dst []float32, at int) error {
		for i := range dst {
			dst[i] = w[(at+i)%to*from+(at+i)/to]
		}
		return nil
	})
}

// decide returns the class with the highest score for each example.
func decide(scores []float32) []uint32 {
	var out []uint32
	for row := range slices.Chunk(scores, classes) {
		best := 0
		for c := range row {
			if row[c] > row[best] {
				best = c
			}
		}
		out = append(out, uint32(best))
	}
	return out
}

// judge counts correct decisions, and those that agree with f32, which comes first; if f32's decisions are missing, only the former.
func (n *classifier) judge(decided []uint32, whole bool, lost *quant.Errors, bytes int64) func(r *workloads.Result) {
	right := make([]bool, len(decided))
	count := 0
	for i := range decided {
		if right[i] = decided[i] == n.labels[i]; right[i] {
			count++
		}
	}
	if whole {
		n.decided, n.right = decided, right
	}
	compared := !whole && n.decided != nil
	same, gained, dropped := 0, 0, 0
	for i := range n.decided {
		switch {
		case right[i] && !n.right[i]:
			gained++
		case n.right[i] && !right[i]:
			dropped++
		}
		if decided[i] == n.decided[i] {
			same++
		}
	}
	return func(r *workloads.Result) {
		r.Values.Set(workloads.Accuracy, stats.Share(count, len(decided)))
		r.DescribeWeights(lost, bytes)
		if !compared {
			return
		}
		r.Values.Set(workloads.Agreement, stats.Share(same, len(decided)))
		r.Values.Set(workloads.AccuracyLost, stats.PairedShares(dropped, gained, len(decided)))
	}
}
