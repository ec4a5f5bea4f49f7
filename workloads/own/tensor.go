package own

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// maxRank is the maximum number of tensor dimensions, as in Metal.
const maxRank = 16

// elementType is the type of the elements that an argument points to.
func (b *bound) elementType() string {
	if b.of.Tensor != nil {
		return typeOf(b.of.Tensor.Element)
	}
	return typeOf(b.of.Type)
}

// rankFits rejects a tensor without extents, or with a number of them that differs from the source's. Those of a plain buffer give its
// length.
func (p *parser) rankFits(b *bound, key string) {
	t := b.of.Tensor
	switch {
	case t == nil || len(b.as.Extents) == len(t.Extents):
	case len(b.as.Extents) == 0:
		p.mismatch(key, "%s is a tensor with %d dimensions in the source: want extents, a number for each", b.as.Name, len(t.Extents))
	default:
		p.mismatch(key+".extents", "has %d numbers, but the source has %d dimensions (%s)", len(b.as.Extents), len(t.Extents), b.of.Type)
	}
}

// shapeOf evaluates extents and strides. Without strides, there are no gaps between elements.
func (a *Argument) shapeOf(vars map[string]float64) (extents, strides []int64, err error) {
	next := int64(1)
	for i := range a.Extents {
		extent, err := a.Extents[i].Whole(vars, 1, maxBuffer)
		if err != nil {
			return nil, nil, fmt.Errorf("extents: %w", err)
		}
		if len(a.Strides) > 0 {
			if next, err = a.Strides[i].Whole(vars, 1, maxBuffer); err != nil {
				return nil, nil, fmt.Errorf("strides: %w", err)
			}
		}
		if i == 0 && next != 1 {
			return nil, nil, fmt.Errorf("strides: the first is %d, but elements of the first dimension lie together: want 1", next)
		}
		extents, strides = append(extents, extent), append(strides, next)
		if next *= extent; next > maxBuffer {
			return nil, nil, fmt.Errorf("extents: more than %d elements", int64(maxBuffer))
		}
	}
	return extents, strides, nil
}

// reach returns how many elements of a buffer a shape spans.
func reach(extents, strides []int64) int64 {
	n := int64(1)
	for i := range extents {
		n += (extents[i] - 1) * strides[i]
	}
	return n
}

// elements returns how many elements of its type a buffer has.
func (b *bound) elements(folder string, vars map[string]float64) (int64, error) {
	a := b.as
	if a.Length.Text != "" {
		return a.Length.Whole(vars, 1, maxBuffer)
	}
	if len(a.Extents) > 0 {
		extents, strides, err := a.shapeOf(vars)
		return b.stored(reach(extents, strides)), err
	}
	n, err := lengthOfFile(beside(folder, a.File), a.Tensor)
	return int64(n / max(b.element.lanes, 1)), err
}

// stored returns how many elements of the buffer's type hold n of the tensor's, which may have four bits.
func (b *bound) stored(n int64) int64 {
	if b.of.Tensor == nil || !strings.HasSuffix(b.elementType(), "int4b_format") {
		return n
	}
	size := int64(2 * max(b.element.Bytes(), 1))
	return (n + size - 1) / size
}

// shape writes the extents and strides of a tensor, whose buffer has n elements, to where the kernel reads them.
func (c *call) shape(b *bound, n int64) error {
	extents, strides, err := b.as.shapeOf(c.vars)
	if err != nil {
		return err
	}
	for i, fixed := range b.of.Tensor.Extents {
		if fixed >= 0 && fixed != extents[i] {
			return fmt.Errorf("extents: %d in dimension %d, but the source says %d (%s)", extents[i], i, fixed, b.of.Type)
		}
	}
	if need := b.stored(reach(extents, strides)); need > n {
		return fmt.Errorf("its extents and strides reach %d elements, but its length is %d", need, n)
	}
	out := c.buffers[c.entry.Shapes.Index][8*b.of.Tensor.Shape:]
	for i := range extents {
		binary.LittleEndian.PutUint64(out[8*i:], uint64(extents[i]))
		binary.LittleEndian.PutUint64(out[8*(len(extents)+i):], uint64(strides[i]))
	}
	return nil
}

// dimensionsText is a shape for people: "64 × 32".
func dimensionsText(extents []int64) string {
	words := make([]string, len(extents))
	for i, n := range extents {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, " × ")
}
