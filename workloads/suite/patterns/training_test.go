package patterns

import (
	"encoding/binary"
	"math"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// network holds what a training step reads, in float64.
type network struct {
	size   sizes
	x      []float64
	labels []int
	w, b   [fewLayers + 1][]float64
}

// loss returns the mean cross-entropy of the network, computed without kernels.
func (n *network) loss() float64 {
	var sum float64
	for row := range n.size.n {
		y := n.x[row*n.size.width:][:n.size.width]
		for l := 1; l <= fewLayers; l++ {
			y = n.layer(l, y)
		}
		var powers float64
		for _, v := range y {
			powers += math.Exp(v)
		}
		sum += math.Log(powers) - y[n.labels[row]]
	}
	return sum / float64(n.size.n)
}

func (n *network) layer(l int, x []float64) []float64 {
	to := layerCols(l, n.size)
	out := make([]float64, to)
	for j := range out {
		out[j] = n.b[l][j]
		for i, v := range x {
			out[j] += v * n.w[l][i*to+j]
		}
		if l < fewLayers {
			out[j] = max(out[j], 0)
		}
	}
	return out
}

// TestGradientsMatchFiniteDifferences runs a training step of a tiny network, and compares its kernels' gradients with how the loss
// changes when a weight does.
func TestGradientsMatchFiniteDifferences(t *testing.T) {
	b := bench.New(benchtest.New(t, gputest.Script{}).Env)
	s := b.NewScope(t.Context())
	defer s.Release()
	size := sizes{n: 7, width: 5, steps: 2, layers: fewLayers}
	inputs := bench.Buffers{}
	if err := seedTask(s, size, inputs); err != nil {
		t.Fatal(err)
	}
	steps := wholeStep(size)
	launches, err := s.Chain(steps, inputs)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(launches...); err != nil {
		t.Fatal(err)
	}
	n := read(t, s, size, inputs)
	for l := 1; l <= fewLayers; l++ {
		for _, of := range []struct {
			name string
			at   []float64
		}{{"dw", n.w[l]}, {"db", n.b[l]}} {
			got := floats(t, s, (&shared{steps: steps, launches: launches}).written(label(of.name, l)), len(of.at))
			for i := range of.at {
				if want := slope(n, &of.at[i]); math.Abs(got[i]-want) > 1e-5+1e-3*math.Abs(want) {
					t.Errorf("%s[%d] is %g, want %g", label(of.name, l), i, got[i], want)
				}
			}
		}
	}
}

// slope returns the derivative of the loss with respect to a weight.
func slope(n *network, at *float64) float64 {
	const h = 1e-6
	was := *at
	*at = was + h
	above := n.loss()
	*at = was - h
	below := n.loss()
	*at = was
	return (above - below) / (2 * h)
}

func read(t *testing.T, s *bench.Scope, size sizes, inputs bench.Buffers) *network {
	t.Helper()
	n := &network{size: size, x: floats(t, s, inputs[label("y", 0)], size.n*size.width)}
	data := make([]byte, 4*size.n)
	if err := inputs["labels"].Read(0, data); err != nil {
		t.Fatal(err)
	}
	for i := range size.n {
		n.labels = append(n.labels, int(binary.NativeEndian.Uint32(data[4*i:])))
	}
	for l := 1; l <= fewLayers; l++ {
		to := layerCols(l, size)
		n.w[l] = floats(t, s, inputs[label("w", l)], layerCols(l-1, size)*to)
		n.b[l] = floats(t, s, inputs[label("b", l)], to)
	}
	return n
}

func floats(t *testing.T, s *bench.Scope, b gpu.Buffer, n int) []float64 {
	t.Helper()
	values := make([]float32, n)
	if err := s.Floats(b, shaders.F32)(values, 0); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, n)
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func TestTrainingFailsIfTheLossDoesNotFall(t *testing.T) {
	for _, dtype := range []string{"f32", "f16"} {
		small := workloads.Values{"pattern": "training", "dtype": dtype, "width": 6, "min_batch": 8, "max_batch": 8, "steps": 5}
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Patterns(), small); err != nil {
			t.Fatal(err)
		}
		r := &b.Measured[0]
		if first, last := r.Number(lossFirst), r.Number(lossLast); r.Variant != whole || !(last < first) || !(last > 0) {
			t.Errorf("%s in %s: the loss went from %g to %g", r.Variant, dtype, first, last)
		}
	}
	if err := falls(2, 2, 5); err == nil {
		t.Error("a loss that stays passes")
	}
	if err := falls(2, math.NaN(), 5); err == nil {
		t.Error("a loss of NaN passes")
	}
}
