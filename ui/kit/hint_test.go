package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

// TestHintsAreWhole checks that a bubble shows all words of a long explanation, at every size of text, within the window.
func TestHintsAreWhole(t *testing.T) {
	app := test.NewTempApp(t)
	about := strings.Repeat("A row is faster or slower only where the whole interval lies beyond the noise floor. ", 6) + "The end."
	for _, percent := range []int{MinTextSize, UsualTextSize, MaxTextSize} {
		app.Settings().SetTheme(NewSizedLook(AlwaysLight, percent))
		h := NewHints()
		term := NewTerm(NewCaption("What counts?", 1).Whole(), about, h)
		w := app.NewWindow("")
		w.SetContent(container.NewStack(container.NewVBox(term), h.Object))
		w.Resize(fyne.NewSize(1100, 700))
		h.show(term, about)
		lines := h.words.wrap(h.words.Size().Width)
		if !strings.HasSuffix(lines[len(lines)-1], "end.") {
			t.Errorf("at %d %% the words end in %q", percent, lines[len(lines)-1])
		}
		if end := h.bubble.Position().Add(h.bubble.Size()); end.X > 1100 || end.Y > 700 {
			t.Errorf("at %d %% the bubble ends at %v", percent, end)
		}
		w.Close()
	}
}

// TestToolsGoBelow checks that tools stay beside the text if both fit, and move below it otherwise.
func TestToolsGoBelow(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	words, tools := NewBody("Words", 1), container.New(FixedSize{Width: 200, Height: 30})
	head := container.New(&ToolsLayout{MinWidth: 100}, words, tools)
	for _, c := range []struct {
		width float32
		below bool
	}{{400, false}, {280, true}} {
		height := HeightFor(head, c.width)
		head.Resize(fyne.NewSize(c.width, height))
		below := tools.Position().Y >= words.Position().Y+words.Size().Height
		if below != c.below {
			t.Errorf("%v wide: the tools lie at %v of %v, the words at %v", c.width, tools.Position(), height, words.Size())
		}
		if end := tools.Position().Add(tools.Size()); end.X > c.width || end.Y > height {
			t.Errorf("%v wide: the tools end at %v of %v", c.width, end, height)
		}
	}
}

// TestHintsGo checks that an explanation goes when the pointer leaves, when its option is chosen, and when the list scrolls under it.
func TestHintsGo(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	h, chosen := NewHints(), 0
	o := newOption(NewBody("Batching", 1), func() { chosen++ })
	o.Explain("Many at once.", h)
	w := test.NewTempWindow(t, container.NewStack(container.NewVBox(o), h.Object))
	w.Resize(fyne.NewSize(600, 400))
	for name, away := range map[string]func(){
		"left": o.MouseOut, "tapped": func() { test.Tap(o) }, "scrolled": func() { h.Scrolled(fyne.Position{}) },
	} {
		if o.MouseIn(nil); !h.bubble.Visible() {
			t.Fatalf("%s: there is no explanation", name)
		}
		if away(); h.bubble.Visible() {
			t.Errorf("%s, and still explained", name)
		}
	}
	if chosen != 1 {
		t.Errorf("chosen %d times", chosen)
	}
}
