package bench

import "assay/shaders"

// Types lists the element types that a choice of number formats names: "f32", "f16", "bf16", or "both" for the first two; none for any other name.
func Types(choice string) []shaders.Type {
	switch choice {
	case "f32":
		return []shaders.Type{shaders.F32}
	case "f16":
		return []shaders.Type{shaders.F16}
	case "bf16":
		return []shaders.Type{shaders.BF16}
	case "both":
		return []shaders.Type{shaders.F32, shaders.F16}
	}
	return nil
}
