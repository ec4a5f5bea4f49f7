package throughput

import (
	"errors"

	"assay/workloads"
)

func batchingQuick() map[string]any {
	return map[string]any{"max_size": 1024, "max_batch": 64, "width": 256}
}

func batchingPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Both sweeps at sizes that take seconds.", batchingQuick()),
		{
			Name: "small-models", Title: "Small models",
			About:  "From which batch on does a narrow MLP of two layers keep the device busy.",
			Values: workloads.Values{"sweep": "mlp", "width": 128, "layers": 2, "max_batch": 4096},
		},
		{
			Name: "large-products", Title: "Large products",
			About:  "Square products from 512 up to 4096 rows, where the best throughput lies.",
			Values: workloads.Values{"sweep": "matmul", "min_size": 512, "max_size": 4096},
		},
		{
			Name: "f16-against-f32", Title: "f16 against f32",
			About:  "Every size in both number formats, to see from where on half the bytes pay.",
			Values: workloads.Values{"dtype": "both", "library": false},
		},
	}
}

// batchingPlaces are the sizes and batches that a moved parameter can show at.
func batchingPlaces(_ workloads.Values, moved string) ([]string, error) {
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

func narrowBatching(v workloads.Values, place string) workloads.Values {
	switch at := v.Int(place); place {
	case "min_size", "max_size":
		return v.With(workloads.Values{"sweep": "matmul", "min_size": at, "max_size": at})
	default:
		return v.With(workloads.Values{"sweep": "mlp", "min_batch": at, "max_batch": at})
	}
}
