package throughput

import "assay/workloads"

func matmulQuick() map[string]any {
	return map[string]any{"min_size": 128, "max_size": 1024}
}

func matmulPresets() []workloads.Preset {
	llm := func(name, title, about string, values workloads.Values) workloads.Preset {
		return workloads.Preset{Name: name, Title: title, About: about, Values: values.With(workloads.Values{"dtype": "f16", "transpose": "b"})}
	}
	return []workloads.Preset{
		workloads.QuickLook("Square products at a few sizes; takes seconds.", matmulQuick()),
		llm("attention-projection", "Projection of a 7B model", "4096 × 4096 weights, by number of tokens.",
			workloads.Values{"n": 4096, "k": 4096, "min_size": 16, "max_size": 1024}),
		llm("ffn", "Feed-forward of a 7B model", "4096 × 11008 weights, by number of tokens.",
			workloads.Values{"n": 11008, "k": 4096, "min_size": 16, "max_size": 512}),
		llm("attention-scores", "Attention scores", "32 heads of dimension 128, by sequence length.",
			workloads.Values{"batch": 32, "k": 128, "min_size": 64, "max_size": 1024}),
		{
			Name: "tiles", Title: "Tile sizes", About: "Tiles of 16, 32 and 64, compared up to 2048 rows.",
			Values: workloads.Values{"compare": byTile},
		},
		{
			Name: "int8", Title: "int8 × int8", About: "int8 products against f32, f16 and bf16, from 128 rows up.",
			Values: workloads.Values{"dtype": inInt8, "min_size": 128},
		},
		{
			Name: "unaligned", Title: "Unaligned sizes", About: "Sizes just above powers of two, exact and padded to multiples of 64: does padding pay off?",
			Values: workloads.Values{"align": roundedSizes, "min_size": 65, "max_size": 1040},
		},
	}
}
