package runpage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// liveSwitch turns live tuning on and off, and says why it cannot be.
type liveSwitch struct {
	desk   *desk.Desk
	onoff  *kit.Switch
	note   *kit.Text
	object fyne.CanvasObject
}

const liveAbout = "A setting that you move is measured at once, briefly, and adds a hollow point to the chart."

func newLiveSwitch(d *desk.Desk) *liveSwitch {
	l := &liveSwitch{desk: d, onoff: kit.NewSwitch(d.SetLive), note: kit.NewCaption("", 2)}
	l.onoff.On = d.Model.Live
	line := container.NewBorder(nil, nil, nil, l.onoff, kit.NewHeading("Live tuning"))
	l.object = kit.Column(0, line, container.New(kit.LinesLayout{Lines: 2}, l.note))
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

// tuningLine tells what live tuning measures and found, and what to do with its points.
type tuningLine struct {
	desk   *desk.Desk
	status *kit.Text
	room   *wordsLayout // of the status
	save   *kit.Button
	clear  *kit.Button
	undo   *kit.Button
	object *fyne.Container
}

func newTuningLine(d *desk.Desk) *tuningLine {
	l := &tuningLine{desk: d, status: kit.NewBody("", 4), room: &wordsLayout{}}
	l.save = kit.NewButton("Save Run", d.SaveTuning)
	l.clear = kit.NewButton("Clear Points", d.ClearTuning)
	l.undo = kit.NewButton("Undo", d.RestoreTuning)
	buttons := container.NewCenter(kit.Row(6, l.save, l.clear, l.undo))
	words := container.New(l.room, l.status)
	l.object = kit.NewPanel(container.NewBorder(nil, nil, nil, buttons, words), 9)
	return l
}

// wordsLayout gives a text the room of some lines, and puts it in the middle of their height.
type wordsLayout struct{ kit.LinesLayout }

func (*wordsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := o[0].(*kit.Text).HeightFor(size.Width)
	o[0].Resize(fyne.NewSize(size.Width, height))
	o[0].Move(fyne.NewPos(0, max(0, (size.Height-height)/2)))
}

// update redraws the line, and reports whether it came, went or grew.
func (l *tuningLine) update() bool {
	t := l.desk.Model.Tuning()
	kit.Show(l.save, len(t.Points) > 0)
	kit.Able(l.save, t.Unsaved > 0 && l.desk.Model.Busy() == nil)
	kit.Show(l.clear, len(t.Points) > 0)
	kit.Show(l.undo, len(t.Cleared) > 0)
	name, lines := "Undo", 3
	if l.undo.Visible() && len(t.Points) > 0 { // the words beside it do not say of what, and have less room
		name, lines = "Undo Clear", 4
	}
	if l.undo.Text != name {
		l.undo.SetText(name)
	}
	words, color := tuningText(l.desk.Model, t)
	l.status.Lines(lines).SetColored(words, color)
	on := words != ""
	came := on != l.object.Visible()
	kit.Show(l.object, on)
	grew := l.room.Lines != float32(lines)
	l.room.Lines = float32(lines)
	l.object.Refresh() // other words and other buttons share the line anew
	return came || grew
}

// tuningText is what live tuning has to say; empty: nothing.
func tuningText(m *desk.Model, t *desk.Tuning) (string, fyne.ThemeColorName) {
	switch {
	case t.Asked != nil:
		return "Measuring " + settingWords(m, t.Asked) + "…", theme.ColorNameForeground
	case t.Failure != "":
		return "Not measured: " + t.Failure, theme.ColorNameWarning
	case t.Saved != "":
		return t.Saved, theme.ColorNameForeground
	case t.Newest == nil && len(t.Cleared) > 0:
		return view.Counted(len(t.Cleared), "point") + " cleared.", theme.ColorNameForeground
	case t.Newest == nil:
		return "", theme.ColorNameForeground
	}
	words, ok := view.TunedSentence(t.Newest)
	if !ok {
		return words, theme.ColorNameError
	}
	return words, theme.ColorNameForeground
}

// settingWords is the setting that is measured: "512 rows (Largest matrix)".
func settingWords(m *desk.Model, r *app.TuneRequest) string {
	w, err := workloads.Find(m.Workloads, r.Workload)
	if err != nil {
		return r.Moved
	}
	p, err := w.Param(r.Moved)
	if err != nil {
		return r.Moved
	}
	switch v := r.Params[r.Moved].(type) {
	case int:
		return fmt.Sprintf("%s %s (%s)", view.Count(v), p.Unit, p.Title)
	case bool:
		if v {
			return p.Title + " on"
		}
		return p.Title + " off"
	default:
		return fmt.Sprintf("%s %v %s", p.Title, v, p.Unit)
	}
}
