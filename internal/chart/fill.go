package chart

import (
	"bytes"
	"encoding/binary"
	"image"
	"math/bits"
)

// The shaded phases and the areas below lines are filled together, in strips one cache line wide. Most rows of the base
// layer have one color: its blend with each combination of areas is computed once per layer, and filling then only
// stores.

const (
	strip    = 16           // columns
	maxFills = 4            // more areas over each other could not be distinguished
	maxAreas = maxFills + 2 // and the two shades of phases
)

// area is the filled region of one line, or the columns of the shaded phases.
type area struct {
	stroke *stroker
	shade  []bool // per column of the plot; nil for the area of a line
	alpha  uint32 // of a shade
	src    uint64
	tops   [strip]int32 // first filled row per column
	minTop int32
	maxTop int32
}

// findPlain finds the rows of the plot that have one color in the base layer.
func (r *Renderer) findPlain() {
	p := r.lay.plot
	r.plainTo, r.mixKey = r.plainTo[:0], 0
	for y := p.Min.Y; y < p.Max.Y; y++ {
		row := r.base.Pix[r.base.PixOffset(p.Min.X, y) : r.base.PixOffset(p.Max.X-1, y)+4]
		end := int32(y - p.Min.Y)
		if bytes.Equal(row[4:], row[:len(row)-4]) {
			end++
		}
		r.plainTo = append(r.plainTo, end)
	}
	for y := len(r.plainTo) - 2; y >= 0; y-- {
		if r.plainTo[y] > int32(y) {
			r.plainTo[y] = r.plainTo[y+1]
		}
	}
}

// drawFills shades the phases and the areas below all lines with Fill.
func (r *Renderer) drawFills(dst *image.RGBA, m *Model) {
	n := 0
	for odd, any := range r.markPhases(m) {
		if any {
			a := &r.areas[n]
			a.shade, a.stroke, a.alpha, a.src = r.shaded[odd], nil, 15-9*uint32(odd), opaque(r.style.Foreground)
			n++
		}
	}
	for i, fills := 0, 0; i < len(m.Series) && fills < maxFills; i++ {
		if s := &m.Series[i]; s.Kind == LineKind && s.Fill {
			r.areas[n].stroke, r.areas[n].shade, r.areas[n].alpha = &r.strokes[i], nil, 0
			r.areas[n].src = opaque(colorOf(s, i, r.style.Dark))
			n, fills = n+1, fills+1
		}
	}
	if n == 0 {
		return
	}
	p := r.lay.plot
	r.mixAreas(r.areas[:n])
	for x := 0; x < p.Dx(); x += strip {
		w := min(strip, p.Dx()-x)
		from := int32(p.Dy())
		for i := range r.areas[:n] {
			r.areas[i].measure(x, w, int32(r.pad()))
			from = min(from, r.areas[i].minTop)
		}
		r.fillStrip(dst, p.Min.X+x, w, from, r.areas[:n])
	}
}

// mixAreas computes the color of every plain row under every combination of
// areas, unless the last drawing already did.
func (r *Renderer) mixAreas(areas []area) {
	d := digest(len(areas))
	for i := range areas {
		d.word(areas[i].src)
		d.word(uint64(len(areas[i].shade))<<8 | uint64(areas[i].alpha))
	}
	if r.mixKey == uint64(d) {
		return
	}
	r.mixKey = uint64(d)
	p := r.lay.plot
	if need := p.Dy() << len(areas); cap(r.mixes) < need {
		r.mixes = make([]uint32, need)
	}
	r.mixes = r.mixes[:p.Dy()<<len(areas)]
	for y := range p.Dy() {
		under := binary.LittleEndian.Uint32(r.base.Pix[r.base.PixOffset(p.Min.X, p.Min.Y+y):])
		for set := range 1 << len(areas) {
			px := under
			for i := range areas {
				if set>>i&1 == 1 {
					alpha := uint64(r.areaAlpha(&areas[i], y))
					px = unlanes((lanes(px)*(256-alpha) + areas[i].src*alpha) >> 8 & laneMask)
				}
			}
			r.mixes[y<<len(areas)+set] = px
		}
	}
}

// measure finds where the area starts in w columns from x on.
func (a *area) measure(x, w int, pad int32) {
	a.minTop, a.maxTop = none, 0
	for i := range w {
		top := int32(none)
		if a.shade != nil {
			if a.shade[x+i] {
				top = 0
			}
		} else if y, ok := a.stroke.top(x + i); ok {
			top = max(0, y>>8-pad)
		}
		a.tops[i] = top
		a.minTop, a.maxTop = min(a.minTop, top), max(a.maxTop, top)
	}
}

// fillStrip fills the areas in w columns from pixel x on, from row from down.
func (r *Renderer) fillStrip(dst *image.RGBA, x, w int, from int32, areas []area) {
	p := r.lay.plot
	h, n := int32(p.Dy()), len(areas)
	base := dst.PixOffset(x, p.Min.Y)
	for y := from; y < h; {
		off := base + int(y)*dst.Stride
		row := dst.Pix[off : off+4*w]
		end := r.plainTo[y]
		if end == y {
			for i := range areas {
				areas[i].fillRow(row, y, r.areaAlpha(&areas[i], int(y)))
			}
			y++
			continue
		}
		mixes := r.mixes[int(y)<<n : int(y+1)<<n]
		switch set, partly, until := covering(areas, y, end); {
		case partly == 0:
			switch {
			case set == 0:
			case w == strip:
				storeRows(dst.Pix[off:], dst.Stride, int(until-y), r.mixes[int(y)<<n+set:], 1<<n)
			default: // the last strip
				storeRow(row, mixes[set])
				until = y + 1
			}
			y = until
		case partly&(partly-1) == 0:
			areas[bits.TrailingZeros(uint(partly))].storePartly(row, y, mixes[set], mixes[set|partly])
			y++
		default:
			storeMixed(row, areas, y, mixes)
			y++
		}
	}
}

// covering returns the set of areas that fully cover row y of the strip, the set that partly cover it and, if the
// latter is empty, the first row at which that changes, at most end.
func covering(areas []area, y, end int32) (set, partly int, until int32) {
	until = end
	for i := range areas {
		switch a := &areas[i]; {
		case y >= a.maxTop:
			set |= 1 << i
		case y >= a.minTop:
			partly |= 1 << i
		default:
			until = min(until, a.minTop)
		}
	}
	return set, partly, until
}

// storeRows sets n rows of a whole strip, each to the next of every step-th color.
func storeRows(pix []uint8, stride, n int, mixes []uint32, step int) {
	for k := range n {
		two := uint64(mixes[k*step]) * (1 + 1<<32)
		b := (*[4 * strip]byte)(pix[k*stride:])
		binary.LittleEndian.PutUint64(b[0:], two)
		binary.LittleEndian.PutUint64(b[8:], two)
		binary.LittleEndian.PutUint64(b[16:], two)
		binary.LittleEndian.PutUint64(b[24:], two)
		binary.LittleEndian.PutUint64(b[32:], two)
		binary.LittleEndian.PutUint64(b[40:], two)
		binary.LittleEndian.PutUint64(b[48:], two)
		binary.LittleEndian.PutUint64(b[56:], two)
	}
}

// storeRow sets every pixel of a row.
func storeRow(row []uint8, px uint32) {
	for ; len(row) >= 4; row = row[4:] {
		binary.LittleEndian.PutUint32(row, px)
	}
}

// storePartly sets every pixel of a row that one area covers in part: to out
// where it does not, to in where it does.
func (a *area) storePartly(row []uint8, y int32, out, in uint32) {
	change := out ^ in
	for i := 0; i < strip && 4*i+4 <= len(row); i++ {
		covered := uint32((a.tops[i] - y - 1) >> 31) // all ones where the top is at or above y
		binary.LittleEndian.PutUint32(row[4*i:4*i+4], out^change&covered)
	}
}

// storeMixed sets every pixel of a row that several areas cover in part.
func storeMixed(row []uint8, areas []area, y int32, mixes []uint32) {
	for i := range len(row) / 4 {
		set := uint32(0)
		for k := range areas {
			set |= uint32(areas[k].tops[i&(strip-1)]-y-1) >> 31 << k
		}
		binary.LittleEndian.PutUint32(row[4*i:4*i+4], mixes[set])
	}
}

// fillRow blends the columns of row y that are in the area.
func (a *area) fillRow(row []uint8, y int32, alpha uint32) {
	for i := range len(row) / 4 {
		if y >= a.tops[i] {
			blend(row[4*i:4*i+4], a.src, alpha)
		}
	}
}

// areaAlpha is the alpha of an area at row y of the plot: below a line it fades toward the bottom.
func (r *Renderer) areaAlpha(a *area, y int) uint32 {
	if a.shade != nil {
		return a.alpha
	}
	return uint32(58 - 46*y/max(1, r.lay.plot.Dy()))
}
