package chart

import (
	"bytes"
	"encoding/binary"
	"image"
)

// The areas below lines are filled all at once, in strips a cache line wide.
// Where a row of the base layer is of one colour and every column of the strip
// is filled alike, the blend is worked out once and stored along the strip.

const (
	strip    = 16 // columns
	maxFills = 4  // more areas over each other could not be told apart
)

// area is the filled region of one line.
type area struct {
	stroke *stroker
	src    uint64
	tops   [strip]int32 // first filled row per column
	least  int32
	most   int32
}

// findPlain notes which rows of the plot are of one colour in the base layer.
func (r *Renderer) findPlain() {
	p := r.lay.plot
	r.plain = r.plain[:0]
	for y := p.Min.Y; y < p.Max.Y; y++ {
		row := r.base.Pix[r.base.PixOffset(p.Min.X, y) : r.base.PixOffset(p.Max.X-1, y)+4]
		r.plain = append(r.plain, bytes.Equal(row[4:], row[:len(row)-4]))
	}
}

// drawFills shades the areas below all lines that ask for it.
func (r *Renderer) drawFills(dst *image.RGBA, m *Model) {
	n := 0
	for i := range m.Series {
		if s := &m.Series[i]; s.Kind == Line && s.Fill && n < maxFills {
			r.areas[n].stroke, r.areas[n].src = &r.strokes[i], opaque(colorOf(s, i, r.style.Dark))
			n++
		}
	}
	if n == 0 {
		return
	}
	p := r.lay.plot
	for x := 0; x < p.Dx(); x += strip {
		w := min(strip, p.Dx()-x)
		from := int32(p.Dy())
		for i := range r.areas[:n] {
			r.areas[i].measure(x, w, int32(r.pad()))
			from = min(from, r.areas[i].least)
		}
		r.fillStrip(dst, p.Min.X+x, w, int(from), r.areas[:n])
	}
}

// measure finds where the area starts in w columns from x on.
func (a *area) measure(x, w int, pad int32) {
	a.least, a.most = none, 0
	for i := range w {
		a.tops[i] = none
		if y, ok := a.stroke.top(x + i); ok {
			a.tops[i] = max(0, y/yOne-pad)
		}
		a.least, a.most = min(a.least, a.tops[i]), max(a.most, a.tops[i])
	}
}

// fillStrip fills the areas in w columns from pixel x on, from row from down.
func (r *Renderer) fillStrip(dst *image.RGBA, x, w, from int, areas []area) {
	p := r.lay.plot
	off := dst.PixOffset(x, p.Min.Y+from)
	for y := from; y < p.Dy(); y++ {
		alpha := r.fillAlpha(y)
		row := dst.Pix[off : off+4*w]
		off += dst.Stride
		if r.plain[y] && wholly(areas, int32(y)) {
			px := binary.LittleEndian.Uint32(row)
			for i := range areas {
				if int32(y) >= areas[i].most {
					px = unlanes((lanes(px)*uint64(256-alpha) + areas[i].src*uint64(alpha)) >> 8 & laneMask)
				}
			}
			storeRow(row, px)
			continue
		}
		for i := range areas {
			areas[i].fillRow(row, int32(y), alpha)
		}
	}
}

// wholly says whether each area covers all of row y of the strip or none of it.
func wholly(areas []area, y int32) bool {
	for i := range areas {
		if y >= areas[i].least && y < areas[i].most {
			return false
		}
	}
	return true
}

// storeRow sets every pixel of row.
func storeRow(row []uint8, px uint32) {
	two := uint64(px) | uint64(px)<<32
	for ; len(row) >= 16; row = row[16:] {
		binary.LittleEndian.PutUint64(row, two)
		binary.LittleEndian.PutUint64(row[8:16], two)
	}
	for ; len(row) >= 4; row = row[4:] {
		binary.LittleEndian.PutUint32(row, px)
	}
}

// fillRow blends the columns of row y that lie in the area.
func (a *area) fillRow(row []uint8, y int32, alpha uint32) {
	for i := range len(row) / 4 {
		if y >= a.tops[i] {
			blend(row[4*i:4*i+4], a.src, alpha)
		}
	}
}

// fillAlpha is how strong the shade is at row y of the plot.
func (r *Renderer) fillAlpha(y int) uint32 {
	h := max(1, r.lay.plot.Dy())
	return uint32(58 - 46*y/h)
}
