package throughput

import (
	"fmt"

	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// inInt8 is the value of matmul's parameter dtype for int8 × int8 GEMMs.
const inInt8 = "int8"

// inFloat is the baseline of the other formats there.
const inFloat = "f32"

// ofFloats explains why a parameter does not apply to int8 GEMMs.
func ofFloats(lacks string) func(v workloads.Values) error {
	return func(v workloads.Values) error {
		if v.String("dtype") == inInt8 {
			return fmt.Errorf("products of int8 %s", lacks)
		}
		return nil
	}
}

// int8Multipliers are the int8 GEMMs with each kernel for them, and float GEMMs with the kernel chosen for the device. All have b
// transposed, as weights are.
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

// isInt8 reports whether a result belongs to an int8 GEMM: there, float variants are chosen and named by format.
func isInt8(r *workloads.Result) bool {
	for _, m := range int8Multipliers() {
		if m.name == r.Variant {
			return m.impl != ""
		}
	}
	return false
}
