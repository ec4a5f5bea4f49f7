package precision

import (
	"errors"

	"assay/workloads"
	"assay/workloads/quant"
)

func quantizationQuick() map[string]any { return map[string]any{"rows": 1024, "cols": 1024} }

func quantizationPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All formats on a matrix of 1024 × 1024, which takes seconds.", quantizationQuick()),
		{
			Name: "token-by-token", Title: "Token by token",
			About:  "int4 in blocks on normal weights at batch 1, as when a model writes text.",
			Values: workloads.Values{"weights": "normal", "formats": "int4", "scales": "blocks"},
		},
		{
			Name: "prompt", Title: "Reading a prompt",
			About:  "The same layer at batch 128, where arithmetic weighs more than reading the weights.",
			Values: workloads.Values{"weights": "normal", "batch": 128, "rows": 2048, "cols": 2048},
		},
		{
			Name: "outliers", Title: "Outliers",
			About:  "Weights with a few columns 20 times as large: how small must a block be to keep 30 dB.",
			Values: workloads.Values{"weights": "outliers", "target_snr": 30.0},
		},
	}
}

// quantizationPlaces are what can choose the format that a moved parameter shows at: the size of a block, or the one
// scale of a tensor.
func quantizationPlaces(v workloads.Values, moved string) ([]string, error) {
	coded := v.String("formats") != "f16"
	blocks := []string{"max_block", "min_block"}
	if v.String("scales") == "tensor" {
		blocks = []string{"scales"}
	}
	fromFile := v.String("weights") == "file" || v.String("weights") == "all" && v.String("file") != ""
	switch moved {
	case "target_snr":
		return nil, errors.New("it only chooses which format the findings name: run it for them")
	case "min_block", "max_block", "scales", "scheme":
		if !coded {
			return nil, errors.New("f16 has no scales: choose int8 or int4")
		}
	case "rows", "cols":
		if fromFile {
			return nil, errors.New("the file’s tensor has its own size: choose normal weights or ones with outliers")
		}
	case "file", "tensor":
		if !fromFile {
			return nil, errors.New("no weights are taken from a file: name one, and choose file or all")
		}
	}
	if moved == "min_block" || moved == "max_block" {
		if blocks[0] == "scales" {
			return nil, errors.New("the whole tensor shares one scale: choose blocks")
		}
		return []string{moved}, nil
	}
	return blocks, nil
}

// narrowQuantization compares one format with f32 on one matrix. Where all formats are chosen it takes int4, where the
// scales weigh most; where all weights are, the file's if there is one, else normal ones.
func narrowQuantization(v workloads.Values, place string) workloads.Values {
	one := v.With(nil)
	if one.String("weights") == "all" {
		one["weights"] = "normal"
		if one.String("file") != "" {
			one["weights"] = "file"
		}
	}
	if one.String("formats") == "all" {
		one["formats"] = quant.Int4.String()
	}
	if place == "scales" {
		return one
	}
	return one.With(workloads.Values{"scales": "blocks", "min_block": v[place], "max_block": v[place]})
}
