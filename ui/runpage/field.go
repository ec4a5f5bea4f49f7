package runpage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/workloads"
)

// field is the row of one parameter: what it is on the left, its control on the right.
type field struct {
	param   *workloads.Param
	value   any   // as last parsed
	err     error // why the input is no value
	changed func()

	title, note *kit.Text
	control     fyne.CanvasObject
	entry       *widget.Entry  // of all but Bool and Choice
	slider      *widget.Slider // of Int and Float
	choice      *widget.Select
	check       *widget.Check
	browse      *widget.Button
	quiet       bool // while the field writes its own controls
}

func newField(p *workloads.Param, files native.Chooser, changed func()) *field {
	f := &field{param: p, changed: changed, title: kit.NewHeading(p.Title), note: kit.NewCaption(p.About, 3)}
	switch p.Type {
	case workloads.Int, workloads.Float:
		f.control = f.numeric()
	case workloads.Choice:
		f.choice = widget.NewSelect(p.Choices, f.input)
		f.control = f.choice
	case workloads.Bool:
		f.check = widget.NewCheck("", func(on bool) { f.input(p.Format(on)) })
		f.control = container.NewHBox(layout.NewSpacer(), f.check)
	case workloads.File:
		f.control = f.file(files)
	default:
		f.control = f.textEntry()
	}
	return f
}

func (f *field) textEntry() *widget.Entry {
	f.entry = widget.NewEntry()
	f.entry.OnChanged = f.input
	return f.entry
}

// numeric is a slider, an entry and the unit.
func (f *field) numeric() fyne.CanvasObject {
	s := newScale(f.param)
	f.slider = widget.NewSlider(s.lo, s.hi)
	f.slider.Step = s.step
	f.slider.OnChanged = func(x float64) {
		if !f.quiet {
			f.entry.SetText(f.param.Format(s.value(x)))
		}
	}
	f.textEntry()
	unit := kit.NewCaption(f.param.Unit, 1)
	return container.New(numericLayout{}, kit.Accented(f.slider), f.entry, unit)
}

// file is an entry and a button that asks for a file.
func (f *field) file(files native.Chooser) fyne.CanvasObject {
	f.textEntry()
	f.entry.SetPlaceHolder("No file")
	f.browse = widget.NewButton("Browse…", func() {
		files.Open(native.Question{Title: f.param.Title, Types: []string{desk.WeightsType}}, func(path string, err error) {
			if err != nil {
				f.note.SetColored(err.Error(), theme.ColorNameError)
				return
			}
			f.entry.SetText(path)
		})
	})
	return container.NewBorder(nil, nil, nil, f.browse, f.entry)
}

// input takes what the user entered.
func (f *field) input(s string) {
	if f.quiet {
		return
	}
	v, err := f.param.Parse(s)
	f.err = err
	if err == nil {
		f.value = v
		f.moveSlider(v)
	}
	f.tell()
	f.changed()
}

// set writes a value into the controls.
func (f *field) set(v any) {
	f.value, f.err = v, nil
	f.quiet = true
	s := f.param.Format(v)
	switch {
	case f.choice != nil:
		f.choice.SetSelected(s)
	case f.check != nil:
		f.check.SetChecked(v == true)
	default:
		f.entry.SetText(s)
	}
	f.quiet = false
	f.moveSlider(v)
	f.tell()
}

func (f *field) moveSlider(v any) {
	if f.slider == nil {
		return
	}
	f.quiet = true
	f.slider.SetValue(newScale(f.param).position(v))
	f.quiet = false
}

// tell shows the parameter's sentence, or what is wrong with the input.
func (f *field) tell() {
	if f.err != nil {
		f.note.SetColored(f.complaint(), theme.ColorNameError)
		return
	}
	f.note.SetColored(f.param.About, kit.ColorSecondary)
}

// complaint is what is wrong with the input, with the parameter's title instead of its name.
func (f *field) complaint() string {
	if rest, ok := strings.CutPrefix(f.err.Error(), f.param.Name); ok {
		return f.param.Title + rest
	}
	return f.err.Error()
}

// replaceWord replaces a word, but not parts of longer words.
func replaceWord(s, word, by string) string {
	fields := strings.Split(s, " ")
	for i, f := range fields {
		if bare := strings.TrimRight(f, ",.;:"); bare == word {
			fields[i] = by + f[len(bare):]
		}
	}
	return strings.Join(fields, " ")
}

// enable allows or forbids input.
func (f *field) enable(on bool) {
	for _, d := range f.disableables() {
		if on == d.Disabled() {
			if on {
				d.Enable()
			} else {
				d.Disable()
			}
		}
	}
}

func (f *field) disableables() []fyne.Disableable {
	var list []fyne.Disableable
	if f.entry != nil {
		list = append(list, f.entry)
	}
	if f.slider != nil {
		list = append(list, f.slider)
	}
	if f.choice != nil {
		list = append(list, f.choice)
	}
	if f.check != nil {
		list = append(list, f.check)
	}
	if f.browse != nil {
		list = append(list, f.browse)
	}
	return list
}

// Widths within a field's control.
const (
	entryWidth = 72
	unitWidth  = 56
)

// numericLayout puts a slider, an entry and a unit side by side.
type numericLayout struct{}

func (numericLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(60+entryWidth+unitWidth+16, max(o[0].MinSize().Height, o[1].MinSize().Height))
}

func (numericLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	place := func(o fyne.CanvasObject, x, width float32) {
		height := o.MinSize().Height
		o.Resize(fyne.NewSize(width, height))
		o.Move(fyne.NewPos(x, (size.Height-height)/2))
	}
	unit := size.Width - unitWidth
	entry := unit - 6 - entryWidth
	place(o[0], 0, entry-8)
	place(o[1], entry, entryWidth)
	place(o[2], unit, unitWidth)
}
