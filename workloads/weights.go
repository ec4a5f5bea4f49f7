package workloads

import "assay/workloads/quant"

// CheckWeights refuses a file whose header is not that of weights in the safetensors format. It reads no tensor.
func CheckWeights(path string) error {
	f, err := quant.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}
