package runpage

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/workloads"
)

// form edits the parameters of one workload.
type form struct {
	workload *workloads.Workload
	rows     []*row
	fields   []*field // of all rows, in the order of the parameters
	list     *formLayout
	body     *fyne.Container
	object   *fyne.Container
	changed  func(moved string, typed bool) // moved is the parameter that the user set; empty: all may have changed
	quick    bool                           // whose defaults it began with
	muted    bool                           // while many fields change at once
}

func newForm(w *workloads.Workload, files native.Chooser, changed func(string, bool)) *form {
	f := &form{workload: w, changed: changed}
	for i := range w.Params {
		p := &w.Params[i]
		switch s := w.SweepOf(p.Name); {
		case s == nil:
			f.rows = append(f.rows, newRow(p, files, f.input))
		case s.From == p.Name:
			if to, err := w.Param(s.To); err == nil {
				f.rows = append(f.rows, newRangeRow(s, p, to, f.input))
			}
		}
	}
	f.list = &formLayout{form: f, width: 320}
	var objects []fyne.CanvasObject
	for i, r := range f.rows {
		f.fields = append(f.fields, r.fields...)
		objects = append(objects, r.title, r.note)
		if r.tail != nil {
			objects = append(objects, r.tail)
		}
		if r.below != nil {
			objects = append(objects, r.below)
		}
		if i > 0 {
			f.list.lines = append(f.list.lines, kit.NewFill(theme.ColorNameSeparator, 0))
			objects = append(objects, f.list.lines[i-1])
		}
	}
	f.body = container.New(f.list, objects...)
	f.object = kit.NewScrolledCard(f.body, f.list)
	return f
}

// input takes what the user set in a row.
func (f *form) input(r *row, fd *field, typed bool) {
	f.relayout()
	if !f.muted {
		f.changed(fd.param.Name, typed)
	}
}

// relayout makes room for the sentences where they have become longer or shorter.
func (f *form) relayout() {
	if f.list.tall != f.list.heightFor(f.list.width) {
		f.body.Refresh()
		f.object.Refresh()
	}
}

// set writes values into the fields. A value that is missing or does not fit is left at the default.
func (f *form) set(v workloads.Values, quick bool) {
	f.quick = quick
	defaults := f.workload.Defaults(quick)
	f.muted = true
	for _, fd := range f.fields {
		value, ok := v[fd.param.Name]
		if !ok || fd.param.Check(value) != nil {
			value = defaults[fd.param.Name]
		}
		fd.set(value)
	}
	f.muted = false
	for _, r := range f.rows {
		r.wrong = ""
		r.tell()
	}
	f.relayout()
	f.changed("", false)
}

// blame shows beside a parameter why it gave no point; empty takes that away everywhere.
func (f *form) blame(param, why string) {
	for _, r := range f.rows {
		wrong := ""
		if why != "" && r.has(param) {
			wrong = why
		}
		if r.wrong != wrong {
			r.wrong = wrong
			r.tell()
		}
	}
	f.relayout()
}

// setQuick moves the fields that stand at the defaults of the other mode to those of this one.
func (f *form) setQuick(quick bool) {
	if quick == f.quick {
		return
	}
	f.set(desk.InMode(f.workload, f.raw(), quick), quick)
}

// raw is the last good value of every field.
func (f *form) raw() workloads.Values {
	v := workloads.Values{}
	for _, fd := range f.fields {
		v[fd.param.Name] = fd.value
	}
	return v
}

// values is what the form holds, or why it cannot be run.
func (f *form) values() (workloads.Values, error) {
	for _, fd := range f.fields {
		if fd.err != nil {
			return nil, errors.New(fd.complaint())
		}
	}
	v := maps.Clone(f.raw())
	if err := f.workload.Check(v); err != nil {
		message := strings.TrimPrefix(err.Error(), "workload "+f.workload.Name+": ")
		for i := range f.workload.Params {
			message = replaceWord(message, f.workload.Params[i].Name, f.workload.Params[i].Title)
		}
		var odds *workloads.ParamError
		if errors.As(err, &odds) {
			return nil, &workloads.ParamError{Params: odds.Params, Err: errors.New(message)}
		}
		return nil, errors.New(message)
	}
	return v, nil
}

// tellOdds shows beside the parameters whose values do not go together what is wrong, and nothing beside the others.
func (f *form) tellOdds(err error) {
	var odds *workloads.ParamError
	if !errors.As(err, &odds) {
		odds = &workloads.ParamError{}
	}
	for _, r := range f.rows {
		why := ""
		if slices.ContainsFunc(odds.Params, r.has) {
			why = err.Error()
		}
		if r.odds != why {
			r.odds = why
			r.tell()
		}
	}
	f.relayout()
}

// enable allows or forbids input.
func (f *form) enable(on bool) {
	for _, r := range f.rows {
		r.enable(on)
	}
}

// formLayout lays out the rows of a form: title and entry side by side, the slider below them, then the sentence.
type formLayout struct {
	form  *form
	lines []*kit.Fill
	width float32
	tall  float32 // as last laid out
}

const (
	rowPadV = 8
	rowPadH = 12
	rowGap  = 10
)

// headHeight is the height of the title with what stands beside it.
func (r *row) headHeight() float32 {
	height := r.title.MinSize().Height
	if r.tail != nil {
		height = max(height, r.tail.MinSize().Height)
	}
	return height
}

func (r *row) belowHeight() float32 {
	if r.below == nil {
		return 0
	}
	return r.below.MinSize().Height + 1
}

func (r *row) height(inner float32) float32 {
	return r.headHeight() + r.belowHeight() + 2 + r.note.HeightFor(inner) + 2*rowPadV
}

func (l *formLayout) heightFor(width float32) float32 {
	height := float32(0)
	for _, r := range l.form.rows {
		height += r.height(width - 2*rowPadH)
	}
	return height
}

// SetWidth tells the layout how wide it will be, so that its least height is right before it is laid out.
func (l *formLayout) SetWidth(width float32) { l.width = width }

func (l *formLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(kit.Scaled(leastForm)-2, l.heightFor(l.width))
}

func (l *formLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	inner := size.Width - 2*rowPadH
	y := float32(0)
	for i, r := range l.form.rows {
		if i > 0 {
			l.lines[i-1].Resize(fyne.NewSize(inner, 1))
			l.lines[i-1].Move(fyne.NewPos(rowPadH, y))
		}
		r.layout(y+rowPadV, inner)
		y += r.height(inner)
	}
	l.tall = y
}

// layout places a row's objects from y on.
func (r *row) layout(y, inner float32) {
	head, words := r.headHeight(), inner
	if r.tail != nil {
		tail := r.tail.MinSize()
		words -= tail.Width + rowGap
		r.tail.Resize(tail)
		r.tail.Move(fyne.NewPos(rowPadH+inner-tail.Width, y+(head-tail.Height)/2))
	}
	title := r.title.MinSize().Height
	r.title.Resize(fyne.NewSize(words, title))
	r.title.Move(fyne.NewPos(rowPadH, y+(head-title)/2))
	y += head
	if r.below != nil {
		height := r.below.MinSize().Height
		r.below.Resize(fyne.NewSize(inner, height))
		r.below.Move(fyne.NewPos(rowPadH, y+1))
		y += height + 1
	}
	r.note.Resize(fyne.NewSize(inner, r.note.HeightFor(inner)))
	r.note.Move(fyne.NewPos(rowPadH, y+2))
}
