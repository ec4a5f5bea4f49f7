package kit

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
)

// newTestCode is a text of 200 lines in a window, and the copied text.
func newTestCode(t *testing.T) (c *Code, copied *string) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(NewLook(AlwaysDark))
	copied = new(string)
	c = NewCode("//", func(s string) { *copied = s })
	w := a.NewWindow("test")
	t.Cleanup(w.Close)
	w.SetPadded(false)
	w.SetContent(c)
	w.Resize(fyne.NewSize(400, 300))
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "\tline %d; // of many\n", i+1)
	}
	c.SetText(b.String())
	return c, copied
}

// drawn returns the drawn texts.
func drawn(c *Code) []string {
	var list []string
	for _, o := range c.body.objects {
		if text, ok := o.(*canvas.Text); ok {
			list = append(list, text.Text)
		}
	}
	return list
}

// at is the position of a letter in the body, counted from 0.
func (b *codeBody) at(line, letter int) fyne.Position {
	return fyne.NewPos(b.x(letter)+1, codePad+(float32(line)+0.5)*b.letter.Height)
}

// Only visible lines are drawn, each as number, code and comment, and keys scroll to the rest.
func TestCodeDrawsWhatIsInSight(t *testing.T) {
	c, _ := newTestCode(t)
	got := drawn(c)
	if len(got) < 30 || len(got) > 90 || strings.Join(got[:3], "|") != "1|line 1;|// of many" {
		t.Fatalf("drawn are %d texts, at first %q", len(got), got[:min(6, len(got))])
	}
	for _, k := range []struct {
		key  fyne.KeyName
		want string
	}{{fyne.KeyDown, "3"}, {fyne.KeyEnd, "200"}, {fyne.KeyHome, "1"}, {fyne.KeyPageDown, "20"}} {
		c.TypedKey(&fyne.KeyEvent{Name: k.key})
		if !strings.Contains("|"+strings.Join(drawn(c), "|")+"|", "|"+k.want+"|") {
			t.Errorf("after %s line %s is not in sight: %q", k.key, k.want, drawn(c))
		}
	}
	c.SetText("short")
	if got := drawn(c); len(got) != 2 || c.scroll.Offset.Y != 0 {
		t.Errorf("of another text %q is drawn at %v", got, c.scroll.Offset)
	}
}

// Dragging selects in both directions; the selection is copied, or all of the text without one.
func TestCodeIsSelectedAndCopied(t *testing.T) {
	c, copied := newTestCode(t)
	drag := func(from, to fyne.Position) {
		c.body.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: from}, Button: desktop.MouseButtonPrimary})
		c.body.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: to}})
		c.body.DragEnd()
	}
	const want = "1; // of many\n    line 2; // of many\n    li"
	for _, ends := range [][2]fyne.Position{{c.body.at(0, 9), c.body.at(2, 6)}, {c.body.at(2, 6), c.body.at(0, 9)}} {
		drag(ends[0], ends[1])
		if got := c.Selected(); got != want {
			t.Errorf("selected is %q, want %q", got, want)
		}
		if c.TypedShortcut(&fyne.ShortcutCopy{}); *copied != want {
			t.Errorf("%q was copied", *copied)
		}
	}
	drag(c.body.at(0, 0), fyne.NewPos(-50, -50))
	if got := c.Selected(); got != "" {
		t.Errorf("selected is %q, want nothing", got)
	}
	if c.Copy(); *copied != c.Text() || strings.Count(*copied, "\n") != 200 {
		t.Errorf("%d lines were copied of all", strings.Count(*copied, "\n"))
	}
	drag(c.body.at(198, 4), fyne.NewPos(9999, 99999))
	if got := c.Selected(); got != "line 199; // of many\n    line 200; // of many" {
		t.Errorf("beyond the end %q is selected", got)
	}
	c.TypedShortcut(&fyne.ShortcutSelectAll{})
	if got := c.Selected() + "\n"; got != c.Text() {
		t.Errorf("all is %d letters, want %d", len(got), len(c.Text()))
	}
	c.SetText("new")
	if got := c.Selected(); got != "" {
		t.Errorf("of a new text %q is selected", got)
	}
}

// A tab is copied as the spaces it shows, and non-ASCII letters count as one.
func TestCodeLetters(t *testing.T) {
	c, _ := newTestCode(t)
	c.SetText("a\tb · c\n\n64 × 64")
	if got := c.Text(); got != "a    b · c\n\n64 × 64\n" {
		t.Errorf("%q", got)
	}
	c.body.anchor, c.body.head = spot{0, 5}, spot{2, 4}
	if got := c.Selected(); got != "b · c\n\n64 ×" {
		t.Errorf("selected is %q", got)
	}
}
