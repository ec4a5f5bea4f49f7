package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Text is plain text without padding. It wraps at words, up to a number of lines, and ends in an ellipsis if truncated.
// Its minimum width is small, so that no text widens the window.
type Text struct {
	widget.BaseWidget
	Content  string
	Color    fyne.ThemeColorName
	size     fyne.ThemeSizeName
	Style    fyne.TextStyle
	Align    fyne.TextAlign
	lines    int // at most; 1 does not wrap
	minWidth float32
	steady   bool
	widest   float32 // maximum width so far, of a steady text
	sized    float32 // the text size of widest
	memo     textMemo
}

func newText(s string, size fyne.ThemeSizeName, color fyne.ThemeColorName, lines int) *Text {
	t := &Text{Content: s, size: size, Color: color, lines: max(1, lines), minWidth: 24}
	t.ExtendBaseWidget(t)
	return t
}

// NewTitle returns the heading of a page.
func NewTitle(s string) *Text {
	t := newText(s, theme.SizeNameHeadingText, theme.ColorNameForeground, 1)
	t.Style.Bold = true
	return t
}

// NewHeading returns the heading of a card or a group.
func NewHeading(s string) *Text {
	t := newText(s, theme.SizeNameText, theme.ColorNameForeground, 1)
	t.Style.Bold = true
	return t
}

// NewBody is running text.
func NewBody(s string, lines int) *Text {
	return newText(s, theme.SizeNameText, theme.ColorNameForeground, lines)
}

// NewCaption is small gray text.
func NewCaption(s string, lines int) *Text {
	return newText(s, theme.SizeNameCaptionText, ColorSecondary, lines)
}

// Whole makes the text's minimum width its full width, for short labels that must not be cut.
func (t *Text) Whole() *Text {
	t.minWidth = 0
	return t
}

// Lines lets the text wrap, up to a number of lines.
func (t *Text) Lines(n int) *Text {
	t.lines = max(1, n)
	return t
}

// Steady is Whole, and keeps the width of the widest text so far. Use it for text that changes with every reading: a
// new minimum size makes Fyne lay out while drawing, and then redraw the whole window.
func (t *Text) Steady() *Text {
	t.steady = true
	return t.Whole()
}

// whole returns the minimum width of a text that is not cut.
func (t *Text) whole() float32 {
	width := t.known().natural(t)
	if !t.steady {
		return width
	}
	if size := theme.Size(t.size); size != t.sized {
		t.sized, t.widest = size, 0
	}
	t.widest = max(t.widest, width)
	return t.widest
}

// Set changes the text, and redraws only if it is new.
func (t *Text) Set(s string) { t.SetColored(s, t.Color) }

func (t *Text) SetColored(s string, color fyne.ThemeColorName) {
	if s == t.Content && color == t.Color {
		return
	}
	t.Content, t.Color = s, color
	t.Refresh()
}

func (t *Text) measure(s string) fyne.Size {
	return measureText(s, theme.Size(t.size), t.Style)
}

// HeightFor returns the height of the text at a width.
func (t *Text) HeightFor(width float32) float32 {
	return float32(len(t.wrap(width))) * t.lineHeight()
}

// lineHeight is the height of a line.
func (t *Text) lineHeight() float32 { return t.known().height }

// wrap breaks the text into the lines shown at a width.
func (t *Text) wrap(width float32) []string { return t.known().wrapped(t, width) }

func (t *Text) wrapAgain(width float32) []string {
	if t.Content == "" {
		return []string{""}
	}
	var lines []string
	for _, paragraph := range strings.Split(t.Content, "\n") {
		lines = append(lines, t.wrapLine(paragraph, width)...)
	}
	if len(lines) > t.lines {
		rest := strings.Join(lines[t.lines-1:], " ")
		lines = append(lines[:t.lines-1], t.fit(rest, width))
	}
	return lines
}

func (t *Text) wrapLine(s string, width float32) []string {
	if t.lines == 1 || t.measure(s).Width <= width {
		return []string{t.fit(s, width)}
	}
	var lines []string
	line := ""
	for _, word := range words(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && t.measure(longer).Width > width {
			lines = append(lines, t.fit(line, width))
			longer = word
		}
		line = longer
	}
	return append(lines, t.fit(line, width))
}

// fit cuts s to a width.
func (t *Text) fit(s string, width float32) string {
	if t.measure(s).Width <= width+0.5 {
		return s
	}
	return cut(s, func(s string) bool { return t.measure(s).Width <= width })
}

// cut returns the longest beginning of s that fits with an ellipsis.
func cut(s string, fits func(string) bool) string {
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if fits(string(runes[:mid]) + "…") {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimRight(string(runes[:lo]), " ,;:") + "…"
}

// CreateRenderer is part of fyne.Widget.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	r := &textRenderer{text: t}
	if size := t.Size(); size.Width > 0 { // the window forgets hidden content after a while, but not its size
		r.Layout(size)
	}
	return r
}

type textRenderer struct {
	text  *Text
	lines []fyne.CanvasObject // of *canvas.Text
	shown string              // what lines were made from
	width float32
}

func (r *textRenderer) MinSize() fyne.Size {
	t := r.text
	one := t.lineHeight()
	if t.minWidth == 0 {
		return fyne.NewSize(t.whole(), one)
	}
	if t.lines > 1 && r.width > 0 {
		return fyne.NewSize(t.minWidth, t.HeightFor(r.width))
	}
	return fyne.NewSize(t.minWidth, one)
}

func (r *textRenderer) Layout(size fyne.Size) {
	if size.Width != r.width || r.shown != r.text.Content {
		r.width = size.Width
		r.rebuild()
	}
	height := r.text.lineHeight()
	y := (size.Height - float32(len(r.lines))*height) / 2
	if r.text.lines > 1 {
		y = 0
	}
	for _, line := range r.lines {
		line.Resize(fyne.NewSize(size.Width, height))
		line.Move(fyne.NewPos(0, y))
		y += height
	}
}

// rebuild recreates the lines.
func (r *textRenderer) rebuild() {
	r.shown = r.text.Content
	wrapped := r.text.wrap(r.width)
	for len(r.lines) < len(wrapped) {
		r.lines = append(r.lines, canvas.NewText("", nil))
	}
	r.lines = r.lines[:len(wrapped)]
	for i, s := range wrapped {
		line := r.lines[i].(*canvas.Text)
		line.Text, line.TextStyle, line.Alignment = s, r.text.Style, r.text.Align
		line.TextSize, line.Color = theme.Size(r.text.size), theme.Color(r.text.Color)
	}
}

func (r *textRenderer) Refresh() {
	if r.width > 0 {
		r.rebuild()
		r.Layout(r.text.Size())
	}
	canvas.Refresh(r.text)
}

func (r *textRenderer) Objects() []fyne.CanvasObject { return r.lines }
func (r *textRenderer) Destroy()                     {}
