package quant

import (
	"fmt"

	"assay/internal/ggml"
)

// blocks is the layout of ggml's formats: rows of blocks that contain their scales.
type blocks struct{ ggml.Block }

// blockKinds describes ggml's formats as kinds of the same name.
func blockKinds(formats []ggml.Block) []kind {
	var all []kind
	for _, b := range formats {
		all = append(all, kind{name: Kind(b.Name), bits: b.Bits, lo: b.Lo, hi: b.Hi, layout: blocks{b}})
	}
	return all
}

func (b blocks) check(cols int) error {
	if cols%b.Weights != 0 {
		return fmt.Errorf("rows of %d weights: %s has blocks of %d", cols, b.Name, b.Weights)
	}
	return nil
}

func (b blocks) planes(_ Format, rows, cols int) []Plane {
	return []Plane{{"blocks", int64(rows) * int64(ceil(cols, b.Weights)) * int64(b.Bytes)}}
}

func (b blocks) encode(p *Packed, w []float32, _ *Span) (t Tally) {
	b.each(p, func(first int, block []byte) { t.Clamped += b.Encode(block, w[first:first+b.Weights]) })
	return t
}

func (b blocks) decode(dst []float32, p *Packed) {
	b.each(p, func(first int, block []byte) { b.Decode(dst[first:first+b.Weights], block) })
}

func (b blocks) codes(dst []int16, p *Packed) {
	b.each(p, func(first int, block []byte) { b.Codes(dst[first:first+b.Weights], block) })
}

// each calls do for each block, with the index of its first weight. Rows consist of whole blocks, so rows need no special handling.
func (b blocks) each(p *Packed, do func(first int, block []byte)) {
	for i := range p.Rows * p.Cols / b.Weights {
		do(i*b.Weights, p.Planes[0][i*b.Bytes:(i+1)*b.Bytes])
	}
}

func (b blocks) unit() (weights, bytes int) { return b.Weights, b.Bytes }
