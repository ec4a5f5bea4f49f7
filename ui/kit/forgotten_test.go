package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

// An object hidden for a minute loses its renderer, but not its size: a new renderer must draw at once.
func TestNewRendererDraws(t *testing.T) {
	test.NewTempApp(t)
	text := NewCaption("Held by the engine", 2)
	text.Resize(fyne.NewSize(200, 40))
	lines := text.CreateRenderer().Objects()
	if len(lines) != 1 || lines[0].(*canvas.Text).Text != "Held by the engine" {
		t.Errorf("a text that was laid out draws %v", lines)
	}
	fill := NewFill(ColorPanel, 0)
	fill.Resize(fyne.NewSize(30, 20))
	if size := fill.CreateRenderer().Objects()[0].Size(); size != fyne.NewSize(30, 20) {
		t.Errorf("the fill draws %v, has 30 × 20", size)
	}
}
