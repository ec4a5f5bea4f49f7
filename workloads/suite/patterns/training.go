package patterns

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"assay/gpu"
	"assay/internal/metric"
	"assay/shaders"
	"assay/shaders/gemm"
	trainer "assay/shaders/train"
	"assay/workloads"
	"assay/workloads/bench"
)

// Metrics of training.
const (
	lossFirst metric.Name = "loss_first"
	lossLast  metric.Name = "loss_last"
)

// The network being trained has hidden layers with ReLU and one that classifies. In the workload patterns it has few.
const (
	fewLayers = 3
	classes   = 10
)

// label names an operand of layer l.
func label(name string, l int) string { return fmt.Sprintf("%s %d", name, l) }

// layerCols returns the number of columns of layer l's result; for layer 0, the input's.
func layerCols(l int, size sizes) int {
	if l == size.layers {
		return classes
	}
	return size.width
}

// training is one step of gradient descent on a batch: forward, loss, backward and update.
func training(size sizes) []stage {
	var list []stage
	for l := 1; l <= size.layers; l++ {
		list = append(list, stage{label("forward", l), []bench.Step{forward(l, size, activation)}})
	}
	list = append(list, stage{"loss", []bench.Step{lossOf(size)}})
	for l := size.layers; l >= 1; l-- {
		list = append(list, stage{label("backward", l), backward(l, size, activation)})
	}
	return append(list, stage{"update", updates(size)})
}

// wholeStep is a complete training step.
func wholeStep(size sizes) []bench.Step {
	var steps []bench.Step
	for _, st := range training(size) {
		steps = append(steps, st.steps...)
	}
	return steps
}

// updates adjust the weights and biases of all layers by their gradients.
func updates(size sizes) []bench.Step {
	var steps []bench.Step
	for l := 1; l <= size.layers; l++ {
		steps = append(steps, update("w", l, layerCols(l-1, size)*layerCols(l, size), size), update("b", l, layerCols(l, size), size))
	}
	return steps
}

// activation names the result of layer l; for layer 0, the input.
func activation(l int) string { return label("y", l) }

// lossOf computes the loss of the last layer's result, and its gradient.
func lossOf(size sizes) bench.Step {
	return bench.Step{
		Pick: size.pick("softmax_xent"), Params: trainer.SoftmaxXentParams{Rows: uint32(size.n), Cols: classes},
		Args: []string{activation(size.layers), "labels", "loss", label("dy", size.layers)},
	}
}

// forward computes the result of layer l from that of the previous layer, with the names given by y.
func forward(l int, size sizes, y func(l int) string) bench.Step {
	c := shaders.Constants{gemm.HasBias: 1}
	if l < size.layers {
		c[gemm.Activation] = shaders.ActRelu
	}
	return size.linear(size.n, layerCols(l, size), layerCols(l-1, size), c, y(l-1), label("w", l), label("b", l), y(l))
}

// backward computes the gradients of a layer's weights, bias and input from the gradient of its result before the activation.
func backward(l int, size sizes, y func(l int) string) []bench.Step {
	n, from, to := size.n, layerCols(l-1, size), layerCols(l, size)
	steps := []bench.Step{
		size.linear(from, to, n, shaders.Constants{gemm.TransposeA: 1}, y(l-1), label("dy", l), bench.None, label("dw", l)),
		{
			Pick: size.pick("column_sum"), Params: trainer.ColumnSumParams{Rows: uint32(n), Cols: uint32(to)},
			Args: []string{label("dy", l), label("db", l)},
		},
	}
	if l == 1 {
		return steps // nobody needs the gradient of the input
	}
	return append(steps,
		size.linear(n, from, to, shaders.Constants{gemm.TransposeB: 1}, label("dy", l), label("w", l), bench.None, label("da", l-1)),
		bench.Step{
			Pick: size.pick("relu_grad"), Params: trainer.ReluGradParams{N: uint32(n * from)},
			Args: []string{y(l - 1), label("da", l-1), label("dy", l-1)},
		})
}

func update(name string, l, n int, size sizes) bench.Step {
	return bench.Step{
		Pick: size.pick("sgd"), Params: trainer.SGDParams{N: uint32(n), Rate: rate(size)}, Args: []string{label(name, l), label("d"+name, l)},
	}
}

// rate returns a learning rate at which a network of this width learns steadily.
func rate(size sizes) float32 {
	if size.rate > 0 {
		return size.rate
	}
	return float32(min(0.1, 8/float64(size.width)))
}

// seedTask adds the initial data of a training step: weights, and labels that a random linear teacher assigns to the random rows.
func seedTask(s *bench.Scope, size sizes, inputs bench.Buffers) (err error) {
	if inputs[activation(0)], err = s.Random(size.t, size.n*size.width, "examples"); err != nil {
		return err
	}
	if err := seedWeights(s, size, inputs); err != nil {
		return err
	}
	x := make([]float32, size.n*size.width)
	if err := s.Floats(inputs[activation(0)], size.t)(x, 0); err != nil {
		return err
	}
	inputs["labels"], err = s.Buffer(shaders.U32, size.n, "labels")
	if err != nil {
		return err
	}
	return inputs["labels"].Write(0, teach(x, size))
}

// seedWeights generates weights of a size that preserves the scale of the activations, and biases of 0.
func seedWeights(s *bench.Scope, size sizes, inputs bench.Buffers) error {
	for l := 1; l <= size.layers; l++ {
		from, to := layerCols(l-1, size), layerCols(l, size)
		for _, of := range []struct {
			name  string
			n     int
			scale float64
		}{{label("w", l), from * to, math.Sqrt(6 / float64(from))}, {label("b", l), to, 0}} {
			unit, err := s.Random(size.t, of.n, of.name+" before scaling")
			if err != nil {
				return err
			}
			if inputs[of.name], err = scaled(s, unit, of.n, float32(of.scale), of.name, size.t); err != nil {
				return err
			}
		}
	}
	return nil
}

func scaled(s *bench.Scope, from gpu.Buffer, n int, scale float32, name string, t shaders.Type) (gpu.Buffer, error) {
	b, err := s.Buffer(t, n, name)
	if err != nil {
		return nil, err
	}
	read := s.Floats(from, t)
	return b, s.FillFloats(b, t, n, func(dst []float32, at int) error {
		err := read(dst, at)
		for i := range dst {
			dst[i] *= scale
		}
		return err
	})
}

// teach labels each row with the class whose random direction it is most aligned with.
func teach(x []float32, size sizes) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	directions := make([]float32, classes*size.width)
	for i := range directions {
		directions[i] = float32(r.NormFloat64())
	}
	var labels []byte
	for row := range size.n {
		best, most := 0, float32(math.Inf(-1))
		for c := range classes {
			var along float32
			for i := range size.width {
				along += x[row*size.width+i] * directions[c*size.width+i]
			}
			if along > most {
				best, most = c, along
			}
		}
		labels = binary.NativeEndian.AppendUint32(labels, uint32(best))
	}
	return labels
}

// train trains the network for a number of steps, each on the weights left by the previous one, and fails if the loss does not fall.
// It can be stopped between command buffers, each of which is short.
func train(s *bench.Scope, size sizes, inputs bench.Buffers) (func(r *workloads.Result), error) {
	launches, err := s.Chain(wholeStep(size), inputs)
	if err != nil {
		return nil, err
	}
	losses, err := trainWith(s, size, launches)
	if err != nil {
		return nil, err
	}
	return func(r *workloads.Result) {
		r.Values.SetNumber(lossFirst, losses[0])
		r.Values.SetNumber(lossLast, losses[1])
	}, nil
}

// trainWith runs the training steps through their launches. It returns the first and the last loss.
func trainWith(s *bench.Scope, size sizes, launches []gpu.Launch) (losses [2]float64, err error) {
	loss := launches[size.layers].Bindings[2].Buffer
	pace := s.Pace(launches)
	for i, steps := range []int{1, size.steps - 1} {
		if err := pace.Run(s.Context(), steps); err != nil {
			return losses, err
		}
		if losses[i], err = mean(s, loss, size.n); err != nil {
			return losses, err
		}
	}
	return losses, falls(losses[0], losses[1], size.steps)
}

// falls returns an error unless the last loss is smaller than the first.
func falls(first, last float64, steps int) error {
	if last < first {
		return nil
	}
	return bench.Wrong("the loss went from %g to %g in %d steps of training", first, last, steps)
}

func mean(s *bench.Scope, b gpu.Buffer, n int) (float64, error) {
	values := make([]float32, n)
	err := s.Floats(b, shaders.F32)(values, 0)
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(n), err
}
