// Package norm is the family of normalizations of rows.
package norm

import (
	"embed"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Tunables of the family.
const (
	Threads = "threads"
	Rows    = "rows"
)

// Family lists the implementations.
func Family() []*shaders.Impl {
	softmax := softmaxOp()
	return []*shaders.Impl{
		rmsNorm(),
		softmaxRows(softmax),
		softmaxMPS(softmax),
	}
}
