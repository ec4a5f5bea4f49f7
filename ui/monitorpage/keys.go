package monitorpage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// keys is the page's content, which can have the focus: Space then pauses.
type keys struct {
	widget.BaseWidget
	content fyne.CanvasObject
	toggle  func()
}

func newKeys(content fyne.CanvasObject, toggle func()) *keys {
	k := &keys{content: content, toggle: toggle}
	k.ExtendBaseWidget(k)
	return k
}

// claim takes the focus where nothing else has it.
func (k *keys) claim(c fyne.Canvas) {
	if c.Focused() == nil {
		c.Focus(k)
	}
}

// CreateRenderer is part of fyne.Widget.
func (k *keys) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(k.content) }

// FocusGained is part of fyne.Focusable.
func (k *keys) FocusGained() {}

// FocusLost is part of fyne.Focusable.
func (k *keys) FocusLost() {}

// TypedRune is part of fyne.Focusable.
func (k *keys) TypedRune(rune) {}

// TypedKey pauses with Space.
func (k *keys) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace {
		k.toggle()
	}
}
