package throughput

import (
	"fmt"

	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/conv"
	shgemm "assay/shaders/gemm"
	"assay/shaders/reduce"
	"assay/workloads/bench"
)

// publishedItems lists the rows of all tables; each table is from one document.
func publishedItems() []publishedItem {
	var list []publishedItem
	add := func(table string, source source, items ...publishedItem) {
		for _, p := range items {
			p.table, p.source = table, source
			list = append(list, p)
		}
	}
	add(operationsTable, tritonOptimizers, fourOperations()...)
	add(productsTable, tensorLogicGuide,
		publishedProduct("product-64", 64, figure{value: 0.43e-3, unit: "s", of: "M4 Pro"}, figure{value: 1.2e9, unit: "FLOP/s", of: "M4 Pro"}),
		publishedProduct("product-256", 256, figure{value: 0.56e-3, unit: "s", of: "M4 Pro"}, figure{value: 60e9, unit: "FLOP/s", of: "M4 Pro"}),
		publishedProduct("product-1024", 1024, figure{value: 4.37e-3, unit: "s", of: "M4 Pro"}, figure{value: 491e9, unit: "FLOP/s", of: "M4 Pro"}))
	add(fusionTable, tensorLogicGuide, fusedItems()...)
	add(batchingTable, tensorLogicGuide, append([]publishedItem{batchedModel()}, efficientSizes()...)...)
	return list
}

// threeChips are the columns of the table of operations, the last of which compares the first with the third.
func threeChips(old, m3, optimized, ratio float64) []figure {
	return []figure{
		{value: old, unit: "s", of: "M1 or M2"},
		{value: m3, unit: "s", of: "M3"},
		{value: optimized, unit: "s", of: "M3, optimized"},
		{value: ratio, unit: "×", of: "M3, optimized, against M1 or M2", foreign: true},
	}
}

// unmeasured is what the guides omit in every row.
const unmeasured = "how many GPU cores, or how times were taken"

func fourOperations() []publishedItem {
	product := publishedProduct("matmul", 1024, threeChips(8.2e-3, 5.1e-3, 2.8e-3, 2.9)...)
	product.typical, product.gaps = true, "the number format, what was optimized, "+unmeasured
	return []publishedItem{
		product,
		{
			name: "convolution", plain: "by planes (NCHW)", better: "by pixels (NHWC)",
			title: func(s share) string {
				return fmt.Sprintf("conv 3 × 3, %d × %d × %d", s.of(64), s.of(224), s.of(224))
			},
			ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
				p := convParams(s.of(64), s.of(224))
				in := func(layout int32) []bench.Step {
					return []bench.Step{{
						Pick: shaders.Pick{Op: "conv2d", Type: t}, Constants: shaders.Constants{conv.ByPixel: layout}, Params: p,
						Args: []string{"x", "filters", bench.None, result},
					}}
				}
				return in(0), in(1)
			},
			figures: threeChips(12.4e-3, 7.3e-3, 4.1e-3, 3.0),
			gaps:    "the number format, output channels (here 64), batch (here one image), padding (here to the same size), what was optimized, " + unmeasured,
		},
		{
			name: "attention", plain: "three dispatches", better: "one dispatch",
			title: func(s share) string {
				return fmt.Sprintf("attention, %s × %d", si.Counted(s.of(16), "head"), s.of(512))
			},
			ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
				p := attentionOfHeads(s.of(16))
				return p.separate(t, s.of(512)), p.fused(t, s.of(512))
			},
			figures: threeChips(18.7e-3, 10.5e-3, 5.8e-3, 3.2),
			gaps:    fmt.Sprintf("the number format, head dimension (here %d), batch (here one sequence), mask (here none), what was optimized, ", attentionWidth) + unmeasured,
		},
		{
			name: "swiglu", plain: "two dispatches", better: "one dispatch",
			title: func(s share) string { return fmt.Sprintf("SwiGLU %d × %d", s.of(1024), s.of(4096)) },
			ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
				n := s.of(1024) * s.of(4096)
				return []bench.Step{each("silu", t, n, "gate", "activated"), each("mul", t, n, "activated", "up", result)},
					[]bench.Step{each("silu_mul", t, n, "gate", "up", result)}
			},
			figures: threeChips(6.3e-3, 3.9e-3, 2.1e-3, 3.0),
			gaps:    "the number format, whether the products before it count (here they do not), what was optimized, " + unmeasured,
		},
	}
}

// publishedProduct is a square GEMM with one thread per element, and with the kernel chosen for the device.
func publishedProduct(name string, n int, figures ...figure) publishedItem {
	return publishedItem{
		name: name, plain: "naive", better: "chosen for the device", figures: figures,
		title: func(s share) string { return fmt.Sprintf("matmul %d × %d", s.of(n), s.of(n)) },
		ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
			side := s.of(n)
			step := matmul(t, side, side, side, nil, "a", "b", bench.None, result)
			chosen := step
			step.Impl = shgemm.Naive
			return []bench.Step{step}, []bench.Step{chosen}
		},
		gaps: "the number format in the table (elsewhere f16), " + unmeasured,
	}
}

// fusedItems are patterns of the workload fusion at the guide's sizes.
func fusedItems() []publishedItem {
	item := func(name string, n int, shape func(n int) string, p pattern, percent float64, of string) publishedItem {
		return publishedItem{
			name: name, plain: "separate", better: "fused", title: func(s share) string { return shape(s.of(n)) },
			ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
				return p.separate(t, s.of(n)), p.fused(t, s.of(n))
			},
			figures: []figure{{value: percent, unit: "%", of: of}},
			gaps:    "the machine, the number format in the table (elsewhere f16), " + unmeasured,
		}
	}
	square := func(n int) string { return fmt.Sprintf("matmul + ReLU %d × %d", n, n) }
	length := func(n int) string { return fmt.Sprintf("add + ReLU %d", n) }
	product := layer("matmul+relu", shaders.Constants{shgemm.Activation: shaders.ActRelu}, func(t shaders.Type, n int) []bench.Step {
		return []bench.Step{each("relu", t, n*n, product, result)}
	})
	sum := vectors()[0]
	all := []publishedItem{
		item("fused-product-64", 64, square, product, 30, "64 × 64"),
		item("fused-product-1024", 1024, square, product, 15, "1024 × 1024"),
		item("fused-sum-10k", 10_000, length, sum, 40, "up to 10 000 elements"),
		item("fused-sum-1m", 1_000_000, length, sum, 20, "above 1 000 000 elements"),
	}
	all[0].typical = true
	return all
}

// requests is the batch size if the guide gives none.
const requests = 16

// batchedModel runs requests through a small MLP one by one, or as one batch.
func batchedModel() publishedItem {
	const width, depth = 512, 3
	return publishedItem{
		name: "model", plain: "one by one", better: "as a batch", typical: true,
		title: func(s share) string { return fmt.Sprintf("%d requests to an MLP %d wide", requests, s.of(width)) },
		ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
			forward := func(rows, request int) (steps []bench.Step) {
				n, of := s.of(width), func(l int) string { return fmt.Sprintf("x %d of %d times %d", l, request, rows) }
				for l := range depth {
					weights, bias := fmt.Sprintf("weights %d", l), fmt.Sprintf("bias %d", l)
					steps = append(steps, matmul(t, rows, n, n, shaders.Constants{shgemm.HasBias: 1, shgemm.Activation: shaders.ActRelu},
						of(l), weights, bias, of(l+1)))
				}
				return steps
			}
			for i := range requests {
				plain = append(plain, forward(1, i)...)
			}
			return plain, forward(requests, 0)
		},
		figures: []figure{{value: 2, most: 5, unit: "×", of: "throughput of a batch"}},
		gaps:    fmt.Sprintf("the machine, the model (here %d layers of %d × %d), the batch (here %d), the number format, ", depth, width, width, requests) + unmeasured,
	}
}

// efficientSizes do the same work in pieces of what the guide calls the smallest efficient size, and all at once, which is then among
// the sizes it calls best.
func efficientSizes() []publishedItem {
	item := func(name, what string, pieces, smallest int, least, most float64, unit string,
		piece func(t shaders.Type, n, i int) bench.Step, whole func(t shaders.Type, n int) []bench.Step,
	) publishedItem {
		return publishedItem{
			name: name, plain: fmt.Sprintf("%d pieces", pieces), better: "at once",
			title: func(s share) string { return fmt.Sprintf("%s, %d × %d", what, pieces, s.of(smallest)) },
			ways: func(t shaders.Type, s share) (plain, better []bench.Step) {
				for i := range pieces {
					plain = append(plain, piece(t, s.of(smallest), i))
				}
				return plain, whole(t, s.of(smallest))
			},
			figures: []figure{
				{value: float64(smallest), unit: unit, of: "the smallest efficient size"}, {value: least, most: most, unit: unit, of: "the best size"},
			},
			gaps: "the machine, what efficient means, or the number format",
		}
	}
	label := func(name string, i int) string { return fmt.Sprintf("%s %d", name, i) }
	const few, many = 16, 100
	return []publishedItem{
		item("efficient-add", "add", few, 10_000, 1e5, 1e6, "elements",
			func(t shaders.Type, n, i int) bench.Step {
				return each("add", t, n, label("a", i), label("b", i), label("sum", i))
			},
			func(t shaders.Type, n int) []bench.Step { return []bench.Step{each("add", t, few*n, "a", "b", result)} }),
		item("efficient-activation", "ReLU", few, 10_000, 1e5, 1e6, "elements",
			func(t shaders.Type, n, i int) bench.Step { return each("relu", t, n, label("x", i), label("y", i)) },
			func(t shaders.Type, n int) []bench.Step { return []bench.Step{each("relu", t, few*n, "x", result)} }),
		item("efficient-product", "matmul", 8, 128, 256, 0, "rows",
			func(t shaders.Type, n, i int) bench.Step {
				return matmul(t, n, n, n, nil, label("a", i), label("b", i), bench.None, label("product", i))
			},
			func(t shaders.Type, n int) []bench.Step {
				return []bench.Step{matmul(t, 2*n, 2*n, 2*n, nil, "a", "b", bench.None, result)}
			}),
		item("efficient-sum", "sum", many, 1000, 1e5, 1e6, "elements",
			func(t shaders.Type, n, i int) bench.Step { return summed(t, n, 1, label("x", i), label("sum", i)) },
			func(t shaders.Type, n int) []bench.Step {
				return []bench.Step{summed(t, many*n, many, "x", "partial"), summed(shaders.F32, many, 1, "partial", result)}
			}),
	}
}

// summed is the sums of some slices of n elements.
func summed(t shaders.Type, n, slices int, x, out string) bench.Step {
	return bench.Step{Pick: shaders.Pick{Op: "sum", Type: t}, Params: reduce.ReduceParams{N: uint32(n), Parts: uint32(slices)}, Args: []string{x, out}}
}
