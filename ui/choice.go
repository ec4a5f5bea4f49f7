package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// option is one item of a list of which one is chosen: a page, a workload, a segment. It can be tapped, hovered and
// reached with the keyboard.
type option struct {
	widget.BaseWidget
	content  fyne.CanvasObject
	chosen   bool
	hovered  bool
	focused  bool
	selected fyne.ThemeColorName // background while chosen
	radius   float32
	onChoose func()
}

func newOption(content fyne.CanvasObject, onChoose func()) *option {
	o := &option{content: content, onChoose: onChoose, selected: colorSelected, radius: 6}
	o.ExtendBaseWidget(o)
	return o
}

// choose marks the option as the chosen one or not.
func (o *option) choose(on bool) {
	if o.chosen != on {
		o.chosen = on
		o.Refresh()
	}
}

// Tapped is part of fyne.Tappable.
func (o *option) Tapped(*fyne.PointEvent) { o.onChoose() }

// MouseIn is part of desktop.Hoverable.
func (o *option) MouseIn(*desktop.MouseEvent) { o.hovered = true; o.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (o *option) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (o *option) MouseOut() { o.hovered = false; o.Refresh() }

// FocusGained is part of fyne.Focusable.
func (o *option) FocusGained() { o.focused = true; o.Refresh() }

// FocusLost is part of fyne.Focusable.
func (o *option) FocusLost() { o.focused = false; o.Refresh() }

// TypedRune is part of fyne.Focusable.
func (o *option) TypedRune(rune) {}

// TypedKey chooses the option with Space or Return.
func (o *option) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		o.onChoose()
	}
}

// CreateRenderer is part of fyne.Widget.
func (o *option) CreateRenderer() fyne.WidgetRenderer {
	o.ExtendBaseWidget(o)
	r := &optionRenderer{option: o, back: canvas.NewRectangle(nil)}
	r.apply()
	return r
}

type optionRenderer struct {
	option *option
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

// choices is a list of options of which exactly one is chosen.
type choices struct {
	options []*option
	at      int
	changed func(int)
}

func (c *choices) add(content fyne.CanvasObject) *option {
	i := len(c.options)
	o := newOption(content, func() { c.choose(i) })
	o.chosen = i == c.at
	c.options = append(c.options, o)
	return o
}

// choose chooses option i and tells of it.
func (c *choices) choose(i int) {
	c.show(i)
	c.changed(i)
}

// show marks option i without telling.
func (c *choices) show(i int) {
	c.at = i
	for k, o := range c.options {
		o.choose(k == i)
	}
}

// segments is a row of short names of which one is chosen.
type segments struct {
	choices
	names  []*text
	object *fyne.Container
}

func newSegments(changed func(int), names ...string) *segments {
	s := &segments{choices: choices{changed: changed}}
	var objects []fyne.CanvasObject
	for _, name := range names {
		t := newBody(name, 1).whole()
		t.align = fyne.TextAlignCenter
		s.names = append(s.names, t)
		o := s.add(inset(t, 14, 4))
		o.selected, o.radius = colorSegment, 5
		objects = append(objects, o)
	}
	s.object = stackOf(newFill(colorTrack, 7), inset(row(2, objects...), 2, 2))
	return s
}

// rename changes the name of segment i, and says whether it was another.
func (s *segments) rename(i int, name string) bool {
	if s.names[i].content == name {
		return false
	}
	s.names[i].set(name)
	s.object.Refresh()
	return true
}
