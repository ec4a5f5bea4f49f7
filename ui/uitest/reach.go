package uitest

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
)

// Option returns the visible option with a text that begins with the name: a page of the rail, a workload, a segment.
func Option(root fyne.CanvasObject, name string) (*kit.Option, bool) {
	return Find(root, func(o *kit.Option) bool {
		for _, s := range Texts(o) {
			if strings.HasPrefix(s, name) {
				return true
			}
		}
		return false
	})
}

// Choose chooses the option of that name, like a tap; the test fails if there is none.
func Choose(t testing.TB, root fyne.CanvasObject, name string) {
	t.Helper()
	o, ok := Option(root, name)
	if !ok {
		t.Fatalf("nothing called %q can be chosen", name)
	}
	o.Tapped(&fyne.PointEvent{})
}

// Beside returns the control of type T in the row of a title: right of its start, with the nearest center in height.
func Beside[T fyne.CanvasObject](root fyne.CanvasObject, title string) (found T, ok bool) {
	at, ok := place(root, title)
	if !ok {
		return found, false
	}
	nearest := float32(-1)
	Walk(root, func(o fyne.CanvasObject, p fyne.Position, _ bool) {
		x, is := o.(T)
		if !is || p.X < at.X {
			return
		}
		off := p.Y + o.Size().Height/2 - at.Y
		if off = max(off, -off); nearest < 0 || off < nearest {
			found, nearest = x, off
		}
	})
	return found, nearest >= 0
}

// Entry returns the entry of a parameter in the visible form: beside its title, or one of the two beside the title that it shares
// with the other end of a range.
func Entry(root fyne.CanvasObject, title string) (e *kit.Entry, ok bool) {
	if e, ok = Beside[*kit.Entry](root, title); ok {
		return e, true
	}
	_, common, _ := strings.Cut(title, " ")
	if common == "" {
		return nil, false
	}
	at, ok := place(root, strings.ToUpper(common[:1])+common[1:])
	var ends []*kit.Entry
	Walk(root, func(o fyne.CanvasObject, p fyne.Position, _ bool) {
		off := p.Y + o.Size().Height/2 - at.Y
		if x, is := o.(*kit.Entry); is && ok && p.X > at.X && off > -8 && off < 8 {
			ends = append(ends, x)
		}
	})
	if len(ends) != 2 {
		return nil, false
	}
	if strings.HasPrefix(title, "Largest") {
		return ends[1], true
	}
	return ends[0], true
}

// place returns where the middle of the text's left edge is.
func place(root fyne.CanvasObject, title string) (at fyne.Position, ok bool) {
	Walk(root, func(o fyne.CanvasObject, p fyne.Position, _ bool) {
		if t, is := o.(*kit.Text); is && !ok && t.Content == title {
			at, ok = p.AddXY(0, t.Size().Height/2), true
		}
	})
	return at, ok
}

// Cells returns what a table shows: a row with its heads, then its rows.
func Cells(table *kit.TableView) [][]string {
	columns := table.Columns()
	all := make([][]string, 1+table.Rows())
	for c := range columns {
		all[0] = append(all[0], columns[c].Title)
		for r := range table.Rows() {
			all[r+1] = append(all[r+1], table.Cell(r, c).Text)
		}
	}
	return all
}

// Segments lists the names of the visible segments: options in a row with only a short name.
func Segments(root fyne.CanvasObject) []string {
	var names []string
	Walk(root, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if x, is := o.(*kit.Option); is && len(Texts(x)) == 1 {
			names = append(names, Texts(x)[0])
		}
	})
	return names
}

// Controls lists the controls reachable by keyboard, and those reachable only by pointer: visible, enabled, outermost.
func Controls(root fyne.CanvasObject) (focusable []fyne.Focusable, pointerOnly []fyne.CanvasObject) {
	if !root.Visible() {
		return nil, nil
	}
	if d, ok := root.(fyne.Disableable); ok && d.Disabled() {
		return nil, nil
	}
	if f, ok := root.(fyne.Focusable); ok {
		return []fyne.Focusable{f}, nil
	}
	var children []fyne.CanvasObject
	switch o := root.(type) {
	case *fyne.Container:
		children = o.Objects
	case fyne.Widget:
		children = test.WidgetRenderer(o).Objects()
	}
	for _, c := range children {
		f, p := Controls(c)
		focusable, pointerOnly = append(focusable, f...), append(pointerOnly, p...)
	}
	if _, ok := root.(fyne.Tappable); ok && len(focusable) == 0 {
		pointerOnly = append(pointerOnly, root)
	}
	return focusable, pointerOnly
}
