package kit

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/internal/plain"
)

// FieldRow is one row of a form: a field, or the two ends of a range of numbers, which share a title and a sentence.
type FieldRow struct {
	Title, About string // of a range
	Fields       []Field
}

// Form edits fields, one below the other on a card that scrolls if needed: the title beside the input, a slider below them,
// then the sentence, which an input error replaces.
type Form struct {
	Rows   []*FormRow
	Inputs []*Input // of all rows
	Object *fyne.Container

	disabled bool
	list     *formLayout
	body     *fyne.Container
	changed  func(in *Input, typed bool)
}

// FormRow is one row of a form.
type FormRow struct {
	Inputs []*Input
	Title  *Text
	Note   *Text  // its description, or its error
	Range  *Range // of two ends; nil: of a single field
	about  string
	tail   fyne.CanvasObject // right of the title
	unit   *fyne.Container   // at the end of the tail, unless the title needs the room; nil: none
	below  fyne.CanvasObject // under the title; nil: none
	odds   string            // why its value conflicts with others
	unused string            // why its value has no effect, which disables it
	warned string            // a warning
}

// NewForm makes a form with a minimum width, at 100 %. changed is called with the field that the user has set, and whether
// by typing.
func NewForm(rows []FieldRow, least float32, changed func(in *Input, typed bool)) *Form {
	f := &Form{changed: changed}
	for i := range rows {
		r := newFormRow(&rows[i], f.input)
		f.Rows = append(f.Rows, r)
		f.Inputs = append(f.Inputs, r.Inputs...)
	}
	f.list = &formLayout{form: f, width: 320, least: least}
	var objects []fyne.CanvasObject
	for i, r := range f.Rows {
		objects = append(objects, r.objects()...)
		if i > 0 {
			f.list.lines = append(f.list.lines, NewFill(theme.ColorNameSeparator, 0))
			objects = append(objects, f.list.lines[i-1])
		}
	}
	f.body = container.New(f.list, objects...)
	f.Object = NewScrolledCard(f.body, f.list)
	return f
}

func newFormRow(of *FieldRow, changed func(*Input, bool)) *FormRow {
	r := &FormRow{}
	told := func(in *Input, typed bool) {
		r.warned = ""
		r.tell()
		changed(in, typed)
	}
	for i := range of.Fields {
		r.Inputs = append(r.Inputs, newInput(&of.Fields[i], told))
	}
	if len(r.Inputs) == 2 {
		r.ends(of)
	} else {
		r.single()
	}
	r.tell()
	return r
}

// single lays out one field.
func (r *FormRow) single() {
	in := r.Inputs[0]
	r.Title, r.Note, r.about = NewHeading(in.Title), NewCaption("", 4), in.About
	switch in.Kind {
	case NumberField:
		r.unit = in.unitText()
		r.tail = Row(6, in.sized(), r.unit)
		r.below = container.New(FixedSize{Height: sliderHeight}, Accented(in.slide()))
	case ChoiceField:
		if in.Wide {
			r.below = in.Select
			break
		}
		r.tail = container.New(ScaledWidth{Width: fieldWidth}, in.Select)
	case SwitchField:
		r.tail = in.Switch
	case FileField:
		browse := in.ask(func(err error) { r.Note.SetColored(plain.Capitalized(err.Error()), theme.ColorNameError) })
		r.below = container.NewBorder(nil, nil, nil, browse, in.Entry)
	default:
		if in.Wide {
			r.below = in.Entry
			break
		}
		r.tail = container.New(ScaledWidth{Width: fieldWidth}, in.Entry)
	}
}

const (
	fieldWidth   = 156 // of a text or a choice, at 100 %
	sliderHeight = 24  // less than a slider's minimum, which is mostly empty
)

// ends lays out the two ends of a range.
func (r *FormRow) ends(of *FieldRow) {
	a, b := r.Inputs[0], r.Inputs[1]
	r.Title, r.Note, r.about = NewHeading(of.Title), NewCaption("", 5), of.About
	s := a.Scale
	r.Range = NewRange(s.lo, s.hi, r.slide)
	r.Range.Step = s.step
	follow := func() {
		if a.Value != nil && b.Value != nil { // both are written before the range shows them
			from, to := s.Position(a.Value), s.Position(b.Value)
			r.Range.Set(min(from, to), max(from, to))
		}
	}
	a.follow, b.follow = follow, follow
	r.unit = b.unitText()
	r.tail = Row(5, a.sized(), NewCaption("to", 1).Whole(), b.sized(), r.unit)
	r.below = r.Range
}

// slide handles the ends that the user moved.
func (r *FormRow) slide(from, to float64) {
	a, b := r.Inputs[0], r.Inputs[1]
	s := a.Scale
	if from != s.Position(a.Value) {
		a.put(s.Value(from))
	}
	if to != s.Position(b.Value) {
		b.put(s.Value(to))
	}
}

// tell shows the row's description, or its error.
func (r *FormRow) tell() {
	for _, in := range r.Inputs {
		if in.Err != nil {
			r.Note.SetColored(plain.Capitalized(in.Err.Error()), theme.ColorNameError)
			return
		}
	}
	switch {
	case r.odds != "":
		r.Note.SetColored(plain.Capitalized(r.odds), theme.ColorNameError)
	case r.unused != "":
		r.Note.SetColored(r.unused, ColorSecondary)
	case r.warned != "":
		r.Note.SetColored(r.warned, theme.ColorNameWarning)
	default:
		r.Note.SetColored(r.about, ColorSecondary)
	}
}

// has reports whether the row sets one of those fields.
func (r *FormRow) has(names ...string) bool {
	return slices.ContainsFunc(r.Inputs, func(in *Input) bool { return slices.Contains(names, in.Name) })
}

// able allows or forbids input. An invalid value can always be corrected.
func (r *FormRow) able(on bool) {
	on = on && (r.unused == "" || slices.ContainsFunc(r.Inputs, func(in *Input) bool { return in.Err != nil }))
	for _, in := range r.Inputs {
		in.able(on)
	}
	if r.Range != nil {
		Able(r.Range, on)
	}
}

// objects are the parts of the row.
func (r *FormRow) objects() []fyne.CanvasObject {
	list := []fyne.CanvasObject{r.Title, r.Note}
	if r.tail != nil {
		list = append(list, r.tail)
	}
	if r.below != nil {
		list = append(list, r.below)
	}
	return list
}

// input handles what the user set in a row.
func (f *Form) input(in *Input, typed bool) {
	f.relayout()
	f.changed(in, typed)
}

// relayout adjusts to sentences that became longer or shorter.
func (f *Form) relayout() {
	if f.list.tall != f.list.heightFor(f.list.width) {
		f.body.Refresh()
		f.Object.Refresh()
	}
}

// Set writes values into the fields, without calling changed.
func (f *Form) Set(values map[string]any) {
	for _, in := range f.Inputs {
		if v, ok := values[in.Name]; ok {
			in.Set(v)
		}
	}
	for _, r := range f.Rows {
		r.warned = ""
		r.tell()
	}
	f.relayout()
}

// Values returns the last valid value of every field.
func (f *Form) Values() map[string]any {
	v := map[string]any{}
	for _, in := range f.Inputs {
		v[in.Name] = in.Value
	}
	return v
}

// Err returns the error of the first invalid field.
func (f *Form) Err() error {
	for _, in := range f.Inputs {
		if in.Err != nil {
			return in.Err
		}
	}
	return nil
}

// Complain shows a conflict of values at the given fields, and clears it at all others.
func (f *Form) Complain(why string, names ...string) {
	f.remark(func(r *FormRow) *string { return &r.odds }, why, names)
}

// Warn shows a warning at the given fields until they change, and clears it at all others.
func (f *Form) Warn(why string, names ...string) {
	f.remark(func(r *FormRow) *string { return &r.warned }, why, names)
}

func (f *Form) remark(at func(*FormRow) *string, why string, names []string) {
	for _, r := range f.Rows {
		words := ""
		if r.has(names...) {
			words = why
		}
		if p := at(r); *p != words {
			*p = words
			r.tell()
		}
	}
	f.relayout()
}

// Unuse disables the rows of which no field has an effect, and says why: why returns the reason for a field, empty if
// it has one.
func (f *Form) Unuse(why func(name string) string) {
	for _, r := range f.Rows {
		reason := ""
		for _, in := range r.Inputs {
			if reason = why(in.Name); reason == "" {
				break
			}
		}
		if r.unused != reason {
			r.unused = reason
			r.able(!f.disabled)
			r.tell()
		}
	}
	f.relayout()
}

// Bar turns options of choices gray: why returns the reason for a value of a field, empty if it can be chosen.
func (f *Form) Bar(why func(name, value string) string) {
	for _, in := range f.Inputs {
		if in.Select == nil {
			continue
		}
		in.Select.off = nil
		for _, c := range in.Options {
			if reason := why(in.Name, c.Value); reason != "" {
				if in.Select.off == nil {
					in.Select.off = map[string]string{}
				}
				in.Select.off[c.Title] = reason
			}
		}
	}
}

// Able allows or forbids input.
func (f *Form) Able(on bool) {
	f.disabled = !on
	for _, r := range f.Rows {
		r.able(on)
	}
}
