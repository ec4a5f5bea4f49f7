package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// NewTexts returns lines of texts in columns fitted to their content; the last fills the remaining width and wraps. Each line has
// the same number of texts.
func NewTexts(lines ...[]*Text) *fyne.Container {
	var objects []fyne.CanvasObject
	columns := 1
	for _, line := range lines {
		columns = len(line)
		for _, t := range line {
			objects = append(objects, t)
		}
	}
	return container.New(&textsLayout{columns: columns}, objects...)
}

// textsLayout is the layout of NewTexts.
type textsLayout struct {
	columns int
	width   float32
}

const (
	textsGap = 14 // between columns
	linesGap = 3
	minLast  = 80 // width of the last column, at 100 %
)

// widths are the widths of the columns. If the last would be too narrow, the others shrink in proportion.
func (l *textsLayout) widths(o []fyne.CanvasObject, width float32) []float32 {
	widths := make([]float32, l.columns)
	sum := float32(0)
	for c := range l.columns - 1 {
		for i := c; i < len(o); i += l.columns {
			t := o[i].(*Text)
			widths[c] = max(widths[c], t.known().natural(t))
		}
		sum += widths[c]
	}
	room := width - textsGap*float32(l.columns-1) - Scaled(minLast)
	if sum > room {
		for c := range widths {
			widths[c] *= max(0, room) / sum
		}
		sum = max(0, room)
	}
	widths[l.columns-1] = width - textsGap*float32(l.columns-1) - sum
	return widths
}

// lineHeight returns the height of the line that begins with object i.
func (l *textsLayout) lineHeight(o []fyne.CanvasObject, i int, widths []float32) float32 {
	height := float32(0)
	for c, w := range widths {
		height = max(height, HeightFor(o[i+c], w))
	}
	return height
}

// HeightFor returns the height at a width.
func (l *textsLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	height, widths := float32(0), l.widths(o, width)
	for i := 0; i < len(o); i += l.columns {
		height += l.lineHeight(o, i, widths) + linesGap
	}
	return height
}

// MinSize is part of fyne.Layout.
func (l *textsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(100, l.HeightFor(o, max(100, l.width)))
}

// Layout is part of fyne.Layout.
func (l *textsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	y, widths := float32(0), l.widths(o, size.Width)
	for i := 0; i < len(o); i += l.columns {
		x, height := float32(0), l.lineHeight(o, i, widths)
		for c, w := range widths {
			put(o[i+c], x, y, w, HeightFor(o[i+c], w))
			x += w + textsGap
		}
		y += height + linesGap
	}
}
