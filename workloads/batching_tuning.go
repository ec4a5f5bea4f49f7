package workloads

import "errors"

func batchingQuick() map[string]any {
	return map[string]any{"max_size": 1024, "max_batch": 64, "width": 256}
}

func batchingPresets() []Preset {
	return []Preset{
		quickLook("Both sweeps at sizes that take seconds.", batchingQuick()),
		{
			Name: "small-models", Title: "Small models",
			About:  "From which batch on does a narrow MLP of two layers keep the device busy.",
			Values: Values{"sweep": "mlp", "width": 128, "layers": 2, "max_batch": 4096},
		},
		{
			Name: "large-products", Title: "Large products",
			About:  "Square products from 512 up to 4096 rows, where the best throughput lies.",
			Values: Values{"sweep": "matmul", "min_size": 512, "max_size": 4096},
		},
		{
			Name: "f16-against-f32", Title: "f16 against f32",
			About:  "Every size in both number formats, to see from where on half the bytes pay.",
			Values: Values{"dtype": "both", "library": false},
		},
	}
}

// batchingPlaces are the sizes and batches that a moved parameter can show at.
func batchingPlaces(_ Values, moved string) ([]string, error) {
	switch moved {
	case "min_size", "max_size", "min_batch", "max_batch":
		return []string{moved}, nil
	case "library":
		return []string{"max_size", "min_size"}, nil
	case "width", "layers":
		return []string{"max_batch", "min_batch"}, nil
	case "dtype":
		return []string{"max_size", "min_size", "max_batch", "min_batch"}, nil
	case "knee":
		return nil, errors.New("a knee is a matter of a whole sweep, not of one point: run it")
	}
	return nil, errors.New("it only chooses what a run sweeps: move a size or a batch to measure a point")
}

func narrowBatching(v Values, place string) Values {
	switch at := v.Int(place); place {
	case "min_size", "max_size":
		return v.with(Values{"sweep": "matmul", "min_size": at, "max_size": at})
	default:
		return v.with(Values{"sweep": "mlp", "min_batch": at, "max_batch": at})
	}
}
