package stability

import (
	"assay/internal/metric"
	"assay/shaders"
	"assay/shaders/attention"
	shgemm "assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/shaders/stream"
	"assay/workloads"
	"assay/workloads/bench"
)

// work is a kind of work to repeat.
type work struct {
	name, title, about string
	subject            string // in sentences, in the plural
	of                 metric.Name
	unit               string
	f32                bool // available in f32 only
	steps              func(t shaders.Type, n int) []bench.Step
}

func works() []work {
	return []work{
		{
			name: "product", title: "Matrix product", subject: "Products", of: workloads.Throughput, unit: "FLOP/s", steps: product,
			about: "A square matrix product, which keeps the arithmetic units busy.",
		},
		{
			name: "triad", title: "Triad", subject: "Triads", of: workloads.Bandwidth, unit: "B/s", steps: triad, f32: true,
			about: "out = x + s · y over as many elements as the matrix has, which keeps the memory busy; f32.",
		},
		{
			name: "softmax", title: "Softmax", subject: "Softmaxes", of: workloads.Bandwidth, unit: "B/s", steps: softmax,
			about: "The softmax of each row of the matrix.",
		},
		{
			name: "attention", title: "Attention", subject: "Attentions", of: workloads.Throughput, unit: "FLOP/s", steps: attend,
			about: "Attention of eight heads of dimension 64, with as many queries and keys as the matrix has rows.",
		},
		{
			name: "mixed", title: "Mixed", subject: "Rounds of mixed work", of: workloads.Throughput, unit: "FLOP/s", steps: mixed,
			about: "A matrix product, the softmax of its result and attention, one after another.",
		},
	}
}

func product(t shaders.Type, n int) []bench.Step {
	return []bench.Step{{
		Pick: shaders.Pick{Op: "matmul", Type: t}, Params: shgemm.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n), Batch: 1},
		Args: []string{"a", "b", bench.None, "product"},
	}}
}

func triad(t shaders.Type, n int) []bench.Step {
	return []bench.Step{{
		Pick: shaders.Pick{Op: "triad", Type: t}, Params: stream.TriadParams{N: uint32(n * n), S: 3}, Args: []string{"a", "b", "triad"},
	}}
}

func softmax(t shaders.Type, n int) []bench.Step {
	return []bench.Step{{
		Pick: shaders.Pick{Op: "softmax", Type: t}, Params: norm.SoftmaxParams{Rows: uint32(n), Cols: uint32(n)}, Args: []string{"a", "softmax"},
	}}
}

func attend(t shaders.Type, n int) []bench.Step {
	const heads, dim = 8, 64
	return []bench.Step{{
		Pick: shaders.Pick{Op: "attention", Type: t}, Constants: shaders.Constants{attention.HeadDim: dim},
		Params: attention.AttentionParams{Heads: heads, KVHeads: heads, Queries: uint32(n), Keys: uint32(n), Dim: dim},
		Args:   []string{"q", "k", "v", bench.None, "attention"},
	}}
}

func mixed(t shaders.Type, n int) []bench.Step {
	steps := append(product(t, n), softmax(t, n)...)
	steps[1].Args = []string{"product", "softmax"}
	return append(steps, attend(t, n)...)
}
