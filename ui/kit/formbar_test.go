package kit

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2/test"
)

func newTestBar(t *testing.T) (b *FormBar, told *int) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(NewLook(AlwaysLight))
	told = new(int)
	b = NewFormBar([]Field{
		{Name: "words", Title: "Filter"},
		{Name: "kind", Title: "All kinds", Kind: ChoiceField, Options: ChoicesOf([]string{"a", "b"})},
		{Name: "unit", Kind: ChoiceField, Options: []Choice{{"m", "Meter"}, {"s", "Second"}}},
		{Name: "on", Title: "On", Kind: SwitchField},
	}, func() { *told++ })
	return b, told
}

// Each control sets its value and calls changed once; Clear resets all and calls it once.
func TestBarTakesWhatIsSet(t *testing.T) {
	b, told := newTestBar(t)
	b.Inputs[0].Entry.SetText("Two WORDS")
	b.Input("kind").Select.SetSelected("b")
	b.Input("unit").Select.SetSelected("Second")
	b.Input("on").Check.SetChecked(true)
	if !slices.Equal(b.Words(), []string{"two", "words"}) || b.Choice("kind") != "b" || b.Choice("unit") != "s" || !b.On("on") || *told != 4 {
		t.Errorf("after four changes, %d told: %q, %q, %q, %v", *told, b.Words(), b.Choice("kind"), b.Choice("unit"), b.On("on"))
	}
	b.Tell("1 of 2")
	if !b.Clear.Visible() || b.Count.Content != "1 of 2" {
		t.Errorf("%q is told, and it can be cleared: %v", b.Count.Content, b.Clear.Visible())
	}
	test.Tap(b.Clear)
	if len(b.Words()) != 0 || b.Choice("kind") != "" || b.Choice("unit") != "s" || b.On("on") || *told != 5 || b.Picks() {
		t.Errorf("after Clear, %d told: %q, %q, %q, %v", *told, b.Words(), b.Choice("kind"), b.Choice("unit"), b.On("on"))
	}
	b.Input("kind").Select.SetSelected("a")
	b.Input("kind").Select.SetSelected("All kinds")
	if b.Choice("kind") != "" {
		t.Errorf("the menu's first line picks %q", b.Choice("kind"))
	}
}

// A choice survives new options; if it is not among them it is reset and reported; a single option is no choice.
func TestBarOffers(t *testing.T) {
	b, told := newTestBar(t)
	in := b.Input("kind")
	in.Select.SetSelected("b")
	*told = 0
	b.Offer("kind", ChoicesOf([]string{"x", "b", "y"}))
	if b.Choice("kind") != "b" || in.Select.Selected != "b" || *told != 0 {
		t.Errorf("chosen is %q, shown %q, told %d times", b.Choice("kind"), in.Select.Selected, *told)
	}
	b.Offer("kind", ChoicesOf([]string{"x"}))
	if b.Choice("kind") != "" || in.Select.Selected != "All kinds" || *told != 1 || in.Select.Visible() {
		t.Errorf("chosen is %q, shown %q, told %d times, visible %v", b.Choice("kind"), in.Select.Selected, *told, in.Select.Visible())
	}
}
