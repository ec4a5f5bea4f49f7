package kit

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// FieldKind is the control of a field.
type FieldKind int

// Kinds of fields, and the type of their values.
const (
	TextField   FieldKind = iota // string
	NumberField                  // int or float64, by its scale
	ChoiceField                  // string
	SwitchField                  // bool
	FileField                    // string, a path
)

// Field describes one value of a form.
type Field struct {
	Name    string // its key in the form
	Title   string // label of the control; in a bar, shown while nothing is picked
	About   string // one sentence
	Kind    FieldKind
	Unit    string   // of a number
	Scale   *Scale   // of a number, for its slider
	Options []Choice // of a choice
	Open    bool     // of a choice: other values are accepted too, and shown as they are
	Wide    bool     // of a choice or a text: it is below the title, as wide as the form
	Read    func(string) (any, error)
	Write   func(any) string
	Ask     func(done func(path string, err error)) // asks for a file
}

// Choice is a possible value of a field with its title.
type Choice struct{ Value, Title string }

// ChoicesOf returns values that are their own titles.
func ChoicesOf(values []string) []Choice {
	list := make([]Choice, len(values))
	for i, v := range values {
		list[i] = Choice{v, v}
	}
	return list
}

// read returns what a text means.
func (f *Field) read(s string) (any, error) {
	if f.Read == nil {
		return s, nil
	}
	return f.Read(s)
}

func (f *Field) write(v any) string {
	if f.Write == nil {
		return fmt.Sprint(v)
	}
	return f.Write(v)
}

// Input is a field with its value and its controls. Controls that it lacks are nil.
type Input struct {
	*Field
	Value any   // as last read
	Err   error // why the input is not valid

	Entry  *Entry
	Slider *StopSlider
	Select *Select
	Switch *Switch
	Check  *Check
	Browse *Button

	changed func(in *Input, typed bool) // called when the user has set it
	follow  func()                      // moves the slider or the range to the value; nil: none
	any     bool                        // the first option means any
	quiet   bool                        // while the field updates its own controls
}

func newInput(f *Field, changed func(*Input, bool)) *Input {
	in := &Input{Field: f, changed: changed}
	switch f.Kind {
	case ChoiceField:
		in.Select = NewSelect(nil, func(string) { in.choose() })
		in.offer(f.Options)
	case SwitchField:
		in.Switch = NewSwitch(func(on bool) { in.put(on) })
	default:
		in.Entry = NewEntry()
		in.Entry.Whole = f.Kind == NumberField
		in.Entry.OnChanged = func(s string) { in.enter(s) }
	}
	return in
}

// slide gives the field a slider.
func (in *Input) slide() *StopSlider {
	in.Slider = NewStopSlider(in.Scale, func(x float64) {
		if !in.quiet {
			in.put(in.Scale.Value(x))
			in.moveSlider() // to the stop
		}
	})
	in.follow = func() { in.Slider.SetValue(in.Scale.Position(in.Value)) }
	return in.Slider
}

// ask gives the field a button that asks for a file.
func (in *Input) ask(failed func(error)) *Button {
	in.Entry.SetPlaceHolder("No file")
	in.Browse = NewButton("Browse…", func() {
		in.Ask(func(path string, err error) {
			if err != nil {
				failed(err)
				return
			}
			in.Entry.SetText(path)
		})
	})
	return in.Browse
}

// enter sets the value that the user typed.
func (in *Input) enter(s string) {
	if in.quiet {
		return
	}
	v, err := in.read(s)
	in.Err = err
	if err == nil {
		in.Value = v
		in.moveSlider()
	}
	in.changed(in, true)
}

// choose sets the option that the user chose.
func (in *Input) choose() {
	i := in.Select.SelectedIndex()
	if in.any {
		i--
	}
	if in.quiet || i >= len(in.Options) {
		return
	}
	in.Value, in.Err = "", nil
	if i >= 0 {
		in.Value = in.Options[i].Value
	}
	in.changed(in, false)
}

// put sets a value that the user chose.
func (in *Input) put(v any) {
	if in.quiet || in.Value == v && in.Err == nil {
		return
	}
	in.write(v)
	in.changed(in, false)
}

// Set writes a value into the controls, without calling changed.
func (in *Input) Set(v any) {
	in.write(v)
	in.moveSlider()
}

// write writes a value into all controls except the slider.
func (in *Input) write(v any) {
	in.Value, in.Err = v, nil
	in.quiet = true
	switch {
	case in.Select != nil:
		in.admit(v)
		in.Select.SetSelectedIndex(in.indexOf(v))
	case in.Switch != nil:
		in.Switch.Set(v == true)
	case in.Check != nil:
		in.Check.SetChecked(v == true)
	default:
		in.Entry.SetText(in.Field.write(v))
	}
	in.quiet = false
}

// indexOf returns the index of a value in the menu, or the index of the empty value.
func (in *Input) indexOf(v any) int {
	first := 0
	if in.any {
		first = 1
	}
	for i, c := range in.Options {
		if c.Value == v {
			return first + i
		}
	}
	return first - 1
}

// admit adds a value of an open choice to its options.
func (in *Input) admit(v any) {
	if s, ok := v.(string); ok && in.Open && in.indexOf(v) < 0 {
		in.offer(append(slices.Clone(in.Options), Choice{s, s}))
	}
}

// Offer replaces the options of an open choice, without calling changed. The value stays.
func (in *Input) Offer(options []Choice) {
	in.offer(options)
	in.write(in.Value)
}

// offer sets the options.
func (in *Input) offer(options []Choice) {
	in.Options = options
	var titles []string
	if in.any {
		titles = []string{in.Title}
	}
	for _, c := range options {
		titles = append(titles, c.Title)
	}
	in.quiet = true
	in.Select.SetOptions(titles)
	in.quiet = false
}

func (in *Input) moveSlider() {
	if in.follow == nil {
		return
	}
	in.quiet = true
	in.follow()
	in.quiet = false
}

// able allows or forbids input.
func (in *Input) able(on bool) {
	for _, o := range in.controls() {
		Able(o.(fyne.Disableable), on)
	}
}

// controls lists the controls that the field has.
func (in *Input) controls() []fyne.CanvasObject {
	var list []fyne.CanvasObject
	if in.Entry != nil {
		list = append(list, in.Entry)
	}
	if in.Slider != nil {
		list = append(list, in.Slider)
	}
	if in.Select != nil {
		list = append(list, in.Select)
	}
	if in.Switch != nil {
		list = append(list, in.Switch)
	}
	if in.Check != nil {
		list = append(list, in.Check)
	}
	if in.Browse != nil {
		list = append(list, in.Browse)
	}
	return list
}

// sized makes an entry wide enough for the largest number of a field.
func (in *Input) sized() fyne.CanvasObject {
	width := float32(58)
	if in.Scale.Max >= 1e6 {
		width = 82
	}
	return container.New(ScaledWidth{Width: width}, in.Entry)
}

// unitText returns the unit shown beside an entry.
func (f *Field) unitText() *fyne.Container {
	return container.NewCenter(NewCaption(f.Unit, 1).Whole())
}
