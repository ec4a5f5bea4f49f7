package runpage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// liveSwitch turns live tuning on and off, and says why it is not available.
type liveSwitch struct {
	desk   *desk.Desk
	onoff  *kit.Switch
	note   *kit.Text
	object fyne.CanvasObject
}

const liveAbout = "Moving a slider measures that setting at once and adds a hollow point."

func newLiveSwitch(d *desk.Desk) *liveSwitch {
	l := &liveSwitch{desk: d, onoff: kit.NewSwitch(d.SetLive), note: kit.NewCaption("", 2)}
	l.onoff.On = d.Model.Live
	line := container.NewBorder(nil, nil, nil, l.onoff, kit.NewHeading("Live tuning"))
	l.object = kit.Stack(0, line, container.New(kit.LinesLayout{Lines: 2}, l.note))
	l.update()
	return l
}

func (l *liveSwitch) update() {
	l.onoff.Set(l.desk.Model.Live)
	why := l.desk.Model.CannotTune()
	kit.Able(l.onoff, why == "")
	if why == "" {
		why = liveAbout
	}
	l.note.Set(why)
}

// tuningLine shows what live tuning measures and found, and the actions for its points.
type tuningLine struct {
	desk   *desk.Desk
	status *kit.Text
	layout *wordsAndButtonsLayout
	body   *fyne.Container // the status and the buttons
	save   *kit.Button
	clear  *kit.Button
	undo   *kit.Button
	keep   *kit.Button
	ab     *kit.Button
	object *fyne.Container
}

func newTuningLine(d *desk.Desk) *tuningLine {
	l := &tuningLine{desk: d, status: kit.NewBody("", 6)}
	l.save = kit.NewButton("Save Run", d.SaveTuning)
	l.clear = kit.NewButton("Clear Points", d.ClearTuning)
	l.undo = kit.NewButton("Undo", d.RestoreTuning)
	l.keep = kit.NewButton(keepName, d.KeepTuning)
	l.ab = kit.NewButton("A/B Test", d.CompareTuning)
	l.layout = &wordsAndButtonsLayout{}
	l.body = container.New(l.layout, l.status, l.keep, l.ab, l.save, l.clear, l.undo)
	l.object = kit.NewPanel(l.body, tuningPad)
	return l
}

const (
	tuningPad = 9
	keepName  = "Keep as Baseline"
	dropName  = "Drop Baseline"
)

// setWidth sets the line's future width, so that its minimum height is right before it is laid out.
func (l *tuningLine) setWidth(width float32) { l.layout.width = width - 2*tuningPad }

// wordsAndButtonsLayout puts buttons beside a text, which gets room for at least three lines, or below it if the text would have
// too little.
type wordsAndButtonsLayout struct{ width float32 }

const (
	buttonGap  = 6
	minWords   = 200 // width, at 100 %
	tuningRows = 3
)

// split returns the width of the text, and the minimum size of the buttons; below means that they are below the text.
func (l *wordsAndButtonsLayout) split(o []fyne.CanvasObject, width float32) (words float32, buttons fyne.Size, below bool) {
	for _, b := range o[1:] {
		if b.Visible() {
			minSize := b.MinSize()
			buttons = fyne.NewSize(buttons.Width+buttonGap+minSize.Width, max(buttons.Height, minSize.Height))
		}
	}
	words = width - buttons.Width
	if buttons.Width == 0 || words >= kit.Scaled(minWords) {
		return words, buttons, false
	}
	bar := &barLayout{width: width}
	return width, bar.MinSize(o[1:]), true
}

func (l *wordsAndButtonsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	words, buttons, below := l.split(o, max(1, l.width))
	height := o[0].(*kit.Text).HeightFor(words)
	if below {
		return fyne.NewSize(100, height+buttonGap+buttons.Height)
	}
	return fyne.NewSize(100, max(kit.LinesLayout{Lines: tuningRows}.MinSize(o[:1]).Height, height, buttons.Height))
}

func (l *wordsAndButtonsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	words, buttons, below := l.split(o, size.Width)
	height := o[0].(*kit.Text).HeightFor(words)
	if below {
		put(o[0], 0, 0, words, height)
		(&barLayout{}).Layout(o[1:], fyne.NewSize(size.Width, buttons.Height))
		for _, b := range o[1:] {
			b.Move(b.Position().AddXY(0, height+buttonGap))
		}
		return
	}
	put(o[0], 0, max(0, (size.Height-height)/2), words, height)
	x := size.Width - buttons.Width
	for _, b := range o[1:] {
		if minSize := b.MinSize(); b.Visible() {
			put(b, x+buttonGap, (size.Height-minSize.Height)/2, minSize.Width, minSize.Height)
			x += buttonGap + minSize.Width
		}
	}
}

// update redraws the line, and reports whether it appeared, disappeared or changed its height.
func (l *tuningLine) update() bool {
	before := l.object.MinSize().Height
	t := l.desk.Model.Tuning()
	kit.Show(l.save, len(t.Points) > 0)
	kit.Able(l.save, t.Unsaved > 0 && l.desk.Model.Busy() == nil)
	kit.Show(l.clear, len(t.Points) > 0)
	kit.Show(l.undo, len(t.Cleared) > 0)
	kit.Show(l.keep, t.Newest != nil)
	kit.Show(l.ab, t.Kept != nil && t.Newest != nil && !t.Keeps(t.Newest))
	kit.Able(l.ab, l.desk.Model.Busy() == nil && (t.AB == nil || t.AB.Done))
	name := keepName
	if t.Keeps(t.Newest) {
		name = dropName
	}
	if l.keep.Text != name {
		l.keep.SetText(name)
	}
	name = "Undo"
	if l.undo.Visible() && len(t.Points) > 0 { // the text beside it does not say what
		name = "Undo Clear"
	}
	if l.undo.Text != name {
		l.undo.SetText(name)
	}
	words, color := tuningText(l.desk.Model, t)
	l.status.SetColored(words, color)
	on := words != ""
	came := on != l.object.Visible()
	kit.Show(l.object, on)
	l.object.Refresh() // a different text and different buttons share the line again
	return came || l.object.MinSize().Height != before
}

// tuningText returns the status of live tuning; empty: none.
func tuningText(m *desk.Model, t *desk.Tuning) (string, fyne.ThemeColorName) {
	switch {
	case t.Asked != nil || t.Next != nil:
		return movingText(m, t), theme.ColorNameForeground
	case t.AB != nil:
		return t.AB.Sentence(m.Workload()), theme.ColorNameForeground
	case t.Failure != "":
		return "Not measured: " + t.Failure, theme.ColorNameWarning
	case t.Saved != "":
		return t.Saved, theme.ColorNameForeground
	case t.Newest == nil && len(t.Cleared) > 0:
		return si.Counted(len(t.Cleared), "point") + " cleared.", theme.ColorNameForeground
	case t.Newest == nil:
		return "", theme.ColorNameForeground
	}
	words, ok := t.Newest.Sentence(m.Workload())
	if !ok {
		return words, theme.ColorNameError
	}
	switch {
	case t.Keeps(t.Newest):
		words += " This is the baseline."
	case t.Kept != nil:
		words += " " + t.Newest.Against(m.Workload(), t.Kept, "the baseline")
	}
	return words, theme.ColorNameForeground
}

// movingText says what is being measured, or will be when the control rests, and the last value.
func movingText(m *desk.Model, t *desk.Tuning) string {
	of := t.Next
	words := "Next: "
	if of == nil {
		of, words = t.Asked, "Measuring "
	}
	words += settingWords(m, t, of) + "…"
	if t.Newest != nil {
		if last := view.TunedShort(m.Workload(), t.Newest); last != "" {
			words += " Last: " + last + "."
		}
	}
	return words
}

// settingWords describes the setting being measured: "512 rows (Largest matrix)", "128 units (MLP width) at 64 items (Largest
// batch)".
func settingWords(m *desk.Model, t *desk.Tuning, r *app.TuneRequest) string {
	w, err := workloads.Find(m.Workloads, r.Workload)
	if err != nil {
		return r.Moved
	}
	last := ""
	if t.Newest != nil {
		last = t.Newest.Place
	}
	words := valueWords(w, r, r.Moved)
	if _, place, err := w.Narrow(r.Params, r.Moved, last); err == nil && place != "" && place != r.Moved {
		words += " at " + valueWords(w, r, place)
	}
	return words
}

// valueWords states the value of a parameter in a request, with its unit and title.
func valueWords(w *workloads.Workload, r *app.TuneRequest, name string) string {
	p, err := w.Param(name)
	if err != nil {
		return name
	}
	switch v := r.Params[name].(type) {
	case int:
		return fmt.Sprintf("%s (%s)", workloads.WithUnit(si.Count(v), p.Unit), p.Title)
	case bool:
		if v {
			return p.Title + " on"
		}
		return p.Title + " off"
	default:
		return p.Title + " " + workloads.WithUnit(fmt.Sprint(v), p.Unit)
	}
}
