package throughput

import (
	"fmt"

	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// inInt8 is the value of matmul's parameter dtype that means products of int8 with int8.
const inInt8 = "int8"

// inFloat is the product that those of other formats are compared with there.
const inFloat = "f32"

// ofFloats is why a parameter does not apply to products of int8.
func ofFloats(lacks string) func(v workloads.Values) error {
	return func(v workloads.Values) error {
		if v.String("dtype") == inInt8 {
			return fmt.Errorf("products of int8 %s", lacks)
		}
		return nil
	}
}

// int8Multipliers are the products of int8 by each kernel for them, beside those of floats by the kernel that is chosen for the
// device. All have b transposed, as weights are.
func int8Multipliers() []multiplier {
	var list []multiplier
	for _, t := range []shaders.Type{shaders.F32, shaders.F16, shaders.BF16} {
		w := way{name: t.String(), differs: t.String(), words: t.String()}
		if w.name == inFloat {
			w.differs = ""
		}
		list = append(list, multiplier{way: w, alone: func(p shgemm.MatmulParams) bench.Step {
			return bench.Step{
				Pick: shaders.Pick{Op: "matmul", Type: t}, Constants: shaders.Constants{shgemm.TransposeB: 1}, Params: p,
				Args: []string{"a " + t.String(), "b " + t.String(), bench.None, result},
			}
		}})
	}
	for _, m := range implementations("matmul_int8") {
		w := by(m)
		w.name = "int8 × int8, " + w.name
		list = append(list, multiplier{way: w, impl: m.Name, alone: func(p shgemm.MatmulParams) bench.Step {
			return bench.Step{
				Pick: shaders.Pick{Op: "matmul_int8", Impl: m.Name, Type: shaders.I8}, Params: shgemm.Int8MatmulParams{M: p.M, N: p.N, K: p.K},
				Args: []string{"a", "weights", result},
			}
		}})
	}
	return list
}

// isInt8 reports whether a result is of a product of int8: of those, floats are chosen and named by their format.
func isInt8(r *workloads.Result) bool {
	for _, m := range int8Multipliers() {
		if m.name == r.Variant {
			return m.impl != ""
		}
	}
	return false
}
