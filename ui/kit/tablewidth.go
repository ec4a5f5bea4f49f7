package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// CellWidth returns the width that a text takes in a table, with or without a shape before it.
func CellWidth(text string, shape bool) float32 {
	width := measureText(text, theme.TextSize(), fyne.TextStyle{}).Width + 1
	if shape {
		width += shapeRoom()
	}
	return width
}

// WidestCell returns the width that the widest of some texts takes, with or without a shape before it. Of thousands, it measures
// only those that are wide judging by their letters alone.
func WidestCell(from, to int, text func(i int) string, shape bool) float32 {
	letters := letterWidths{}
	var widest [8]string
	var widths [8]float32
	for i := from; i < to; i++ {
		s := text(i)
		width, at := letters.sum(s), len(widest)
		for at > 0 && width > widths[at-1] {
			at--
		}
		if at < len(widest) {
			copy(widest[at+1:], widest[at:])
			copy(widths[at+1:], widths[at:])
			widest[at], widths[at] = s, width
		}
	}
	wide := float32(0)
	for _, s := range widest {
		if s != "" {
			wide = max(wide, CellWidth(s, shape))
		}
	}
	return wide
}

// letterWidths are the widths of single letters.
type letterWidths map[rune]float32

// sum returns the width of a text, ignoring kerning.
func (l letterWidths) sum(s string) float32 {
	sum := float32(0)
	for _, r := range s {
		width, ok := l[r]
		if !ok {
			width = measureText(string(r), theme.TextSize(), fyne.TextStyle{}).Width
			l[r] = width
		}
		sum += width
	}
	return sum
}

// HeadWidth returns the width that the title of a column takes.
func HeadWidth(title string) float32 {
	return measureText(title, theme.CaptionTextSize(), fyne.TextStyle{Bold: true}).Width + 1 + arrowRoom()
}
