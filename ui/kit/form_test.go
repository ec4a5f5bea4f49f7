package kit

import (
	"errors"
	"strconv"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// number is a field of whole numbers from 1 to 100.
func number(name string) Field {
	return Field{
		Name: name, Title: "Number " + name, About: "About " + name + ".", Kind: NumberField, Unit: "m", Scale: NewScale(1, 100, true, false),
		Read: func(s string) (any, error) {
			n, err := strconv.Atoi(s)
			if err != nil {
				return nil, errors.New("no number")
			}
			return n, nil
		},
	}
}

func newTestForm(t *testing.T) (f *Form, told *[]string) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(NewLook(AlwaysLight))
	told = new([]string)
	f = NewForm([]FieldRow{
		{Fields: []Field{number("n")}},
		{Title: "Range", About: "From and to.", Fields: []Field{number("lo"), number("hi")}},
		{Fields: []Field{{Name: "kind", Title: "Kind", Kind: ChoiceField, Options: []Choice{{"a", "First"}, {"b", "Second"}}}}},
		{Fields: []Field{{Name: "on", Title: "On", Kind: SwitchField}}},
		{Fields: []Field{{Name: "words", Title: "Words"}}},
	}, 300, func(in *Input, _ bool) { *told = append(*told, in.Name) })
	w := a.NewWindow("test")
	t.Cleanup(w.Close)
	w.SetContent(container.NewStack(f.Object))
	w.Resize(fyne.NewSize(400, 500))
	f.Set(map[string]any{"n": 10, "lo": 20, "hi": 30, "kind": "b", "on": true, "words": "some"})
	return f, told
}

// named is the field of that name.
func (f *Form) named(name string) *Input {
	for _, in := range f.Inputs {
		if in.Name == name {
			return in
		}
	}
	return nil
}

// Values are set in all controls without calling changed; each control that the user moves reports its field.
func TestFormSetsAndTells(t *testing.T) {
	f, told := newTestForm(t)
	if len(*told) != 0 {
		t.Errorf("%q were told when values were set", *told)
	}
	if n := f.named("n"); n.Entry.Text != "10" || n.Slider.Value != 10 || f.named("kind").Select.Selected != "Second" || !f.named("on").Switch.On {
		t.Errorf("set are %q at %v, %q", n.Entry.Text, n.Slider.Value, f.named("kind").Select.Selected)
	}
	f.named("n").Slider.SetValue(50)
	f.Rows[1].Range.OnChanged(20, 90)
	f.named("kind").Select.SetSelected("First")
	test.Tap(f.named("on").Switch)
	f.named("words").Entry.SetText("other")
	want := map[string]any{"n": 50, "lo": 20, "hi": 90, "kind": "a", "on": false, "words": "other"}
	got := f.Values()
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s is %v, want %v", name, got[name], v)
		}
	}
	if len(*told) != 5 {
		t.Errorf("told were %q", *told)
	}
}

// A row's sentence shows an input error first, then a conflict, then a warning.
func TestFormTellsWhatIsWrong(t *testing.T) {
	f, _ := newTestForm(t)
	note := f.Rows[0].Note
	expect := func(words string, color fyne.ThemeColorName) {
		t.Helper()
		if note.Content != words || note.Color != color {
			t.Errorf("it says %q in %s, want %q in %s", note.Content, note.Color, words, color)
		}
	}
	expect("About n.", ColorSecondary)
	f.Warn("Careful.", "n")
	expect("Careful.", theme.ColorNameWarning)
	f.Complain("At odds.", "n", "lo")
	expect("At odds.", theme.ColorNameError)
	if other := f.Rows[1].Note.Content; other != "At odds." || f.Rows[2].Note.Content != "" {
		t.Errorf("the others say %q and %q", other, f.Rows[2].Note.Content)
	}
	f.named("n").Entry.SetText("x")
	expect("No number", theme.ColorNameError)
	if f.Err() == nil || f.Values()["n"] != 10 {
		t.Errorf("with bad input it holds %v, %v", f.Values()["n"], f.Err())
	}
	f.named("n").Entry.SetText("11")
	expect("At odds.", theme.ColorNameError)
	f.Complain("")
	expect("About n.", ColorSecondary) // the warning is gone after the change
	if f.Err() != nil {
		t.Error(f.Err())
	}
}

// Errors begin in upper case, whoever words them.
func TestErrorsBeginInUpperCase(t *testing.T) {
	f, _ := newTestForm(t)
	in, note := f.named("n"), f.Rows[0].Note
	if in.Entry.SetText("x"); in.Err.Error() != "no number" || note.Content != "No number" {
		t.Errorf("of %v the form says %q", in.Err, note.Content)
	}
	in.Entry.SetText("10")
	if f.Complain("too many for the device", "n"); note.Content != "Too many for the device" {
		t.Errorf("of a conflict the form says %q", note.Content)
	}
}
