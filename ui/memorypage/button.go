package memorypage

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// quietButton is a low button on a shape that is gone while it cannot be pressed.
type quietButton struct {
	*kit.Button
	shape  *kit.Fill
	object *fyne.Container
}

func newQuietButton(name string, pressed func()) quietButton {
	b := quietButton{Button: kit.NewButton(name, pressed), shape: kit.NewFill(theme.ColorNameButton, quietRadius)}
	b.Importance = widget.LowImportance
	b.object = container.New(quietLayout{}, b.shape, b.Button)
	return b
}

// able enables or disables the button; one that cannot be pressed has no shape.
func (b quietButton) able(on bool) {
	kit.Able(b.Button, on)
	if b.shape.Visible() != on {
		kit.Show(b.shape, on)
	}
}

// quietLayout keeps the button a little lower than its row.
type quietLayout struct{}

const (
	quietInset  = 2
	quietRadius = 5
)

// MinSize is part of fyne.Layout.
func (quietLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[1].MinSize() }

// Layout is part of fyne.Layout.
func (quietLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := min(kit.Scaled(22), size.Height-2*quietInset)
	for _, c := range o {
		c.Move(fyne.NewPos(0, (size.Height-height)/2))
		c.Resize(fyne.NewSize(size.Width, height))
	}
}

// rowButton is the button of a row, for the pointer: it takes no focus, or Tab would stop at every row. The rows' list does by
// keys what it does.
type rowButton struct {
	widget.BaseWidget
	name    string
	pressed func()
	on      bool // it can be pressed
	hovered bool
}

func newRowButton(name string) *rowButton {
	b := &rowButton{name: name}
	b.ExtendBaseWidget(b)
	return b
}

// able enables or disables the button.
func (b *rowButton) able(on bool) {
	if b.on != on {
		b.on = on
		b.Refresh()
	}
}

// Tapped is part of fyne.Tappable.
func (b *rowButton) Tapped(*fyne.PointEvent) {
	if b.on && b.pressed != nil {
		b.pressed()
	}
}

// MouseIn is part of desktop.Hoverable.
func (b *rowButton) MouseIn(*desktop.MouseEvent) { b.hovered = true; b.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (b *rowButton) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (b *rowButton) MouseOut() { b.hovered = false; b.Refresh() }

// CreateRenderer is part of fyne.Widget.
func (b *rowButton) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	r := &rowButtonRenderer{button: b, words: canvas.NewText(b.name, nil)}
	for i := range r.shapes {
		r.shapes[i] = canvas.NewRectangle(nil)
		r.shapes[i].CornerRadius = quietRadius
	}
	r.words.Alignment, r.words.TextStyle.Bold = fyne.TextAlignCenter, true
	r.paint()
	return r
}

// rowButtonRenderer draws a name on a shape, and a shade on that while the pointer is on it.
type rowButtonRenderer struct {
	button *rowButton
	shapes [2]*canvas.Rectangle
	words  *canvas.Text
}

func (r *rowButtonRenderer) MinSize() fyne.Size {
	return r.words.MinSize().Max(fyne.NewSize(kit.Scaled(buttonAt), kit.Scaled(22)+2*quietInset))
}

func (r *rowButtonRenderer) Layout(size fyne.Size) {
	quietLayout{}.Layout([]fyne.CanvasObject{r.shapes[0], r.shapes[1], r.words}, size)
}

// paint takes the colors of the theme.
func (r *rowButtonRenderer) paint() {
	words, shade := theme.ColorNameDisabled, color.Color(color.Transparent)
	if r.button.on {
		words = theme.ColorNameForeground
		if r.button.hovered {
			shade = theme.Color(theme.ColorNameHover)
		}
	}
	r.shapes[0].FillColor, r.shapes[1].FillColor = theme.Color(theme.ColorNameButton), shade
	r.words.Color, r.words.TextSize = theme.Color(words), theme.TextSize()
	r.shapes[0].Hidden = !r.button.on
}

func (r *rowButtonRenderer) Refresh() {
	r.paint()
	r.Layout(r.button.Size())
	canvas.Refresh(r.button)
}

func (r *rowButtonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.shapes[0], r.shapes[1], r.words}
}
func (r *rowButtonRenderer) Destroy() {}
