package machinepage

import (
	"fmt"

	"fyne.io/fyne/v2/theme"

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
	proving
	desk  *desk.Desk
	table *kit.Table[controlRow]
}

func newControls(d *desk.Desk) *controls {
	v := &controls{desk: d}
	v.table = kit.NewTable([]kit.Column[controlRow]{
		{Title: "Control", About: "The fault that is injected.", Cell: func(r *controlRow) kit.TableCell { return kit.TableCell{Text: r.title} }},
		{Title: "Outcome", About: "Whether Assay noticed it, and nothing else.", Shaped: true, Always: true, Cell: controlState},
		{Title: "Name", About: "Its name for assay run.", Drop: 1, Cell: func(r *controlRow) kit.TableCell {
			return kit.TableCell{Text: r.name, Color: kit.ColorSecondary}
		}},
	}, 1)
	v.table.Key = func(r *controlRow) string { return r.name }
	v.table.OnItem = func(*controlRow) { v.explainChosen() }
	v.proving = newProving(v.table.Object, d.SelfCheck, d.StopRun)
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

// rows returns all controls with the results of the newest check: while it runs, those before the one in progress have ended.
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
	v.explainChosen()
	v.tell(&s)
}

// explainChosen says what the chosen control showed.
func (v *controls) explainChosen() {
	title, saw := "", ""
	if r := v.table.Chosen(); r != nil {
		title = r.title
		if r.checked != nil {
			saw = plain.Text(r.checked.Why)
		}
	}
	v.explain(title, saw, "Choose a control to see what it found.")
}

// tell shows the current state.
func (v *controls) tell(s *desk.SelfCheck) {
	busy := v.desk.Model.Busy()
	own := busy != nil && busy == s.Outcome
	words, color := "Runs every control for a second or a few each. The run is kept like any other.", kit.ColorSecondary
	switch {
	case own:
		words = "The controls are in progress."
	case busy != nil:
		words = "A run is in progress: the controls wait until it is over."
	case s.Refused != "":
		words, color = "Cannot run the controls: "+plain.Text(s.Refused)+".", theme.ColorNameError
	case s.Outcome == nil:
	case s.Verdict == app.CheckPassed:
		words, color = "All controls passed: Assay detects here what it is made to detect.", theme.ColorNameSuccess
	case s.Verdict == app.CheckFailed:
		words, color = fmt.Sprintf("%s failed: do not rely on results from this device with this build.", si.Counted(v.count(s, app.CheckFailed), "control")), theme.ColorNameError
	default:
		words, color = fmt.Sprintf("%s could not decide: run them again on a quiet machine.", si.Counted(v.count(s, app.CheckOpen), "control")), theme.ColorNameWarning
	}
	v.stand(words, color, own, busy == nil && len(workloads.Controls(v.desk.Model.Workloads)) > 0)
}

func (v *controls) count(s *desk.SelfCheck, verdict string) (n int) {
	for i := range s.Controls {
		if s.Controls[i].Verdict == verdict {
			n++
		}
	}
	return n
}
