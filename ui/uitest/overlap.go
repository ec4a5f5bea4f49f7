package uitest

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
)

// card is where a card lies.
type card struct {
	object *fyne.Container
	at     fyne.Position
}

// CheckOverlap checks that no two visible cards in the same scroll, or outside any, overlap.
func CheckOverlap(t testing.TB, root fyne.CanvasObject) {
	t.Helper()
	by := map[fyne.CanvasObject][]card{}
	cards(root, fyne.Position{}, nil, by)
	for _, list := range by {
		for i, a := range list {
			for _, b := range list[i+1:] {
				if a.hits(b) {
					t.Errorf("the card at %v of %v that says %q and that at %v of %v that says %q overlap", a.at, a.object.Size(),
						Texts(a.object), b.at, b.object.Size(), Texts(b.object))
				}
			}
		}
	}
}

// cards lists the outermost visible cards by the scroll that contains them; nil: none.
func cards(o fyne.CanvasObject, at fyne.Position, in fyne.CanvasObject, by map[fyne.CanvasObject][]card) {
	if !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	switch o := o.(type) {
	case *fyne.Container:
		if isCard(o) {
			by[in] = append(by[in], card{o, at})
			return
		}
		for _, c := range o.Objects {
			cards(c, at, in, by)
		}
	case *container.Scroll:
		cards(o.Content, at, o, by)
	case fyne.Widget:
		for _, c := range test.WidgetRenderer(o).Objects() {
			cards(c, at, in, by)
		}
	}
}

// isCard reports whether a container is a card: its background has an edge.
func isCard(c *fyne.Container) bool {
	if len(c.Objects) < 2 {
		return false
	}
	back, ok := c.Objects[0].(*kit.Fill)
	return ok && back.Stroke != ""
}

// hits reports whether two cards share more than an edge.
func (c card) hits(other card) bool {
	a, b := c.at.Add(c.object.Size()), other.at.Add(other.object.Size())
	return c.at.X+1 < b.X && other.at.X+1 < a.X && c.at.Y+1 < b.Y && other.at.Y+1 < a.Y
}
