package chart

import (
	"image"
	"strconv"
)

// valueRoom is the text whose width is reserved for a legend value, so that the legend does not move when values
// change.
const valueRoom = "00.0 GB/s"

// sampleWidth is the width of the marker before a name; more for a dashed line, with dashes at both sides of the
// marker.
func (r *Renderer) sampleWidth(s *Series, i int) int {
	if drawsLine(s, i) {
		return r.px(22)
	}
	return r.px(12)
}

// drawsLine reports whether a sample of the line identifies a series.
func drawsLine(s *Series, i int) bool {
	return s.Kind == LineKind && (dashOf(s, i) != Solid || markerOf(s, i) == NoMarker)
}

// drawSample draws the marker of a series, and the line if that is dashed.
func (r *Renderer) drawSample(dst canvas, s *Series, i, x int, cy float64) {
	w, c := r.sampleWidth(s, i), colorOf(s, i, r.style.Dark)
	if drawsLine(s, i) {
		dash, gap := r.px(6), r.px(3)
		switch dashOf(s, i) {
		case Dotted:
			dash, gap = r.px(2), r.px(2)
		case Sparse:
			dash, gap = r.px(2), r.px(6)
		case Solid:
			dash = r.px(18)
		}
		for at := x; at < x+r.px(18); at += dash + gap {
			y := int(cy) - r.px(1)
			dst.fill(image.Rect(at, y, min(at+dash, x+r.px(18)), y+r.px(lineWidth)), c)
		}
	}
	r.drawPoint(dst, s, i, float64(x)+float64(w-r.px(4))/2, cy, 3.2*r.scale, r.scale)
}

// legendWidth is the width of the entry of series i.
func (r *Renderer) legendWidth(m *Model, i int, name string) int {
	s := &m.Series[i]
	w := r.sampleWidth(s, i) + r.px(2) + r.small.widthString(name)
	if s.Value != nil && !r.lay.names {
		w += r.px(5) + r.valueWidth(m, s)
	}
	return w
}

// valueWidth is the width reserved for the value of series s; if shown only with the crosshair, that of any three-digit
// value.
func (r *Renderer) valueWidth(m *Model, s *Series) int {
	if len(s.Value) == 0 {
		return max(r.valueRoom, r.small.widthString("000 G")+r.small.widthString(string(unitOf(m, s))))
	}
	return max(r.valueRoom, r.small.width(s.Value))
}

// legendSlot is the position of one entry.
type legendSlot struct {
	row, x int
	name   string
	shown  bool
}

// legendRows is how many rows the legend needs below the top edge; the caption of Y shares the first row if there is
// room.
func (r *Renderer) legendRows(m *Model, w int) int {
	rows := 0
	r.eachEntry(m, w, func(_ int, e legendSlot) {
		if e.shown {
			rows = e.row + 1
		}
	})
	return rows
}

// leftOut is how many entries do not fit in the legend.
func (r *Renderer) leftOut(m *Model, w int) int {
	n := 0
	r.eachEntry(m, w, func(_ int, e legendSlot) {
		if !e.shown {
			n++
		}
	})
	return n
}

// maxRows is the maximum number of rows of a legend.
const maxRows = 4

// maxLegendRows bounds the height of the legend.
func (r *Renderer) maxLegendRows() int { return max(1, min(maxRows, r.h/3/max(1, r.line()))) }

// eachEntry calls f with the position of each legend entry. Entries flow from the left, after the caption, in rows.
func (r *Renderer) eachEntry(m *Model, w int, f func(int, legendSlot)) {
	if m.HideLegend || m.Unavailable != "" {
		return
	}
	left, right := r.px(8), w-r.px(12)
	x, row := left, 0
	if hasCaption(&m.Y) {
		r.buf = appendCaption(r.buf[:0], &m.Y, r.lay.yexp)
		x += r.small.width(r.buf) + r.px(16)
	}
	taken := r.rightCaption(m)
	for i := range m.Series {
		s := &m.Series[i]
		if s.Name == "" && s.Value == nil {
			continue
		}
		name := s.Name
		width := r.legendWidth(m, i, name)
		end := right
		if row == 0 {
			end -= taken
		}
		if x > left && x+width > end {
			x, row, end = left, row+1, right
		}
		if x+width > end {
			name = r.small.fit(name, r.small.widthString(name)-(x+width-end))
			width = r.legendWidth(m, i, name)
		}
		shown := row < r.maxLegendRows()
		if row == r.maxLegendRows()-1 && i < len(m.Series)-1 && x > left {
			shown = x+width+r.moreRoom <= end // "+2 more" must still go after it
		}
		f(i, legendSlot{row: row, x: x, name: name, shown: shown})
		if x += width + r.px(14); !shown {
			row = r.maxLegendRows() // nothing after the first omitted entry
		}
	}
}

// drawLegend draws the marker and the name of each series.
func (r *Renderer) drawLegend(dst canvas, m *Model) {
	if r.lay.bare {
		return
	}
	left, end, at, limit := 0, 0, 0, 0
	r.eachEntry(m, r.w, func(i int, e legendSlot) {
		if !e.shown {
			left++
			return
		}
		s := &m.Series[i]
		y := r.px(6) + e.row*r.line() + r.small.ascent + r.px(2)
		r.drawSample(dst, s, i, e.x, float64(y)-float64(r.small.ascent)/2)
		x := dst.words(r.small, e.x+r.sampleWidth(s, i), y, e.name, r.style.Secondary)
		r.ends = append(r.ends, legendEnd{i, image.Pt(x+r.px(5), y)})
		r.rowEnd[e.row] = e.x + r.legendWidth(m, i, e.name)
		end, at, limit = e.x+r.legendWidth(m, i, e.name), y, r.w-r.px(2)
		if e.row == 0 {
			limit -= r.rightCaption(m)
		}
	})
	if left > 0 && end > 0 {
		r.buf = append(strconv.AppendInt(append(r.buf[:0], '+'), int64(left), 10), " more"...)
		if end += r.px(8); end+r.small.width(r.buf) <= limit {
			r.rowEnd[(at-r.px(6))/r.line()] = dst.text(r.small, end, at, r.buf, r.style.Secondary)
		}
	}
}

// legendEnd is where the name of a series ends in the legend.
type legendEnd struct {
	series int
	at     image.Point
}

// drawValuesAt writes the value of each series at a moment instead of the latest.
func (r *Renderer) drawValuesAt(dst canvas, m *Model, at float64) {
	if r.lay.names {
		return
	}
	for _, e := range r.ends {
		s := &m.Series[e.series]
		j, ok := r.nearestX(s, r.lay.x.pixel(at))
		if s.Value == nil || !ok {
			continue
		}
		_, v := s.At(j)
		room := r.valueWidth(m, s) + r.px(12)
		dst.words(r.small, e.at.X, e.at.Y, r.small.fit(unitOf(m, s).Format(v), room), r.style.Foreground)
	}
}

// drawValues writes the value of each series after its name in the legend.
func (r *Renderer) drawValues(dst canvas, m *Model) {
	if r.lay.names {
		return
	}
	for _, e := range r.ends {
		if v := m.Series[e.series].Value; v != nil {
			dst.text(r.small, e.at.X, e.at.Y, v, r.style.Foreground)
		}
	}
}
