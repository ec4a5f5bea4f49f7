package memorypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// quietButton is a low button on a shape that is gone while it cannot be pressed, for what every row of a table has.
type quietButton struct {
	*kit.Button
	shape  *kit.Fill
	object *fyne.Container
}

func newQuietButton(name string, pressed func()) quietButton {
	b := quietButton{Button: kit.NewButton(name, pressed), shape: kit.NewFill(theme.ColorNameButton, 5)}
	b.Importance = widget.LowImportance
	b.object = container.New(quietLayout{}, b.shape, b.Button)
	return b
}

// quietOf is the button of an object that newQuietButton made.
func quietOf(object fyne.CanvasObject) quietButton {
	c := object.(*fyne.Container)
	return quietButton{Button: c.Objects[1].(*kit.Button), shape: c.Objects[0].(*kit.Fill), object: c}
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

const quietInset = 2

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
