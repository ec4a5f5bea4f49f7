package runpage

import (
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/ui/view"
	"assay/workloads"
)

// field is one parameter: its value and the controls that set it.
type field struct {
	param   *workloads.Param
	value   any                        // as last parsed
	err     error                      // why the input is no value
	changed func(f *field, typed bool) // the user has set it

	follow func() // moves the slider or the range to the value; nil: there is none
	entry  *kit.Entry
	slider *slider
	choice *kit.Select
	onoff  *kit.Switch
	browse *kit.Button
	quiet  bool // while the field writes its own controls
}

func newField(p *workloads.Param, changed func(*field, bool)) *field {
	f := &field{param: p, changed: changed}
	switch p.Type {
	case workloads.Choice:
		f.choice = kit.NewSelect(p.ChoiceValues(), func(s string) { f.input(s, false) })
	case workloads.Bool:
		f.onoff = kit.NewSwitch(func(on bool) { f.input(p.Format(on), false) })
	default:
		f.entry = kit.NewEntry()
		f.entry.OnChanged = func(s string) { f.input(s, true) }
	}
	return f
}

// slide gives the field a slider.
func (f *field) slide() *slider {
	s := newScale(f.param)
	f.slider = newSlider(s, func(x float64) {
		if !f.quiet {
			f.put(s.value(x))
			f.moveSlider() // to the stop
		}
	})
	f.follow = func() { f.slider.SetValue(s.position(f.value)) }
	return f.slider
}

// ask gives the field a button that asks for a file.
func (f *field) ask(files native.Chooser, failed func(error)) *kit.Button {
	f.entry.SetPlaceHolder("No file")
	f.browse = kit.NewButton("Browse…", func() {
		files.Open(native.Question{Title: f.param.Title, Types: []string{desk.WeightsType}}, func(path string, err error) {
			if err != nil {
				failed(err)
				return
			}
			f.entry.SetText(path)
		})
	})
	return f.browse
}

// input takes what the user entered.
func (f *field) input(s string, typed bool) {
	if f.quiet {
		return
	}
	v, err := f.param.Parse(f.ungrouped(s))
	f.err = err
	if err == nil {
		f.value = v
		f.moveSlider()
	}
	f.changed(f, typed)
}

// put takes a value that the user chose with a slider.
func (f *field) put(v any) {
	if f.value == v && f.err == nil {
		return
	}
	f.write(v)
	f.changed(f, false)
}

// set writes a value into the controls.
func (f *field) set(v any) {
	f.write(v)
	f.moveSlider()
}

// write writes a value into all controls but the slider.
func (f *field) write(v any) {
	f.value, f.err = v, nil
	f.quiet = true
	s := f.param.Format(v)
	if n, ok := v.(int); ok && n >= grouped {
		s = view.Count(n)
	}
	switch {
	case f.choice != nil:
		f.choice.SetSelected(s)
	case f.onoff != nil:
		f.onoff.Set(v == true)
	default:
		f.entry.SetText(s)
	}
	f.quiet = false
}

// grouped is from which number on digits are grouped by thousands.
const grouped = 10_000

// ungrouped is a number without the spaces between its digits.
func (f *field) ungrouped(s string) string {
	if f.param.Type != workloads.Int && f.param.Type != workloads.Float {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func (f *field) moveSlider() {
	if f.follow == nil {
		return
	}
	f.quiet = true
	f.follow()
	f.quiet = false
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

// disableables are the field's controls.
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
	if f.onoff != nil {
		list = append(list, f.onoff)
	}
	if f.browse != nil {
		list = append(list, f.browse)
	}
	return list
}

// row is what one line of the form sets: a parameter, or the two ends of a range.
type row struct {
	fields []*field
	sweep  *workloads.Sweep // whose two ends the fields are; nil: of a single parameter
	title  *kit.Text
	note   *kit.Text         // what it is for, or what is wrong with the input
	tail   fyne.CanvasObject // right of the title
	below  fyne.CanvasObject // the slider, under the title; nil: none
	span   *kit.Range        // of two ends
	wrong  string            // why live tuning gave no point
	odds   string            // why its value does not go together with others
}

// newRow builds the line of one parameter.
func newRow(p *workloads.Param, files native.Chooser, changed func(*row, *field, bool)) *row {
	r := &row{title: kit.NewHeading(p.Title), note: kit.NewCaption("", 4)}
	f := newField(p, func(f *field, typed bool) { r.input(changed, f, typed) })
	r.fields = []*field{f}
	switch p.Type {
	case workloads.Int, workloads.Float:
		r.tail = kit.Row(6, sized(f.entry, p), unitText(p))
		r.below = container.New(kit.FixedSize{Height: sliderHeight}, kit.Accented(f.slide()))
	case workloads.Choice:
		r.tail = container.New(kit.ScaledWidth{Width: 156}, f.choice)
	case workloads.Bool:
		r.tail = f.onoff
	case workloads.File:
		browse := f.ask(files, func(err error) { r.note.SetColored(err.Error(), theme.ColorNameError) })
		r.below = container.NewBorder(nil, nil, nil, browse, f.entry)
	default:
		r.tail = container.New(kit.ScaledWidth{Width: 156}, f.entry)
	}
	r.tell()
	return r
}

// newRangeRow builds the line of the two ends of a sweep.
func newRangeRow(sweep *workloads.Sweep, lo, hi *workloads.Param, changed func(*row, *field, bool)) *row {
	r := &row{sweep: sweep, title: kit.NewHeading(sweep.Title), note: kit.NewCaption("", 5)}
	input := func(f *field, typed bool) { r.input(changed, f, typed) }
	a, b := newField(lo, input), newField(hi, input)
	r.fields = []*field{a, b}
	s := newScale(lo)
	r.span = kit.NewRange(s.lo, s.hi, func(from, to float64) { r.slide(s, from, to) })
	r.span.Step = s.step
	follow := func() {
		if a.value != nil && b.value != nil { // both are written before the range shows them
			from, to := s.position(a.value), s.position(b.value)
			r.span.Set(min(from, to), max(from, to))
		}
	}
	a.follow, b.follow = follow, follow
	r.tail = kit.Row(5, sized(a.entry, lo), kit.NewCaption("to", 1).Whole(), sized(b.entry, hi), unitText(hi))
	r.below = r.span
	r.tell()
	return r
}

// slide takes the ends that the user moved.
func (r *row) slide(s scale, from, to float64) {
	a, b := r.fields[0], r.fields[1]
	if from != s.position(a.value) {
		a.put(s.value(from))
	}
	if to != s.position(b.value) {
		b.put(s.value(to))
	}
}

// sliderHeight is less than a slider asks for, most of which is air.
const sliderHeight = 24

// sized gives an entry room for the largest number of a parameter.
func sized(e *kit.Entry, p *workloads.Param) fyne.CanvasObject {
	width := float32(58)
	if p.Max >= 1e6 {
		width = 82
	}
	return container.New(kit.ScaledWidth{Width: width}, e)
}

// unitText is the unit beside an entry.
func unitText(p *workloads.Param) fyne.CanvasObject {
	return container.NewCenter(kit.NewCaption(p.Unit, 1).Whole())
}

// input takes what the user set in one of the fields.
func (r *row) input(changed func(*row, *field, bool), f *field, typed bool) {
	r.wrong = ""
	r.tell()
	changed(r, f, typed)
}

// tell shows what the parameter is for, or what is wrong with the input.
func (r *row) tell() {
	for _, f := range r.fields {
		if f.err != nil {
			r.note.SetColored(f.complaint(), theme.ColorNameError)
			return
		}
	}
	if r.odds != "" {
		r.note.SetColored(r.odds, theme.ColorNameError)
		return
	}
	if r.wrong != "" {
		r.note.SetColored("Not measured: "+r.wrong, theme.ColorNameWarning)
		return
	}
	r.note.SetColored(r.about(), kit.ColorSecondary)
}

// about is what the line is for: of a sweep, a sentence about both ends.
func (r *row) about() string {
	if r.sweep != nil {
		return r.sweep.About
	}
	return r.fields[0].param.About
}

// has reports whether the line sets that parameter.
func (r *row) has(name string) bool {
	for _, f := range r.fields {
		if f.param.Name == name {
			return true
		}
	}
	return false
}

// enable allows or forbids input.
func (r *row) enable(on bool) {
	for _, f := range r.fields {
		for _, d := range f.disableables() {
			kit.Able(d, on)
		}
	}
	if r.span != nil {
		kit.Able(r.span, on)
	}
}
