package quant

import "fmt"

// Packed is a [Rows, Cols] matrix as it is stored in a format.
type Packed struct {
	Format     Format
	Rows, Cols int
	Planes     [][]byte // in the order of Format.Planes

	kind *kind
}

// Tally counts effects of encoding on weights other than rounding.
type Tally struct {
	Clamped  int // weights beyond the range of codes, which were clamped to its end
	Infinite int // finite weights beyond the largest value, which became infinite
}

// NewPacked allocates a matrix filled with zero bytes.
func NewPacked(f Format, rows, cols int) (*Packed, error) {
	if rows < 0 || cols < 0 {
		return nil, fmt.Errorf("store a [%d, %d] matrix in %v: want no negative size", rows, cols, f)
	}
	if err := f.Check(cols); err != nil {
		return nil, fmt.Errorf("store a [%d, %d] matrix in %v: %w", rows, cols, f, err)
	}
	p := &Packed{Format: f, Rows: rows, Cols: cols, kind: f.Kind.describe()}
	for _, plane := range f.Planes(rows, cols) {
		p.Planes = append(p.Planes, make([]byte, plane.Bytes))
	}
	return p, nil
}

// Encode returns the matrix of the finite weights w, row by row, in the format: the reference for quantizers on a device.
func (f Format) Encode(w []float32, rows, cols int) (*Packed, Tally, error) {
	p, err := NewPacked(f, rows, cols)
	if err != nil {
		return nil, Tally{}, err
	}
	t, err := p.Encode(w, nil)
	return p, t, err
}

// Encode writes finite weights, row by row. If one scale covers the whole tensor and p has only some of its rows, whole summarizes the
// tensor; nil: there are no other rows.
func (p *Packed) Encode(w []float32, whole *Span) (Tally, error) {
	if err := p.holds(len(w)); err != nil {
		return Tally{}, fmt.Errorf("encode in %v: %w", p.Format, err)
	}
	return p.kind.layout.encode(p, w, whole), nil
}

// Decode reads all weights, row by row.
func (p *Packed) Decode(dst []float32) error {
	if err := p.holds(len(dst)); err != nil {
		return fmt.Errorf("decode %v: %w", p.Format, err)
	}
	p.kind.layout.decode(dst, p)
	return nil
}

// Codes reads the codes of all weights, row by row; zeros if the kind has none.
func (p *Packed) Codes(dst []int16) error {
	if err := p.holds(len(dst)); err != nil {
		return fmt.Errorf("read codes of %v: %w", p.Format, err)
	}
	p.kind.layout.codes(dst, p)
	return nil
}

func (p *Packed) holds(n int) error {
	if n != p.Rows*p.Cols {
		return fmt.Errorf("%d weights for a [%d, %d] matrix", n, p.Rows, p.Cols)
	}
	return nil
}

// WholeTensor reports whether one scale covers the whole tensor, so that encoding it in parts needs its Span first.
func (f Format) WholeTensor() bool { return f.Kind.Scaled() && f.Block == 0 }

// Histogram counts codes: Counts[i] is how many weights have the code Lo + i.
type Histogram struct {
	Lo     int
	Counts []int
}

// NewHistogram returns an empty histogram, without counts if the kind has no codes.
func NewHistogram(k Kind) *Histogram {
	if !k.Quantized() {
		return &Histogram{}
	}
	lo, hi := k.Codes()
	return &Histogram{Lo: lo, Counts: make([]int, hi-lo+1)}
}

// Add counts codes of the histogram's kind and ignores others.
func (h *Histogram) Add(codes []int16) {
	for _, c := range codes {
		if i := int(c) - h.Lo; i >= 0 && i < len(h.Counts) {
			h.Counts[i]++
		}
	}
}
