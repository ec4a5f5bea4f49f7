package workloads

import (
	"fmt"
	"strings"

	"assay/workloads/quant/weightfile"
)

// CheckWeights rejects a file without a valid weights header, and a folder whose files are not a model. It reads no tensor.
func CheckWeights(path string) error {
	f, err := weightfile.OpenPaths([]string{path})
	if err != nil {
		return err
	}
	return f.Close()
}

// Tensor is a tensor in a weights file that can be measured.
type Tensor struct {
	Name  string
	Shape string // "1024 × 1024"
	Type  string // as the file names it: "BF16", "q4_K"
	Bytes int64  // in the file
}

// Tensors lists the matrices in a weights file whose type can be read, in file order. It reads only the header.
func Tensors(path string) ([]Tensor, error) {
	f, err := weightfile.OpenPaths([]string{path})
	if err != nil {
		return nil, err
	}
	var list []Tensor
	for _, t := range f.Tensors() {
		if len(t.Shape) != 2 || t.Elements() == 0 || t.Readable() != nil {
			continue
		}
		list = append(list, Tensor{t.Name, ShapeText(t.Shape), t.Type, t.Bytes()})
	}
	return list, f.Close()
}

// ShapeText formats a shape: "1024 × 1024".
func ShapeText(shape []int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", " × ")
}
