package workloads

import (
	"fmt"
	"strings"

	"assay/workloads/quant"
)

// CheckWeights rejects a file without a valid safetensors header. It reads no tensor.
func CheckWeights(path string) error {
	f, err := quant.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// Tensor is a tensor of a weights file that can be measured.
type Tensor struct {
	Name  string
	Shape string // "1024 × 1024"
	Type  string // as the file names it: "BF16"
}

// Tensors lists the matrices of a weights file whose type can be read, in the order of the file. It reads the header only.
func Tensors(path string) ([]Tensor, error) {
	f, err := quant.Open(path)
	if err != nil {
		return nil, err
	}
	var list []Tensor
	for _, t := range f.Tensors() {
		if len(t.Shape) != 2 || t.Elements() == 0 || f.ReadFloat32At(&t, nil, 0) != nil {
			continue
		}
		list = append(list, Tensor{t.Name, strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Shape), "[]"), " ", " × "), t.DType})
	}
	return list, f.Close()
}
