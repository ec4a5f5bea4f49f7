package quant

import (
	"slices"

	"assay/internal/ggml"
)

// Kind names how single weights are stored: "f16", "int8", "q4_K". Kinds that kernels read have the names of shaders.Type.
type Kind string

// kind describes a Kind: sizes, codes, errors and counts follow from it. Adding one takes a file with its description and a line in
// kinds.
type kind struct {
	name   Kind
	bits   int      // of one weight, without its share of scales
	lo, hi int      // range of its codes; both are 0 if the weights are not codes
	top    float64  // value of the largest code; a symmetric scale maps the largest magnitude to it
	scheme []Scheme // schemes that scales beside the codes may use, the default first; none: there are no such scales
	layout layout
}

// A layout stores matrices of one kind, with each row starting at a new byte.
type layout interface {
	// check rejects rows that cannot be stored.
	check(cols int) error
	planes(f Format, rows, cols int) []Plane
	encode(p *Packed, w []float32, whole *Span) Tally
	decode(dst []float32, p *Packed)
	codes(dst []int16, p *Packed)
	// unit returns how many weights form a self-contained unit, and its size in bytes; 0, 0 if their scale is stored elsewhere.
	unit() (weights, bytes int)
}

// kinds lists all kinds, widest first, then the blocks of ggml. It is read-only.
var kinds = append([]kind{
	float32s(), float16s(), bfloat16s(), e4m3s(), e5m2s(), int8s(), int4s(), ternaries(),
}, blockKinds(ggml.Blocks())...)

// describe finds the description of a kind; an unknown kind gets one that has no bits and cannot be stored.
func (k Kind) describe() *kind {
	for i := range kinds {
		if kinds[i].name == k {
			return &kinds[i]
		}
	}
	return &kind{name: k, layout: unknown{k}}
}

// Kinds lists all kinds, widest first, then the blocks of ggml.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range all {
		all[i] = kinds[i].name
	}
	return all
}

// ParseKind returns the kind with that name, and whether it exists.
func ParseKind(name string) (Kind, bool) { return Kind(name), Kind(name).Known() }

// Known reports whether the kind exists.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// String is the kind's name.
func (k Kind) String() string { return string(k) }

// Bits returns the size of one stored weight without its share of scales; 0 for an unknown kind.
func (k Kind) Bits() int { return k.describe().bits }

// Quantized reports whether the kind stores codes, which represent multiples of a scale.
func (k Kind) Quantized() bool { return k.describe().hi != 0 }

// Codes returns the range of codes of a quantized kind; 0, 0 for others.
func (k Kind) Codes() (lo, hi int) {
	d := k.describe()
	return d.lo, d.hi
}

// Scaled reports whether scales are stored beside the codes, so that the group sharing a scale can be chosen. The blocks of ggml
// contain theirs.
func (k Kind) Scaled() bool { return len(k.describe().scheme) > 0 }

// Unit returns the smallest number of weights that are stored as a self-contained unit, and its size in bytes: one element, or a block
// with its scales. It is 0, 0 for kinds whose scales are stored beside the codes.
func (k Kind) Unit() (weights, bytes int) { return k.describe().layout.unit() }

// Unpack decodes whole units until dst is full.
func (k Kind) Unpack(dst []float32, src []byte) {
	d := k.describe()
	d.layout.decode(dst, &Packed{Format: Format{Kind: k}, Rows: 1, Cols: len(dst), Planes: [][]byte{src}, kind: d})
}
