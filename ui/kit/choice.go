package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Option is an item of a single-choice list: a page, a workload, a segment. It can be tapped, hovered and reached with
// the keyboard.
type Option struct {
	widget.BaseWidget
	content  fyne.CanvasObject
	chosen   bool
	hovered  bool
	focused  bool
	selected fyne.ThemeColorName // background while chosen
	radius   float32
	onChoose func()
	onMove   func(by int) // to a neighbor
	about    string       // explanation; empty: none
	hints    *Hints
}

func newOption(content fyne.CanvasObject, onChoose func()) *Option {
	o := &Option{content: content, onChoose: onChoose, selected: ColorSelected, radius: 6}
	o.ExtendBaseWidget(o)
	return o
}

// Explain sets an explanation, shown beside the option while it is hovered or has the focus.
func (o *Option) Explain(about string, hints *Hints) { o.about, o.hints = about, hints }

// tell shows or hides the explanation.
func (o *Option) tell(on bool) {
	switch {
	case o.hints == nil:
	case on:
		o.hints.place(o, o.about, true)
	default:
		o.hints.hide(o)
	}
}

// choose marks the option as the chosen one or not.
func (o *Option) choose(on bool) {
	if o.chosen != on {
		o.chosen = on
		o.Refresh()
	}
}

// Tapped is part of fyne.Tappable. A user who has chosen an option needs no explanation of it.
func (o *Option) Tapped(*fyne.PointEvent) { o.tell(false); o.onChoose() }

// MouseIn is part of desktop.Hoverable.
func (o *Option) MouseIn(*desktop.MouseEvent) { o.hovered = true; o.tell(true); o.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (o *Option) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (o *Option) MouseOut() { o.hovered = false; o.tell(false); o.Refresh() }

// FocusGained is part of fyne.Focusable.
func (o *Option) FocusGained() { o.focused = true; Reveal(o); o.tell(true); o.Refresh() }

// FocusLost is part of fyne.Focusable.
func (o *Option) FocusLost() { o.focused = false; o.tell(false); o.Refresh() }

// TypedRune is part of fyne.Focusable.
func (o *Option) TypedRune(rune) {}

// TypedKey chooses the option with Space or Return, and its neighbors with the arrows.
func (o *Option) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		o.onChoose()
	case fyne.KeyUp, fyne.KeyLeft:
		o.onMove(-1)
	case fyne.KeyDown, fyne.KeyRight:
		o.onMove(+1)
	}
}

// CreateRenderer is part of fyne.Widget.
func (o *Option) CreateRenderer() fyne.WidgetRenderer {
	o.ExtendBaseWidget(o)
	r := &optionRenderer{option: o, back: canvas.NewRectangle(nil)}
	r.apply()
	r.Layout(o.Size()) // Fyne drops the renderer of hidden objects, but not their size
	return r
}

type optionRenderer struct {
	option *Option
	back   *canvas.Rectangle
}

func (r *optionRenderer) apply() {
	o := r.option
	name := theme.ColorNameBackground
	switch {
	case o.chosen:
		name = o.selected
	case o.hovered:
		name = theme.ColorNameHover
	}
	r.back.FillColor, r.back.CornerRadius = theme.Color(name), o.radius
	r.back.Hidden = !o.chosen && !o.hovered && !o.focused
	r.back.StrokeWidth = 0
	if o.focused {
		r.back.StrokeColor, r.back.StrokeWidth = theme.Color(theme.ColorNamePrimary), 1.5
		if !o.chosen && !o.hovered {
			r.back.FillColor = nil
		}
	}
}

func (r *optionRenderer) MinSize() fyne.Size { return r.option.content.MinSize() }

func (r *optionRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.option.content.Resize(size)
}

func (r *optionRenderer) Refresh() {
	r.apply()
	r.back.Refresh()
	r.option.content.Refresh()
}

func (r *optionRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.option.content}
}
func (r *optionRenderer) Destroy() {}

// Choices is a list of options with exactly one chosen.
type Choices struct {
	Options []*Option
	At      int
	Changed func(int)
	// Step moves from an option with the arrow keys; nil: to its neighbor, which is chosen.
	Step func(from *Option, by int)
}

// Add adds an option with that content.
func (c *Choices) Add(content fyne.CanvasObject) *Option {
	i := len(c.Options)
	o := newOption(content, func() { c.choose(i) })
	o.onMove = func(by int) {
		if c.Step != nil {
			c.Step(o, by)
			return
		}
		c.move(i + by)
	}
	o.chosen = i == c.At
	c.Options = append(c.Options, o)
	return o
}

// choose chooses option i and calls the handler.
func (c *Choices) choose(i int) {
	c.Show(i)
	c.Changed(i)
}

// move chooses option i, if it exists, and moves the focus there.
func (c *Choices) move(i int) {
	if i < 0 || i >= len(c.Options) {
		return
	}
	c.choose(i)
	if canvas := fyne.CurrentApp().Driver().CanvasForObject(c.Options[i]); canvas != nil {
		canvas.Focus(c.Options[i])
	}
}

// Show marks option i without calling the handler.
func (c *Choices) Show(i int) {
	c.At = i
	for k, o := range c.Options {
		o.choose(k == i)
	}
}

// Segments is a row of short names with one chosen.
type Segments struct {
	Choices
	names  []*Text
	Object *fyne.Container
}

func NewSegments(changed func(int), names ...string) *Segments {
	s := &Segments{Choices: Choices{Changed: changed}}
	var objects []fyne.CanvasObject
	for _, name := range names {
		t := NewBody(name, 1).Whole()
		t.Align = fyne.TextAlignCenter
		s.names = append(s.names, t)
		o := s.Add(Inset(t, 14, 4))
		o.selected, o.radius = colorSegment, 5
		objects = append(objects, o)
	}
	s.Object = StackOf(NewFill(colorTrack, 7), Inset(Row(2, objects...), 2, 2))
	return s
}

// Rename changes the name of segment i, and reports whether it changed.
func (s *Segments) Rename(i int, name string) bool {
	if s.names[i].Content == name {
		return false
	}
	s.names[i].Set(name)
	s.Object.Refresh()
	return true
}
