package editor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
)

// newTest is an editor of 200 lines in a window, and the copied text.
func newTest(t testing.TB, readOnly bool) (p *Pane, copied *string) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(kit.NewLook(kit.AlwaysDark))
	copied = new(string)
	e := New(MSL(), func(s string) { *copied = s })
	e.ReadOnly, e.Hints = readOnly, kit.NewHints()
	p = NewPane(e)
	w := a.NewWindow("test")
	t.Cleanup(w.Close)
	w.SetPadded(false)
	w.SetContent(kit.StackOf(p.Object, e.Hints.Object))
	w.Resize(fyne.NewSize(400, 300))
	p.SetText(many(200))
	return p, copied
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tline %d; // of many\n", i+1)
	}
	return b.String()
}

// drawn returns the drawn texts.
func drawn(e *Editor) []string {
	var list []string
	for _, o := range e.body.objects {
		if text, ok := o.(*canvas.Text); ok {
			list = append(list, text.Text)
		}
	}
	return list
}

func key(e *Editor, name fyne.KeyName) { e.TypedKey(&fyne.KeyEvent{Name: name}) }

// spot is the position of a column in the body.
func (b *body) spot(line, column int) fyne.Position {
	return fyne.NewPos(b.x(column)+1, b.y(line)+b.letter.Height/2)
}

func (b *body) click(at fyne.Position, mod fyne.KeyModifier) {
	b.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at}, Button: desktop.MouseButtonPrimary, Modifier: mod})
}

// Only visible lines are drawn, each as a number and colored parts, and keys scroll a read-only text to the rest.
func TestOnlyWhatIsInSightIsDrawn(t *testing.T) {
	p, _ := newTest(t, true)
	got := drawn(p.Editor)
	if len(got) < 30 || len(got) > 120 || strings.Join(got[:5], "|") != "1|line|1|;|// of many" {
		t.Fatalf("drawn are %d texts, at first %q", len(got), got[:min(6, len(got))])
	}
	for _, k := range []struct {
		key  fyne.KeyName
		want string
	}{{fyne.KeyDown, "3"}, {fyne.KeyEnd, "200"}, {fyne.KeyHome, "1"}, {fyne.KeyPageDown, "20"}} {
		if key(p.Editor, k.key); !slices.Contains(drawn(p.Editor), k.want) {
			t.Errorf("after %s line %s is not in sight: %q", k.key, k.want, drawn(p.Editor))
		}
	}
	p.TypedRune('x')
	p.TypedShortcut(&fyne.ShortcutPaste{Clipboard: test.NewClipboard()})
	if key(p.Editor, fyne.KeyBackspace); p.Text() != many(200) {
		t.Error("a read-only text was edited")
	}
	p.SetText("short")
	if got := drawn(p.Editor); len(got) != 2 || p.scroll.Offset.Y != 0 {
		t.Errorf("of another text %q is drawn at %v", got, p.scroll.Offset)
	}
}

// Of a long line, only the visible columns are drawn.
func TestLongLines(t *testing.T) {
	p, _ := newTest(t, true)
	p.SetText(strings.Repeat("abcdefghij ", 10_000) + "\nend")
	if text := drawn(p.Editor)[1]; len(text) > 200 || !strings.HasPrefix(text, "abc") {
		t.Errorf("%d letters are drawn", len(text))
	}
	p.scroll.ScrollToOffset(fyne.NewPos(50_000, 0))
	p.body.place()
	if text := drawn(p.Editor); len(text) != 3 || len(text[1]) > 200 {
		t.Errorf("scrolled, %d texts are drawn", len(text))
	}
}

// Dragging selects in both directions, Shift and a click extend, a double click selects the word; the selection is copied or,
// without one, the whole text.
func TestSelectionAndCopy(t *testing.T) {
	p, copied := newTest(t, true)
	b := p.body
	drag := func(from, to fyne.Position) {
		b.click(from, 0)
		b.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: to}})
		b.DragEnd()
	}
	const want = "1; // of many\n\tline 2; // of many\n\tli"
	for _, ends := range [][2]fyne.Position{{b.spot(0, 9), b.spot(2, 6)}, {b.spot(2, 6), b.spot(0, 9)}} {
		drag(ends[0], ends[1])
		if got := p.Doc.Selected(); got != want {
			t.Errorf("selected is %q, want %q", got, want)
		}
		if p.TypedShortcut(&fyne.ShortcutCopy{}); *copied != want {
			t.Errorf("%q was copied", *copied)
		}
	}
	b.click(b.spot(0, 9), 0)
	b.click(b.spot(2, 6), fyne.KeyModifierShift)
	if got := p.Doc.Selected(); got != want {
		t.Errorf("with Shift %q is selected", got)
	}
	b.DoubleTapped(&fyne.PointEvent{Position: b.spot(0, 6)})
	if got := p.Doc.Selected(); got != "line" {
		t.Errorf("a double click selects %q", got)
	}
	b.click(fyne.NewPos(-50, -50), 0)
	if p.Copy(); *copied != p.Text() || strings.Count(*copied, "\n") != 200 {
		t.Errorf("%d lines were copied of all", strings.Count(*copied, "\n"))
	}
	p.TypedShortcut(&fyne.ShortcutSelectAll{})
	if got := p.Doc.Selected(); got != p.Text() {
		t.Errorf("all is %d letters, want %d", len(got), len(p.Text()))
	}
}

// The keyboard alone types, moves, indents, undoes, and leaves the editor.
func TestKeyboard(t *testing.T) {
	p, _ := newTest(t, false)
	e, edits := p.Editor, 0
	e.OnChanged = func() { edits++ }
	e.SetText("")
	for _, r := range "if (x) {" {
		e.TypedRune(r)
	}
	key(e, fyne.KeyReturn)
	key(e, fyne.KeyTab)
	e.TypedRune('y')
	if got := e.Text(); got != "if (x) {\n        y" || edits != 11 {
		t.Fatalf("%q after %d edits", got, edits)
	}
	shift := &fyne.KeyEvent{Name: desktop.KeyShiftLeft}
	e.KeyDown(shift)
	key(e, fyne.KeyTab)
	key(e, fyne.KeyHome)
	e.KeyUp(shift)
	if got := e.Doc.Selected(); got != "y" || e.Text() != "if (x) {\n    y" {
		t.Errorf("%q is selected of %q", got, e.Text())
	}
	custom := func(k fyne.KeyName, mod fyne.KeyModifier) {
		e.TypedShortcut(&desktop.CustomShortcut{KeyName: k, Modifier: mod})
	}
	custom(fyne.KeyHome, fyne.KeyModifierControl)
	custom(fyne.KeyRight, fyne.KeyModifierControl|fyne.KeyModifierShift)
	if got := e.Doc.Selected(); got != "if " {
		t.Errorf("%q is selected", got)
	}
	custom(fyne.KeySlash, fyne.KeyModifierShortcutDefault)
	if got := e.Text(); got != "// if (x) {\n    y" {
		t.Errorf("as a comment: %q", got)
	}
	board := test.NewClipboard()
	e.TypedShortcut(&fyne.ShortcutSelectAll{})
	e.TypedShortcut(&fyne.ShortcutCut{Clipboard: board})
	e.TypedShortcut(&fyne.ShortcutPaste{Clipboard: board})
	e.TypedShortcut(&fyne.ShortcutPaste{Clipboard: board})
	if got := e.Text(); strings.Count(got, "// if") != 2 {
		t.Errorf("pasted twice: %q", got)
	}
	for range 40 {
		e.TypedShortcut(&fyne.ShortcutUndo{})
	}
	if e.Text() != "" {
		t.Errorf("undone to %q", e.Text())
	}
	custom(fyne.KeyZ, fyne.KeyModifierShortcutDefault|fyne.KeyModifierShift)
	if e.Text() != "if " {
		t.Errorf("redone to %q", e.Text())
	}
	if !e.AcceptsTab() {
		t.Error("Tab does not indent")
	}
	if key(e, fyne.KeyEscape); e.AcceptsTab() {
		t.Error("after Escape, Tab does not leave")
	}
}

// The cursor stays visible wherever it goes.
func TestCursorStaysInSight(t *testing.T) {
	p, _ := newTest(t, false)
	e := p.Editor
	inSight := func(what string) {
		t.Helper()
		c, at, view := e.Doc.Cursor(), e.scroll.Offset, e.scroll.Size()
		x, y := e.body.x(column(e.Doc.lines[c.Line], c.Letter)), e.body.y(c.Line)
		if x < at.X || x > at.X+view.Width || y < at.Y || y+e.body.letter.Height > at.Y+view.Height {
			t.Errorf("%s: the cursor at %v, %v is outside of %v at %v", what, x, y, view, at)
		}
	}
	for range 6 {
		key(e, fyne.KeyPageDown)
		inSight("Page Down")
	}
	for range 90 {
		e.TypedRune('x')
	}
	inSight("a long line")
	key(e, fyne.KeyReturn)
	inSight("a new line")
	e.GoTo(1, 2)
	inSight("go to")
	if c := e.Doc.Cursor(); c != (Place{0, 1}) {
		t.Errorf("went to %v", c)
	}
}

// Marks have a sign, a wave under the word, and show their message under the pointer.
func TestMarks(t *testing.T) {
	p, _ := newTest(t, false)
	e := p.Editor
	e.SetText("float x;\nflot y = é z;\n")
	e.SetMarks([]Mark{{Line: 2, Column: 1, Message: "unknown type name 'flot'"}, {Line: 99, Message: "no end", Warning: true}})
	lines, signs := 0, 0
	for _, o := range e.body.objects {
		switch o := o.(type) {
		case *canvas.Line:
			lines++
			if x := o.Position1.X; o.Position1.Y < e.body.y(2) && (x < e.body.x(0) || x > e.body.x(4)) {
				t.Errorf("the wave is at %v, not below the word", x)
			}
		case *canvas.Image:
			signs++
		}
	}
	if lines < 8 || signs != 2 {
		t.Errorf("%d strokes, %d signs", lines, signs)
	}
	e.body.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: e.body.spot(1, 2)}})
	told := func() bool { return e.Hints.Object.Objects[0].Visible() }
	if !told() {
		t.Error("the message is not shown under the pointer")
	}
	e.body.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: e.body.spot(0, 2)}})
	if told() {
		t.Error("the message stays where there is no mark")
	}
}

// The bar counts matches and steps through them, and Escape returns to the text.
func TestFindBar(t *testing.T) {
	p, _ := newTest(t, false)
	p.Doc.Select(Place{0, 1}, Place{0, 5})
	p.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: fyne.KeyModifierShortcutDefault})
	if !p.bar.Visible() || p.query.Text != "line" || p.count.Content != "1 of 200" {
		t.Fatalf("looking for %q: %q", p.query.Text, p.count.Content)
	}
	p.query.SetText("LINE 19")
	if p.count.Content != "1 of 11" || p.Doc.Cursor().Line != 18 {
		t.Errorf("%q at %v", p.count.Content, p.Doc.Cursor())
	}
	p.query.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if p.count.Content != "2 of 11" || p.Doc.Cursor().Line != 189 {
		t.Errorf("%q at %v", p.count.Content, p.Doc.Cursor())
	}
	key(p.Editor, fyne.KeyF3)
	p.query.TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp})
	p.query.TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp})
	if p.count.Content != "1 of 11" {
		t.Errorf("back: %q", p.count.Content)
	}
	p.query.SetText("nowhere")
	if p.count.Content != "Not found" {
		t.Errorf("%q", p.count.Content)
	}
	if p.query.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}); p.bar.Visible() || !p.focused {
		t.Error("Escape does not return to the text")
	}
}

// BenchmarkType types into a text of 2 000 lines.
func BenchmarkType(b *testing.B) {
	p, _ := newTest(b, false)
	p.SetText(many(2000))
	p.GoTo(1990, 1)
	for b.Loop() {
		p.TypedRune('x')
	}
}
