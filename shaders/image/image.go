// Package image is the family of operations on images: N × H × W × C, with the channels of a pixel adjacent.
package image

import (
	"embed"
	"fmt"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Family lists the implementations, each in f32 and f16, computed in float and rounded once.
func Family() []*shaders.Impl {
	return []*shaders.Impl{resize(), normalize(), blur(), gray()}
}

func implementation(op *shaders.Op, source string, launch func(c shaders.Call, l shaders.Limits) shaders.Launch) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16},
		Source: shaders.Embedded(files, source), Constants: op.Constants, Launch: launch,
	}
}

// Limits on sizes: within them, no index and no position overflows 32 bits in the shaders.
const (
	maxSide     = 16384
	maxChannels = 1024
)

// sized refuses a side or a number of channels that is out of range.
func sized(name string, v, most uint32) error {
	if v == 0 || v > most {
		return fmt.Errorf("%s is %d, want 1…%d", name, v, most)
	}
	return nil
}

func product(sizes ...uint32) int {
	all := make([]int, len(sizes))
	for i, n := range sizes {
		all[i] = int(n)
	}
	return shaders.Product(all...)
}

// pixelGrid covers n images of h × w pixels with threadgroups of 32 × 8 threads, a thread for each pixel.
func pixelGrid(n, h, w uint32) shaders.Launch {
	l := shaders.Grid(h, w)
	l.Groups[2] = n
	return l
}
