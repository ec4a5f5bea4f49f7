package memorypage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/kit"
)

// entry is a field whose text counts once the user presses Return or leaves it: while typing, 100 is first 1, then 10.
type entry struct {
	widget.Entry
	commit func(string)
	last   string            // as last written or taken
	cover  *canvas.Rectangle // hides the scroll bar that Fyne draws below a text that is too long
	frame  *canvas.Rectangle // shown around it while it is wrong
}

func newEntry(text string, commit func(string)) *entry {
	e := &entry{commit: commit, last: text, cover: canvas.NewRectangle(nil), frame: canvas.NewRectangle(nil)}
	e.frame.Hide()
	e.Wrapping, e.Scroll = fyne.TextWrapOff, container.ScrollHorizontalOnly // otherwise large text gets a scroll bar at its right
	e.ExtendBaseWidget(e)
	e.Text = text
	e.OnChanged = func(string) { e.conceal() }
	e.OnSubmitted = func(string) { e.take(true) }
	return e
}

// CreateRenderer is part of fyne.Widget.
func (e *entry) CreateRenderer() fyne.WidgetRenderer {
	e.ExtendBaseWidget(e)
	return kit.MendEntry(&e.Entry, e)
}

// MinSize is part of fyne.CanvasObject.
func (e *entry) MinSize() fyne.Size { return kit.EntrySize(e.Entry.MinSize()) }

// FocusGained is part of fyne.Focusable.
func (e *entry) FocusGained() { e.Entry.FocusGained(); kit.Reveal(e) }

// FocusLost is part of fyne.Focusable.
func (e *entry) FocusLost() {
	e.Entry.FocusLost()
	e.take(false)
}

// take reports the text; if the user has only left the field, only a changed one.
func (e *entry) take(again bool) {
	if again || e.Text != e.last {
		e.last = e.Text
		e.commit(e.Text)
	}
}

// write changes the text without reporting it.
func (e *entry) write(s string) {
	e.last = s
	if e.Text != s {
		e.SetText(s)
	}
}

// readSize reads a size, and gives a bare number the unit of the last value.
func (e *entry) readSize() (int64, error) {
	bytes, err := si.ParseBytes(e.Text)
	if s := strings.TrimSpace(e.Text); err == nil && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' {
		e.write(sizeText(bytes))
	}
	return bytes, err
}

// wide returns the field at a width that grows with the text.
func (e *entry) wide(width float32) *fyne.Container {
	return container.New(fieldLayout{wideLayout(width), e}, e, e.cover, e.frame)
}

// fieldLayout lays cover and frame on a field, in the colors of the theme.
type fieldLayout struct {
	wideLayout
	entry *entry
}

// Layout is part of fyne.Layout.
func (l fieldLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	e, edge, bar := l.entry, theme.InputBorderSize(), theme.Size(theme.SizeNameScrollBarSmall)+1
	e.Resize(size)
	e.cover.FillColor, e.cover.CornerRadius = theme.Color(theme.ColorNameInputBackground), bar/2
	e.cover.Move(fyne.NewPos(edge, size.Height-edge-bar))
	e.cover.Resize(fyne.NewSize(size.Width-2*edge, bar))
	e.frame.StrokeColor, e.frame.StrokeWidth = theme.Color(theme.ColorNameError), 1.5
	e.frame.CornerRadius = theme.InputRadiusSize()
	e.frame.Resize(size)
	e.conceal()
}

// conceal covers the scroll bar if there is one.
func (e *entry) conceal() {
	words := fyne.MeasureText(e.Text, theme.TextSize(), e.TextStyle).Width
	kit.Show(e.cover, words > e.Size().Width-2*theme.InnerPadding())
}

// note is the sentence below a control; errors replace it.
type note struct {
	*kit.Text
	grown  func()   // lays out again: the text may take more lines
	wrongs []*entry // the fields that are wrong
}

func newNote(sentence string, grown func()) *note {
	return &note{Text: kit.NewCaption(sentence, 5), grown: grown}
}

// say shows a sentence.
func (n *note) say(sentence string) {
	n.mark()
	n.tell(sentence, kit.ColorSecondary)
}

// complain shows what is wrong, and with which fields.
func (n *note) complain(err error, fields ...*entry) {
	n.mark(fields...)
	n.tell(plain.Capitalized(err.Error())+".", theme.ColorNameError)
}

// mark puts a frame around the fields that are wrong, and removes all others.
func (n *note) mark(fields ...*entry) {
	for _, e := range n.wrongs {
		e.frame.Hide()
	}
	n.wrongs = fields
	for _, e := range fields {
		e.frame.Show()
	}
}

func (n *note) tell(sentence string, color fyne.ThemeColorName) {
	if sentence != n.Content || color != n.Color {
		n.SetColored(sentence, color)
		n.grown()
	}
}

// wrong reports whether the note shows an error.
func (n *note) wrong() bool { return n.Color == theme.ColorNameError }

// titled is a title with controls at the right end of its line.
func titled(title string, controls ...fyne.CanvasObject) *fyne.Container {
	row := kit.Row(6, controls...)
	return container.NewBorder(nil, nil, nil, container.NewCenter(row), kit.NewHeading(title))
}

// wide gives a control a width that grows with the text.
func wide(o fyne.CanvasObject, width float32) *fyne.Container {
	return container.New(wideLayout(width), o)
}

type wideLayout float32

func (l wideLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(kit.Scaled(float32(l)), o[0].MinSize().Height)
}

func (wideLayout) Layout(o []fyne.CanvasObject, size fyne.Size) { o[0].Resize(size) }

// caption is a short gray word beside a control.
func caption(s string) fyne.CanvasObject { return container.NewCenter(kit.NewCaption(s, 1).Whole()) }

// stack is a column of objects, with a thin line between them, on a card that scrolls if necessary.
type stack struct {
	width  float32
	object *fyne.Container // the card
}

const (
	stackPad = 14
	stackGap = 9 // above and below a line
)

func newStack(parts ...fyne.CanvasObject) *stack {
	s := &stack{}
	var list []fyne.CanvasObject
	for i, p := range parts {
		if i > 0 {
			list = append(list, kit.NewLine())
		}
		list = append(list, p)
	}
	s.object = kit.NewScrolledCard(container.New(s, list...), s)
	return s
}

// SetWidth is part of kit.Fluid.
func (s *stack) SetWidth(width float32) { s.width = width }

// refit lays out again.
func (s *stack) refit() {
	if s.object != nil {
		s.object.Refresh()
	}
}

// shown reports whether object i is shown: a line is shown if the object after it is.
func shown(o []fyne.CanvasObject, i int) bool {
	if i%2 == 1 {
		kit.Show(o[i], o[i+1].Visible())
	}
	return o[i].Visible()
}

// MinSize is part of fyne.Layout.
func (s *stack) MinSize(o []fyne.CanvasObject) fyne.Size {
	width, height := float32(0), float32(2*stackPad-stackGap)
	for i, c := range o {
		if shown(o, i) {
			width = max(width, c.MinSize().Width)
			height += kit.HeightFor(c, s.width-2*stackPad) + stackGap
		}
	}
	return fyne.NewSize(width+2*stackPad, height)
}

// Layout is part of fyne.Layout.
func (s *stack) Layout(o []fyne.CanvasObject, size fyne.Size) {
	width, y := size.Width-2*stackPad, float32(stackPad)
	for i, c := range o {
		if !shown(o, i) {
			continue
		}
		height := kit.HeightFor(c, width)
		c.Move(fyne.NewPos(stackPad, y))
		c.Resize(fyne.NewSize(width, height))
		y += height + stackGap
	}
}
