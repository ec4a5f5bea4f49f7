package workloads

import "assay/workloads/quant"

// CheckWeights rejects a file without a valid safetensors header. It reads no tensor.
func CheckWeights(path string) error {
	f, err := quant.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}
