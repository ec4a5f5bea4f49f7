package uitest

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// Visitor is called with every visible object, its place and whether it can be scrolled into view.
type Visitor func(o fyne.CanvasObject, at fyne.Position, scrolls bool)

// Walk visits an object and everything visible in it.
func Walk(o fyne.CanvasObject, visit Visitor) { walk(o, fyne.Position{}, false, visit) }

func walk(o fyne.CanvasObject, at fyne.Position, scrolls bool, visit Visitor) {
	if !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	visit(o, at, scrolls)
	switch o := o.(type) {
	case *fyne.Container:
		for _, c := range o.Objects {
			walk(c, at, scrolls, visit)
		}
	case fyne.Widget:
		switch o.(type) {
		case *container.Scroll, *widget.Table:
			scrolls = scrolls || needsMore(o)
		}
		for _, c := range test.WidgetRenderer(o).Objects() {
			walk(c, at, scrolls, visit)
		}
	}
}

// needsMore reports whether part of the scrolled content is hidden.
func needsMore(o fyne.Widget) bool {
	s, ok := o.(*container.Scroll)
	return !ok || s.Content.Size().Width > s.Size().Width || s.Content.Size().Height > s.Size().Height
}

// Find returns the first visible object of type T that fits, and whether there is one.
func Find[T fyne.CanvasObject](root fyne.CanvasObject, fits func(T) bool) (found T, ok bool) {
	Walk(root, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if x, is := o.(T); is && !ok && fits(x) {
			found, ok = x, true
		}
	})
	return found, ok
}

// Button returns the visible button of that name; the test fails if there is none.
func Button(t testing.TB, root fyne.CanvasObject, name string) *kit.Button {
	t.Helper()
	b, ok := Find(root, func(b *kit.Button) bool { return b.Text == name })
	if !ok {
		t.Fatalf("no button %q is on show", name)
	}
	return b
}

// Texts lists all visible texts, as set, before truncation or wrapping.
func Texts(root fyne.CanvasObject) []string {
	var list []string
	Walk(root, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		switch t := o.(type) {
		case *kit.Text:
			if t.Content != "" {
				list = append(list, t.Content)
			}
		case *widget.Label:
			list = append(list, t.Text)
		}
	})
	return list
}

// Says reports whether a visible text contains the words.
func Says(root fyne.CanvasObject, words string) bool {
	for _, s := range Texts(root) {
		if strings.Contains(s, words) {
			return true
		}
	}
	return false
}

// CheckClipping checks every text that a window of that size shows: it has enough room, lies within the window, is not
// cut short, and passes CheckDrawn. Names of controls that end in dots by themselves are allowed.
func CheckClipping(t testing.TB, content fyne.CanvasObject, size fyne.Size, allowed ...string) {
	t.Helper()
	CheckDrawn(t, content, size)
	if minSize := content.MinSize(); minSize.Width > size.Width || minSize.Height > size.Height {
		t.Errorf("the content needs %v, the window has %v", minSize, size)
	}
	texts := 0
	Walk(content, func(o fyne.CanvasObject, at fyne.Position, scrolls bool) {
		if line, ok := o.(*canvas.Text); ok && line.Text != "" {
			texts++
			checkLine(t, line, at, scrolls, size, allowed)
		}
	})
	if texts < 4 {
		t.Errorf("only %d texts were found: the check looks at the wrong thing", texts)
	}
}

func checkLine(t testing.TB, line *canvas.Text, at fyne.Position, scrolls bool, size fyne.Size, allowed []string) {
	t.Helper()
	if minSize := line.MinSize(); minSize.Width > line.Size().Width+1 || minSize.Height > line.Size().Height+1 {
		t.Errorf("%q needs %v, has %v", line.Text, minSize, line.Size())
	}
	if strings.HasSuffix(line.Text, "…") && !endsInDots(line.Text, allowed) {
		t.Errorf("%q is cut short", line.Text)
	}
	if end := at.Add(line.MinSize()); !scrolls && (at.X < 0 || at.Y < 0 || end.X > size.Width+1 || end.Y > size.Height+1) {
		t.Errorf("%q lies at %v to %v, outside the window of %v", line.Text, at, end, size)
	}
}

// endsInDots lists names that end in dots themselves.
func endsInDots(s string, allowed []string) bool {
	switch s {
	case "Export CSV…", "Browse…", "Open…", "Compare…", "Starting…", "Stopping…", "Preparing…", "Reset…", "Reset All…", "Add Rule…", "Capture Run…", "Capture…":
		return true
	}
	for _, a := range allowed {
		if s == a {
			return true
		}
	}
	return false
}
