package throughput

import (
	"fmt"
	"slices"
	"strings"

	"assay/workloads"
)

func fusionQuick() map[string]any {
	return map[string]any{"min_size": 128, "max_size": 512, "min_elements": 10_000, "max_elements": 1_000_000}
}

func fusionPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All patterns at sizes that take seconds.", fusionQuick()),
		{
			Name: "layer-epilogue", Title: "Layer’s epilogue",
			About:  "A product with bias and ReLU, as a layer of an MLP has it, up to 2048 rows.",
			Values: workloads.Values{"pattern": "matmul+bias+relu", "min_size": 32, "max_size": 2048},
		},
		{
			Name: "elementwise", Title: "Elementwise chain",
			About:  "Add and ReLU in one pass over memory instead of two, from small vectors to large.",
			Values: workloads.Values{"pattern": "add+relu", "min_elements": 1000, "max_elements": 50_000_000},
		},
		{
			Name: "half-precision", Title: "Half precision",
			About:  "All patterns in f16, where memory weighs half as much.",
			Values: workloads.Values{"dtype": "f16"},
		},
	}
}

// fusionPlaces are the sizes that a moved parameter can show at, which depend on the pattern.
func fusionPlaces(v workloads.Values, moved string) ([]string, error) {
	matrix, vector := []string{"max_size", "min_size"}, []string{"max_elements", "min_elements"}
	chosen, own := v.String("pattern"), append(slices.Clone(matrix), vector...)
	if chosen != "all" {
		own = vector
		if patternOf(chosen, true).mat {
			own = matrix
		}
	}
	switch {
	case moved == "pattern" || moved == "dtype":
		return own, nil
	case slices.Contains(own, moved):
		return []string{moved}, nil
	case slices.Contains(matrix, moved):
		return nil, fmt.Errorf("the pattern %s has no matrix: its size is the vector’s", chosen)
	}
	return nil, fmt.Errorf("the pattern %s has no vector: its size is the matrix’s", chosen)
}

// narrowFusion takes one pattern at one size: where all are chosen, the longest chain that has such a size.
func narrowFusion(v workloads.Values, place string) workloads.Values {
	at, mat := v.Int(place), strings.HasSuffix(place, "_size")
	one := v.With(workloads.Values{"pattern": patternOf(v.String("pattern"), mat).name})
	if mat {
		return one.With(workloads.Values{"min_size": at, "max_size": at})
	}
	return one.With(workloads.Values{"min_elements": at, "max_elements": at})
}

// patternOf is the pattern of that name; for all, the one with most steps of those with or without a matrix product.
func patternOf(name string, mat bool) pattern {
	var best pattern
	for _, p := range patterns() {
		if p.name == name {
			return p
		}
		if p.mat == mat && len(p.steps) > len(best.steps) {
			best = p
		}
	}
	return best
}
