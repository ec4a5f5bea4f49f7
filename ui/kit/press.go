package kit

import (
	"net/url"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Fyne's controls respond to Space only: these also respond to Return, and scroll into view when Tab moves the focus to
// them.

// Button is a button.
type Button struct {
	widget.Button
	hold
	OnEscape func() // nil: Escape does nothing
}

// NewButton is a button with a name.
func NewButton(name string, pressed func()) *Button { return NewButtonWithIcon(name, nil, pressed) }

// NewButtonWithIcon is a button with an icon before its name.
func NewButtonWithIcon(name string, icon fyne.Resource, pressed func()) *Button {
	b := &Button{}
	b.Text, b.Icon, b.OnTapped = name, icon, pressed
	b.ExtendBaseWidget(b)
	return b
}

// MinSize is part of fyne.CanvasObject: a button with text has more padding at the sides than above.
func (b *Button) MinSize() fyne.Size {
	size := b.Button.MinSize()
	if b.Text != "" {
		size.Width += 2 * max(0, besideWords-theme.InnerPadding())
	}
	return size
}

// besideWords is the minimum padding between the text of a button and its edge.
const besideWords = 12

// TypedKey is part of fyne.Focusable. Fyne's button would lose the focus with each press.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyEscape:
		if b.OnEscape != nil {
			b.OnEscape()
		}
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		if again := b.again(e); !again && b.OnTapped != nil && !b.Disabled() {
			b.OnTapped()
		}
	}
}

// hold distinguishes a pressed key from a held one, which Fyne types repeatedly.
type hold struct {
	down fyne.KeyName // the last key pressed and not yet released
	used bool         // it was typed once
}

// KeyDown is part of desktop.Keyable.
func (h *hold) KeyDown(e *fyne.KeyEvent) { h.down, h.used = e.Name, false }

// KeyUp is part of desktop.Keyable.
func (h *hold) KeyUp(*fyne.KeyEvent) { h.down = "" }

// again handles a typed key, and reports whether it is held and was typed before.
func (h *hold) again(e *fyne.KeyEvent) bool {
	again := h.used && e.Name == h.down
	h.used = true
	return again
}

// FocusGained is part of fyne.Focusable.
func (b *Button) FocusGained() { b.Button.FocusGained(); Reveal(b) }

// Check is a check box.
type Check struct {
	widget.Check
	OnEscape func() // nil: Escape does nothing
}

// NewCheck is an unchecked check box.
func NewCheck(name string, changed func(on bool)) *Check {
	c := &Check{}
	c.Text, c.OnChanged = name, changed
	c.ExtendBaseWidget(c)
	return c
}

// TypedKey is part of fyne.Focusable; Space comes as a rune.
func (c *Check) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter:
		c.TypedRune(' ')
	case e.Name == fyne.KeyEscape && c.OnEscape != nil:
		c.OnEscape()
	}
}

// FocusGained is part of fyne.Focusable.
func (c *Check) FocusGained() { c.Check.FocusGained(); Reveal(c) }

// Bearing is the padding right of the text.
func (c *Check) Bearing() float32 { return theme.InnerPadding() - 2*theme.InputBorderSize() }

// Slider is a slider.
type Slider struct{ widget.Slider }

// NewSlider is a slider with its thumb at the low end.
func NewSlider(lo, hi float64) *Slider {
	s := &Slider{}
	s.Min, s.Max, s.Step, s.Value = lo, hi, 1, 0
	s.ExtendBaseWidget(s)
	return s
}

// FocusGained is part of fyne.Focusable.
func (s *Slider) FocusGained() { s.Slider.FocusGained(); Reveal(s) }

// Entry is a field of text.
type Entry struct {
	widget.Entry
	// Whole makes a click that enters the field, or a double click, select all of it: for numbers, which are replaced rather
	// than edited.
	Whole   bool
	OnKey   func(fyne.KeyName) bool // handles a key before the field does, and reports whether it did; nil: none
	entered bool                    // it has the focus
	doubled time.Time               // of the last double click
}

// NewEntry is an empty field of one line.
func NewEntry() *Entry {
	e := &Entry{}
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// NewLinesEntry is an empty field of several lines.
func NewLinesEntry() *Entry {
	e := &Entry{}
	e.MultiLine, e.Wrapping = true, fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey is part of fyne.Focusable.
func (e *Entry) TypedKey(k *fyne.KeyEvent) {
	if e.OnKey == nil || !e.OnKey(k.Name) {
		e.Entry.TypedKey(k)
	}
}

// AcceptsTab is part of fyne.Tabbable: Tab also leaves a multiline field; otherwise the keyboard could not.
func (e *Entry) AcceptsTab() bool { return false }

// MinSize is part of fyne.CanvasObject.
func (e *Entry) MinSize() fyne.Size { return EntrySize(e.Entry.MinSize()) }

// EntrySize is slightly more than the minimum size of a text field: otherwise rounding of its paddings would make the content
// scroll, with a bar and a shade.
func EntrySize(minimum fyne.Size) fyne.Size { return minimum.AddWidthHeight(0, 0.01) }

// FocusGained is part of fyne.Focusable.
func (e *Entry) FocusGained() { e.entered = true; e.Entry.FocusGained(); Reveal(e) }

// FocusLost is part of fyne.Focusable.
func (e *Entry) FocusLost() { e.entered = false; e.Entry.FocusLost() }

// tripleTap is how long after a double click another click counts as the third.
const tripleTap = 800 * time.Millisecond

// MouseDown is part of desktop.Mouseable.
func (e *Entry) MouseDown(m *desktop.MouseEvent) {
	all := e.Whole && m.Button == desktop.MouseButtonPrimary && (!e.entered || time.Since(e.doubled) < tripleTap)
	e.Entry.MouseDown(m)
	if all {
		e.selectAll()
	}
}

// DoubleTapped is part of fyne.DoubleTappable.
func (e *Entry) DoubleTapped(p *fyne.PointEvent) {
	if !e.Whole {
		e.Entry.DoubleTapped(p)
		return
	}
	e.doubled = time.Now()
	e.selectAll()
}

func (e *Entry) selectAll() { e.TypedShortcut(&fyne.ShortcutSelectAll{}) }

// Link is a link to a web page.
type Link struct{ widget.Hyperlink }

// NewLink is a link with its own text.
func NewLink(words string, to *url.URL) *Link {
	l := &Link{}
	l.Text, l.URL = words, to
	l.ExtendBaseWidget(l)
	return l
}

// Bearing is the padding right of the text.
func (l *Link) Bearing() float32 { return theme.InnerPadding() }

// TypedKey is part of fyne.Focusable.
func (l *Link) TypedKey(e *fyne.KeyEvent) { l.Hyperlink.TypedKey(pressing(e)) }

// FocusGained is part of fyne.Focusable.
func (l *Link) FocusGained() { l.Hyperlink.FocusGained(); Reveal(l) }

// pressing returns the key event with Return replaced by Space.
func pressing(e *fyne.KeyEvent) *fyne.KeyEvent {
	if e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		return &fyne.KeyEvent{Name: fyne.KeySpace}
	}
	return e
}
