package machinepage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// controlRow is a control and what it showed.
type controlRow struct {
	name, title string
	running     bool
	checked     *app.Checked // nil: not run yet
}

// controls is the list of what Assay must notice, and whether it did.
type controls struct {
	desk   *desk.Desk
	table  *kit.Table[controlRow]
	about  *kit.Text
	chosen *kit.Text
	all    *kit.Button
	stop   *kit.Button
	object *fyne.Container
}

func newControls(d *desk.Desk) *controls {
	v := &controls{desk: d, about: kit.NewBody("", 2), chosen: kit.NewBody("", 4)}
	v.table = kit.NewTable([]kit.Column[controlRow]{
		{Title: "Control", About: "What is made to go wrong.", Cell: func(r *controlRow) kit.TableCell { return kit.TableCell{Text: r.title} }},
		{Title: "Outcome", About: "Whether Assay noticed it, and nothing else.", Shaped: true, Always: true, Cell: controlState},
		{Title: "Name", About: "Its name for assay run.", Drop: 1, Cell: func(r *controlRow) kit.TableCell {
			return kit.TableCell{Text: r.name, Color: kit.ColorSecondary}
		}},
	}, 1)
	v.table.Key = func(r *controlRow) string { return r.name }
	v.table.OnItem = func(*controlRow) { v.explain() }
	v.all = kit.NewButtonWithIcon("Run All", theme.MediaPlayIcon(), d.SelfCheck)
	v.all.Importance = widget.HighImportance
	v.stop = kit.NewButtonWithIcon("Stop", theme.MediaStopIcon(), d.StopRun)
	v.stop.Hide()
	tools := container.New(kit.ScaledWidth{Width: 110}, kit.StackOf(v.all, v.stop))
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, v.about, tools)
	body := kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtBottom, kit.Inset(container.New(kit.LinesLayout{Lines: 4}, v.chosen), 2, 6))
	v.object = container.New(kit.HeadedLayout{Gap: 10}, head, body)
	v.show()
	return v
}

func controlState(r *controlRow) kit.TableCell {
	switch {
	case r.running:
		return kit.TableCell{Text: "Running", Icon: theme.NewPrimaryThemedResource(theme.ViewRefreshIcon())}
	case r.checked == nil:
		return kit.TableCell{Text: "Not run", Color: kit.ColorSecondary}
	case r.checked.Verdict == app.CheckPassed:
		return kit.TableCell{Text: "Passed", Icon: theme.NewSuccessThemedResource(theme.ConfirmIcon())}
	case r.checked.Verdict == app.CheckFailed:
		return kit.TableCell{Text: "Failed", Icon: theme.NewErrorThemedResource(theme.ErrorIcon())}
	}
	return kit.TableCell{Text: "Could not decide", Icon: theme.NewWarningThemedResource(theme.QuestionIcon())}
}

// rows are all controls as the newest check has them: while it goes on, those before the one in progress have ended.
func (v *controls) rows(s *desk.SelfCheck) []controlRow {
	var rows []controlRow
	ended := s.Outcome != nil
	for i, w := range workloads.Controls(v.desk.Model.Workloads) {
		r := controlRow{name: w.Name, title: w.Title}
		busy := s.Outcome != nil && s.Outcome.Phase.Busy()
		if r.running = busy && s.Current == w.Name; r.running || busy && s.Current == "" {
			ended = false
		}
		if ended && i < len(s.Controls) {
			r.checked = &s.Controls[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// show lists the controls again.
func (v *controls) show() {
	s := v.desk.Model.SelfCheck()
	v.table.SetItems(v.rows(&s))
	v.explain()
	v.tell(&s)
}

// explain says what the chosen control showed.
func (v *controls) explain() {
	r := v.table.Chosen()
	switch {
	case r == nil:
		v.chosen.SetColored("Choose a control to see what was seen.", kit.ColorSecondary)
	case r.checked == nil:
		v.chosen.SetColored(r.title+": not run yet.", kit.ColorSecondary)
	default:
		v.chosen.SetColored(r.title+": "+plain.Text(r.checked.Why)+".", theme.ColorNameForeground)
	}
}

// tell says how things stand.
func (v *controls) tell(s *desk.SelfCheck) {
	busy := v.desk.Model.Busy()
	own := busy != nil && busy == s.Outcome
	words, color := "A run of every control, of a second or a few each. It is kept as any other run.", kit.ColorSecondary
	switch {
	case own:
		words = "The controls are in progress."
	case busy != nil:
		words = "A run is in progress: the controls wait until it is over."
	case s.Refused != "":
		words, color = "Cannot run the controls: "+plain.Text(s.Refused)+".", theme.ColorNameError
	case s.Outcome == nil:
	case s.Verdict == app.CheckPassed:
		words, color = "All controls passed: what Assay is made to detect is detected here.", theme.ColorNameSuccess
	case s.Verdict == app.CheckFailed:
		words, color = fmt.Sprintf("%s failed: do not rely on results of this device with this build.", si.Counted(v.count(s, app.CheckFailed), "control")), theme.ColorNameError
	default:
		words, color = fmt.Sprintf("%s could not decide: run them again on a quiet machine.", si.Counted(v.count(s, app.CheckOpen), "control")), theme.ColorNameWarning
	}
	kit.Trade(v.all, v.stop, own)
	kit.Able(v.all, busy == nil && len(workloads.Controls(v.desk.Model.Workloads)) > 0)
	v.about.SetColored(words, color)
}

func (v *controls) count(s *desk.SelfCheck, verdict string) (n int) {
	for i := range s.Controls {
		if s.Controls[i].Verdict == verdict {
			n++
		}
	}
	return n
}
