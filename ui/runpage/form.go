package runpage

import (
	"errors"
	"maps"
	"reflect"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/kit"
	"assay/ui/native"
	"assay/workloads"
)

// form edits the parameters of one workload.
type form struct {
	workload *workloads.Workload
	fields   []*field
	body     *fyne.Container
	object   *fyne.Container
	changed  func()
	quick    bool // whose defaults it began with
	muted    bool // while many fields change at once
}

func newForm(w *workloads.Workload, files native.Chooser, changed func()) *form {
	f := &form{workload: w, changed: changed}
	for i := range w.Params {
		f.fields = append(f.fields, newField(&w.Params[i], files, f.tell))
	}
	list := &formLayout{form: f, width: 480}
	var objects []fyne.CanvasObject
	for i, fd := range f.fields {
		objects = append(objects, fd.title, fd.note, fd.control)
		if i > 0 {
			list.lines = append(list.lines, kit.NewFill(theme.ColorNameSeparator, 0))
			objects = append(objects, list.lines[i-1])
		}
	}
	f.body = container.New(list, objects...)
	f.object = kit.NewScrolledCard(f.body, list)
	return f
}

func (f *form) tell() {
	if !f.muted {
		f.changed()
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
	f.body.Refresh()
	f.changed()
}

// setQuick moves the fields that stand at the defaults of the other mode to those of this one.
func (f *form) setQuick(quick bool) {
	if quick == f.quick {
		return
	}
	from, to := f.workload.Defaults(!quick), f.workload.Defaults(quick)
	v := f.raw()
	for name, value := range v {
		if reflect.DeepEqual(value, from[name]) {
			v[name] = to[name]
		}
	}
	f.set(v, quick)
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
		return nil, errors.New(message)
	}
	return v, nil
}

// enable allows or forbids input.
func (f *form) enable(on bool) {
	for _, fd := range f.fields {
		fd.enable(on)
	}
}

// formLayout lays out the rows of a form.
type formLayout struct {
	form  *form
	lines []*kit.Fill
	width float32
}

const (
	rowPadV = 9
	rowPadH = 14
	rowGap  = 18
)

// split is the width of the words and of the control in a row.
func (l *formLayout) split(width float32) (words, control float32) {
	inner := width - 2*rowPadH - rowGap
	control = min(340, max(228, inner*0.48))
	return inner - control, control
}

func (l *formLayout) rowHeight(f *field, words float32) float32 {
	height := f.title.MinSize().Height + 2 + f.note.HeightFor(words)
	return max(height, f.control.MinSize().Height) + 2*rowPadV
}

func (l *formLayout) heightFor(width float32) float32 {
	words, _ := l.split(width)
	height := float32(0)
	for _, f := range l.form.fields {
		height += l.rowHeight(f, words)
	}
	return height
}

// SetWidth tells the layout how wide it will be, so that its least height is right before it is laid out.
func (l *formLayout) SetWidth(width float32) { l.width = width }

func (l *formLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(2*rowPadH+rowGap+228+120, l.heightFor(l.width))
}

func (l *formLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	words, control := l.split(size.Width)
	y := float32(0)
	for i, f := range l.form.fields {
		height := l.rowHeight(f, words)
		if i > 0 {
			l.lines[i-1].Resize(fyne.NewSize(size.Width-2*rowPadH, 1))
			l.lines[i-1].Move(fyne.NewPos(rowPadH, y))
		}
		title := f.title.MinSize().Height
		f.title.Resize(fyne.NewSize(words, title))
		f.title.Move(fyne.NewPos(rowPadH, y+rowPadV))
		f.note.Resize(fyne.NewSize(words, height-2*rowPadV-title-2))
		f.note.Move(fyne.NewPos(rowPadH, y+rowPadV+title+2))
		least := f.control.MinSize().Height
		f.control.Resize(fyne.NewSize(control, least))
		f.control.Move(fyne.NewPos(size.Width-rowPadH-control, y+(height-least)/2))
		y += height
	}
}
