package throughput

import (
	"fmt"

	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/conv"
	"assay/shaders/elementwise"
	shgemm "assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/workloads/bench"
)

// widen is how much wider the hidden layer of a feed-forward block is.
const widen = 4

// blocks are patterns from transformers. At size n the model is n wide and the batch has n/4 tokens, so that no dispatch does more
// than a GEMM of two n×n matrices.
func blocks() []pattern {
	return []pattern{inPlace(), swiglu(), feedForward(), convolved(), attentionPattern()}
}

func tokens(n int) int { return max(1, n/widen) }

// inPlace compares PyTorch's addmm followed by a GELU that overwrites its result with both fused into the GEMM.
func inPlace() pattern {
	return pattern{
		name: "addmm+gelu in place", axis: "size",
		fused: one(func(t shaders.Type, n int) bench.Step {
			return matmul(t, n, n, n, shaders.Constants{shgemm.HasBias: 1, shgemm.Activation: shaders.ActGelu}, "a", "b", "bias", result)
		}),
		separate: func(t shaders.Type, n int) []bench.Step {
			return []bench.Step{
				matmul(t, n, n, n, shaders.Constants{shgemm.HasBias: 1}, "a", "b", "bias", result),
				each("gelu_inplace", t, n*n, result),
			}
		},
	}
}

// swiglu is SiLU(x·gate) · (x·up): the GEMMs are the same; what follows them is one dispatch or two.
func swiglu() pattern {
	products := func(t shaders.Type, n int) []bench.Step {
		m, hidden := tokens(n), widen*n
		return []bench.Step{
			matmul(t, m, hidden, n, nil, "x", "gate weights", bench.None, "gate"),
			matmul(t, m, hidden, n, nil, "x", "up weights", bench.None, "up"),
		}
	}
	return pattern{
		name: "swiglu", axis: "size",
		fused: func(t shaders.Type, n int) []bench.Step {
			return append(products(t, n), each("silu_mul", t, tokens(n)*widen*n, "gate", "up", result))
		},
		separate: func(t shaders.Type, n int) []bench.Step {
			elements := tokens(n) * widen * n
			return append(products(t, n), each("silu", t, elements, "gate", "activated"), each("mul", t, elements, "activated", "up", result))
		},
	}
}

// feedForward is two layers, the hidden one four times as wide: GELU after the first, and a bias in both.
func feedForward() pattern {
	return pattern{
		name: "ffn", axis: "size",
		fused: func(t shaders.Type, n int) []bench.Step {
			m, hidden := tokens(n), widen*n
			biasGelu := shaders.Constants{shgemm.HasBias: 1, shgemm.Activation: shaders.ActGelu}
			return []bench.Step{
				matmul(t, m, hidden, n, biasGelu, "x", "weights 1", "bias 1", "hidden"),
				matmul(t, m, n, hidden, shaders.Constants{shgemm.HasBias: 1}, "hidden", "weights 2", "bias 2", result),
			}
		},
		separate: func(t shaders.Type, n int) []bench.Step {
			m, hidden := tokens(n), widen*n
			return []bench.Step{
				matmul(t, m, hidden, n, nil, "x", "weights 1", bench.None, "product 1"),
				addBias(t, m, hidden, "product 1", "bias 1", "biased"),
				each("gelu", t, m*hidden, "biased", "hidden"),
				matmul(t, m, n, hidden, nil, "hidden", "weights 2", bench.None, "product 2"),
				addBias(t, m, n, "product 2", "bias 2", result),
			}
		},
	}
}

// convChannels is the number of channels of the images of conv+bias+relu, whose size is their side.
const convChannels = 16

// convolved is a convolution of an image with a bias per channel and ReLU, in the convolution or after it.
func convolved() pattern {
	params := func(n int) conv.ConvParams { return convParams(convChannels, n) }
	biasRelu := shaders.Constants{conv.HasBias: 1, conv.Activation: shaders.ActRelu}
	return pattern{
		name: "conv+bias+relu", axis: "size",
		fused: one(func(t shaders.Type, n int) bench.Step {
			return bench.Step{
				Pick: shaders.Pick{Op: "conv2d", Type: t}, Constants: biasRelu, Params: params(n), Args: []string{"x", "filters", "bias", result},
			}
		}),
		separate: func(t shaders.Type, n int) []bench.Step {
			channels := elementwise.BroadcastParams{D0: 1, D1: convChannels, D2: uint32(n), D3: uint32(n), B: 0b1101}
			return []bench.Step{
				{Pick: shaders.Pick{Op: "conv2d", Type: t}, Params: params(n), Args: []string{"x", "filters", bench.None, product}},
				{Pick: shaders.Pick{Op: "add_broadcast", Type: t}, Params: channels, Args: []string{product, "bias", "biased"}},
				each("relu", t, convChannels*n*n, "biased", result),
			}
		},
	}
}

// convParams is a 3×3 convolution of a square image with as many filters as channels, padded to the same size.
func convParams(channels, side int) conv.ConvParams {
	c, n := uint32(channels), uint32(side)
	return conv.ConvParams{N: 1, C: c, H: n, W: n, O: c, Side: 3, Stride: 1, Pad: 1}
}

// Heads of attention, whose size is the sequence length.
const (
	attentionHeads = 4
	attentionWidth = 64
)

// attentionPattern is attention in one dispatch, or with a separate softmax.
func attentionPattern() pattern { return attentionOfHeads(attentionHeads) }

func attentionOfHeads(heads int) pattern {
	params := func(n int) attention.AttentionParams {
		return attention.AttentionParams{
			Heads: uint32(heads), KVHeads: uint32(heads), Queries: uint32(n), Keys: uint32(n), Dim: attentionWidth,
		}
	}
	return pattern{
		name: "attention", axis: "size",
		fused: one(func(t shaders.Type, n int) bench.Step {
			return bench.Step{
				Pick: shaders.Pick{Op: "attention", Type: t}, Constants: shaders.Constants{attention.HeadDim: attentionWidth}, Params: params(n),
				Args: []string{"q", "k", "v", bench.None, result},
			}
		}),
		separate: func(t shaders.Type, n int) []bench.Step {
			rows := norm.SoftmaxParams{Rows: uint32(heads * n), Cols: uint32(n)}
			return []bench.Step{
				{Pick: shaders.Pick{Op: "attention_scores", Type: t}, Params: params(n), Args: []string{"q", "k", bench.None, "scores"}},
				{Pick: shaders.Pick{Op: "softmax", Type: t}, Params: rows, Args: []string{"scores", "probabilities"}},
				{Pick: shaders.Pick{Op: "attention_values", Type: t}, Params: params(n), Args: []string{"probabilities", "v", result}},
			}
		},
	}
}

// normWidth is the longest row of residual+norm.
const normWidth = 1024

// normRows returns the number of rows for n elements, and their length: the longest that divides n and consists of whole vectors, or
// else rows of normWidth without the remainder.
func normRows(n int) (rows, cols int) {
	for cols = normWidth; cols >= normWidth/2; cols -= 4 {
		if n%cols == 0 {
			return n / cols, cols
		}
	}
	cols = min(n, normWidth)
	return n / cols, cols
}

// arrayPatterns are further patterns without a GEMM.
func arrayPatterns() []pattern { return []pattern{residualNorm(), multiTensor()} }

// residualNorm adds a block's output to its input and normalizes the sum.
func residualNorm() pattern {
	params := func(n int) norm.LayerNormParams {
		rows, cols := normRows(n)
		return norm.LayerNormParams{Rows: uint32(rows), Cols: uint32(cols), Eps: 1e-5}
	}
	return pattern{
		name: "residual+norm", axis: "elements",
		whole: func(n int) int {
			rows, cols := normRows(n)
			return rows * cols
		},
		fused: one(func(t shaders.Type, n int) bench.Step {
			return bench.Step{
				Pick: shaders.Pick{Op: "add_layernorm", Type: t}, Params: params(n), Args: []string{"x", "y", "weight", "bias", "sum", result},
			}
		}),
		separate: func(t shaders.Type, n int) []bench.Step {
			return []bench.Step{
				each("add", t, n, "x", "y", "sum"),
				{Pick: shaders.Pick{Op: "layernorm", Type: t}, Params: params(n), Args: []string{"sum", "weight", "bias", result}},
			}
		},
	}
}

// multiTensor adds four pairs of arrays of n/4 elements in one dispatch, as an optimizer step does with a network's tensors.
func multiTensor() pattern {
	label := func(name string, i int) string { return fmt.Sprintf("%s %d", name, i) }
	part := func(n int) int { return n / elementwise.Multi }
	return pattern{
		name: "multi-tensor add", axis: "elements",
		whole: func(n int) int { return max(1, part(n)) * elementwise.Multi },
		fused: one(func(t shaders.Type, n int) bench.Step {
			var args []string
			for i := range elementwise.Multi {
				args = append(args, label("a", i), label("b", i), label("sum", i))
			}
			return each("add_multi", t, part(n), args...)
		}),
		separate: func(t shaders.Type, n int) []bench.Step {
			var steps []bench.Step
			for i := range elementwise.Multi {
				steps = append(steps, each("add", t, part(n), label("a", i), label("b", i), label("sum", i)))
			}
			return steps
		},
	}
}
