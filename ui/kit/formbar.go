package kit

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// FormBar is a one-line form that filters a list below it: a text field, then menus and check boxes. If a menu has a title, the
// title is its first option, which filters nothing.
type FormBar struct {
	Inputs []*Input
	Count  *Text   // how much matches
	Clear  *Button // resets the filter
	Object *fyne.Container

	changed func()
}

// NewFormBar makes a bar of fields; the first is a text field. changed is called after each change.
func NewFormBar(fields []Field, changed func()) *FormBar {
	b := &FormBar{changed: changed, Count: NewBody("", 1).Whole()}
	var right []fyne.CanvasObject
	for i := range fields {
		in := b.input(&fields[i])
		b.Inputs = append(b.Inputs, in)
		if i > 0 {
			right = append(right, in.controls()...)
		}
	}
	b.Clear = NewButtonWithIcon("Clear", theme.CancelIcon(), b.Reset)
	b.Clear.Importance = widget.LowImportance
	right = append(right, b.Clear, container.NewCenter(b.Count))
	b.Object = container.NewBorder(nil, nil, nil, Row(8, right...), b.Inputs[0].Entry)
	return b
}

func (b *FormBar) input(f *Field) *Input {
	in := &Input{Field: f, changed: func(*Input, bool) { b.changed() }}
	switch f.Kind {
	case ChoiceField:
		in.any = f.Title != ""
		in.Select = NewSelect(nil, func(string) { in.choose() })
		in.offer(f.Options)
		in.Set("")
	case SwitchField:
		in.Check = NewCheck(f.Title, func(on bool) { in.put(on) })
		in.Value = false
	default:
		in.Entry = NewEntry()
		in.Entry.PlaceHolder = f.Title
		in.Entry.OnChanged = in.enter
		in.Value = ""
	}
	return in
}

// Input returns the field of that name, which the bar must have.
func (b *FormBar) Input(name string) *Input {
	return b.Inputs[slices.IndexFunc(b.Inputs, func(in *Input) bool { return in.Name == name })]
}

// Words returns the words of the text field, in lower case.
func (b *FormBar) Words() []string {
	return strings.Fields(strings.ToLower(b.Inputs[0].Value.(string)))
}

// Choice returns the value that a menu picks; empty: none.
func (b *FormBar) Choice(name string) string { return b.Input(name).Value.(string) }

// On reports whether a box is ticked.
func (b *FormBar) On(name string) bool { return b.Input(name).Value == true }

// Offer sets the options of a menu. The choice stays if it is among them; with one value there is nothing to choose.
func (b *FormBar) Offer(name string, options []Choice) {
	in := b.Input(name)
	Show(in.Select, len(options) > 1)
	if slices.Equal(options, in.Options) {
		return
	}
	was := in.Value
	in.offer(options)
	if slices.ContainsFunc(options, func(c Choice) bool { return c.Value == was }) {
		in.Set(was)
		return
	}
	in.Set("")
	if was != "" {
		b.changed()
	}
}

// Picks reports whether the bar filters anything. A menu that always has a value does not count.
func (b *FormBar) Picks() bool {
	return slices.ContainsFunc(b.Inputs, func(in *Input) bool {
		return in.Value != "" && in.Value != false && (in.Select == nil || in.any)
	})
}

// Tell shows how much matches.
func (b *FormBar) Tell(words string) {
	Show(b.Clear, b.Picks())
	b.Count.Set(words)
	b.Object.Refresh()
}

// Reset clears the filter. A menu that always has a value keeps it.
func (b *FormBar) Reset() {
	for _, in := range b.Inputs {
		switch {
		case in.Check != nil:
			in.Set(false)
		case in.Select == nil || in.any:
			in.Set("")
		}
	}
	b.changed()
}
