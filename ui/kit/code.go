package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Code is read-only monospaced text with line numbers. It scrolls, and the selection or all of it can be copied; only the
// visible lines are drawn. With the focus, arrows, Page, Home and End scroll.
type Code struct {
	widget.BaseWidget
	Comment  string       // prefix of line comments; empty: none
	OnCopied func(string) // receives the text to copy

	lines   []string
	widest  int // letters of the longest line
	body    *codeBody
	scroll  *container.Scroll
	focused bool
}

// NewCode is without text.
func NewCode(comment string, copied func(string)) *Code {
	c := &Code{Comment: comment, OnCopied: copied}
	c.body = &codeBody{code: c}
	c.body.ExtendBaseWidget(c.body)
	c.scroll = container.NewScroll(c.body)
	c.scroll.OnScrolled = func(fyne.Position) { c.body.place() }
	c.ExtendBaseWidget(c)
	return c
}

const tabWidth = 4 // letters

// SetText replaces the text, scrolls to the top and clears the selection.
func (c *Code) SetText(s string) {
	c.lines = strings.Split(strings.ReplaceAll(strings.TrimRight(s, "\n"), "\t", strings.Repeat(" ", tabWidth)), "\n")
	c.widest = 0
	for _, l := range c.lines {
		c.widest = max(c.widest, len([]rune(l)))
	}
	c.body.anchor, c.body.head = spot{}, spot{}
	c.scroll.ScrollToOffset(fyne.Position{})
	c.Refresh()
}

// Text is the whole text, with tabs as spaces.
func (c *Code) Text() string { return strings.Join(c.lines, "\n") + "\n" }

// Selected is the selected text.
func (c *Code) Selected() string {
	from, to := c.body.selection()
	if from == to {
		return ""
	}
	var parts []string
	for i := from.line; i <= to.line; i++ {
		a, b := c.body.selectedOf(i)
		parts = append(parts, string([]rune(c.lines[i])[a:b]))
	}
	return strings.Join(parts, "\n")
}

// SelectAll selects the whole text.
func (c *Code) SelectAll() {
	last := len(c.lines) - 1
	if last < 0 {
		return
	}
	c.body.anchor, c.body.head = spot{}, spot{last, len([]rune(c.lines[last]))}
	c.body.place()
}

// Copy passes the selection, or the whole text, to OnCopied.
func (c *Code) Copy() {
	text := c.Selected()
	if text == "" {
		text = c.Text()
	}
	call(c.OnCopied, text)
}

// FocusGained is part of fyne.Focusable.
func (c *Code) FocusGained() { c.focused = true; Reveal(c); c.Refresh() }

// FocusLost is part of fyne.Focusable.
func (c *Code) FocusLost() { c.focused = false; c.Refresh() }

// TypedRune is part of fyne.Focusable.
func (c *Code) TypedRune(rune) {}

// TypedShortcut is part of fyne.Shortcutable.
func (c *Code) TypedShortcut(s fyne.Shortcut) {
	switch s.(type) {
	case *fyne.ShortcutCopy:
		c.Copy()
	case *fyne.ShortcutSelectAll:
		c.SelectAll()
	}
}

// TypedKey scrolls.
func (c *Code) TypedKey(e *fyne.KeyEvent) {
	letter, page := c.body.letter, c.scroll.Size().Height*0.9
	by := map[fyne.KeyName]fyne.Delta{
		fyne.KeyUp: {DY: letter.Height}, fyne.KeyDown: {DY: -letter.Height}, fyne.KeyPageUp: {DY: page}, fyne.KeyPageDown: {DY: -page},
		fyne.KeySpace: {DY: -page}, fyne.KeyLeft: {DX: tabWidth * letter.Width}, fyne.KeyRight: {DX: -tabWidth * letter.Width},
	}[e.Name]
	switch {
	case e.Name == fyne.KeyHome:
		c.scroll.ScrollToTop()
	case e.Name == fyne.KeyEnd:
		c.scroll.ScrollToBottom()
	case by != fyne.Delta{}:
		c.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: by})
	}
	c.body.place()
}

// CreateRenderer is part of fyne.Widget.
func (c *Code) CreateRenderer() fyne.WidgetRenderer {
	c.ExtendBaseWidget(c)
	r := &codeRenderer{code: c, ring: newRing(4)}
	r.Layout(c.Size()) // Fyne drops the renderer of hidden objects, but not their size
	return r
}

// codeRenderer is the scrolled text, with a ring around it while it has the focus.
type codeRenderer struct {
	code *Code
	ring *canvas.Rectangle
}

func (r *codeRenderer) MinSize() fyne.Size {
	letter := r.code.body.measure()
	return fyne.NewSize(20*letter.Width, 4*letter.Height)
}

func (r *codeRenderer) Layout(size fyne.Size) {
	r.code.scroll.Resize(size)
	r.ring.Resize(size)
	r.code.body.place()
}

func (r *codeRenderer) Refresh() {
	showRing(r.ring, r.code.focused)
	r.code.body.Refresh()
	r.code.scroll.Refresh()
	r.code.body.place()
}

func (r *codeRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.code.scroll, r.ring}
}

func (r *codeRenderer) Destroy() {}
