package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// textMemo caches measurements of a text. Fyne drops its own with each change of the look and after a minute, although the
// font stays the same; measuring a window of a thousand texts again takes a second.
type textMemo struct {
	size    float32 // text size of these measurements
	style   fyne.TextStyle
	height  float32 // of a line
	content string  // the text that the width belongs to
	width   float32
	wraps   [3]wrapping // at the latest widths
	next    int
}

// wrapping is the lines of a text at a width.
type wrapping struct {
	content string
	width   float32
	most    int
	lines   []string
}

// known returns the measurements for the current font size.
func (t *Text) known() *textMemo {
	if size := theme.Size(t.size); size != t.memo.size || t.Style != t.memo.style {
		t.memo = textMemo{size: size, style: t.Style, height: t.measure("Mg").Height, width: -1}
	}
	return &t.memo
}

// natural returns the width of the text on one line.
func (m *textMemo) natural(t *Text) float32 {
	if m.width < 0 || m.content != t.Content {
		m.content, m.width = t.Content, t.measure(t.Content).Width
	}
	return m.width
}

func (m *textMemo) wrapped(t *Text, width float32) []string {
	for i := range m.wraps {
		if w := &m.wraps[i]; w.lines != nil && w.width == width && w.most == t.lines && w.content == t.Content {
			return w.lines
		}
	}
	lines := t.wrapAgain(width)
	m.wraps[m.next] = wrapping{t.Content, width, t.lines, lines}
	m.next = (m.next + 1) % len(m.wraps)
	return lines
}
