package machinepage

import (
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2/theme"

	"assay/app/drill"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
)

// drillRow is a drill and what it showed.
type drillRow struct {
	drill.Drill
	running bool
	outcome *drill.Outcome // nil: not run yet
}

// drills is the list of faults, and the outcome of each.
type drills struct {
	proving
	desk   *desk.Desk
	rows   []drillRow
	table  *kit.Table[drillRow]
	cancel context.CancelFunc // of those in progress; nil: none
	asked  []string           // the names of these
}

// Widths at 100 % of columns whose cells fill one by one while drills run: the others must not move with them.
const (
	outcomeWidth = 112
	tookWidth    = 52
)

func newDrills(d *desk.Desk) *drills {
	v := &drills{desk: d}
	for _, one := range drill.All() {
		v.rows = append(v.rows, drillRow{Drill: one})
	}
	v.table = kit.NewTable(v.columns(), 1)
	v.table.Key = func(r *drillRow) string { return r.Name }
	v.table.OnItem = func(*drillRow) { v.explainChosen() }
	v.proving = newProving(v.table.Object, func() { v.run(v.rows) }, v.end)
	v.show()
	return v
}

func (v *drills) columns() []kit.Column[drillRow] {
	return []kit.Column[drillRow]{
		{Title: "Fault", About: "What goes wrong.", Cell: func(r *drillRow) kit.TableCell { return kit.TableCell{Text: r.Title} }},
		{Title: "Outcome", About: "Whether Assay reported it, lost nothing, and worked afterward.", Width: outcomeWidth, Cell: drillState},
		{Title: "Took", About: "How long the drill took.", Number: true, Width: tookWidth, Cell: func(r *drillRow) kit.TableCell {
			if r.outcome == nil {
				return kit.TableCell{}
			}
			return kit.TableCell{Text: si.Time(r.outcome.Took.Seconds()), Color: kit.ColorSecondary}
		}},
		{Title: "Name", About: "Its name for assay drill.", Drop: 1, Cell: func(r *drillRow) kit.TableCell {
			return kit.TableCell{Text: r.Name, Color: kit.ColorSecondary}
		}},
		{Action: &kit.Action[drillRow]{Name: "Run", Able: func(*drillRow) bool { return v.able() == "" }, Do: func(r *drillRow) { v.run([]drillRow{*r}) }}},
	}
}

func drillState(r *drillRow) kit.TableCell {
	switch {
	case r.running:
		return kit.TableCell{Text: "Running", Icon: theme.NewPrimaryThemedResource(theme.ViewRefreshIcon())}
	case r.outcome == nil:
		return kit.TableCell{Text: "Not run", Color: kit.ColorSecondary}
	case r.outcome.Missing != "":
		return kit.TableCell{Text: "Not available", Color: kit.ColorSecondary}
	case r.outcome.Pass:
		return kit.TableCell{Text: "Recovered", Icon: theme.NewSuccessThemedResource(theme.ConfirmIcon())}
	}
	return kit.TableCell{Text: "Failed", Icon: theme.NewErrorThemedResource(theme.ErrorIcon())}
}

// able says why no drill can start now; empty: one can.
func (v *drills) able() string {
	switch {
	case v.cancel != nil:
		return "Drills are in progress."
	case v.desk.Model.Busy() != nil:
		return "A run is in progress: drills wait until it is over."
	}
	return ""
}

// show lists the drills again.
func (v *drills) show() {
	v.table.SetItems(v.rows)
	v.explainChosen()
	v.tell()
}

// explainChosen says what the chosen drill showed.
func (v *drills) explainChosen() {
	title, saw := "", ""
	if r := v.table.Chosen(); r != nil {
		title = r.Title
		if r.outcome != nil {
			saw = plain.Text(r.outcome.Saw)
		}
	}
	v.explain(title, saw, "Choose a drill to see what happened.")
}

// drillCount counts drills by outcome.
type drillCount struct{ passed, failed, missing, all int }

func (c drillCount) done() int { return c.passed + c.failed + c.missing }

// count counts the rows with those names; nil: all.
func (v *drills) count(names []string) (c drillCount) {
	for i := range v.rows {
		if names != nil && !slices.Contains(names, v.rows[i].Name) {
			continue
		}
		c.all++
		switch o := v.rows[i].outcome; {
		case o == nil:
		case o.Missing != "":
			c.missing++
		case o.Pass:
			c.passed++
		default:
			c.failed++
		}
	}
	return c
}

// inProgress says how far drills are: "4 of 11 drills done, all recovered".
func (c drillCount) inProgress() string {
	words := fmt.Sprintf("%d of %s done", c.done(), si.Counted(c.all, "drill"))
	switch {
	case c.failed > 0:
		words += fmt.Sprintf(", %d failed", c.failed)
	case c.passed > 0:
		words += ", all recovered"
	}
	return words + "."
}

// over states the outcome of drills that have ended.
func (c drillCount) over() string {
	words := "Assay recovered in all " + si.Counted(c.passed, "drill") + "."
	switch {
	case c.failed > 0:
		words = fmt.Sprintf("%s of %d failed.", si.Counted(c.failed, "drill"), c.passed+c.failed)
	case c.passed < c.all:
		words = fmt.Sprintf("Assay recovered in every drill that was run: %d of %d.", c.passed, c.all)
	}
	if c.missing > 0 {
		words += fmt.Sprintf(" Not available here: %d.", c.missing)
	}
	return words
}

// tell shows the current state.
func (v *drills) tell() {
	words, color := "Each injects one fault into a small run, in a separate process and a temporary folder.", kit.ColorSecondary
	c := v.count(nil)
	if v.cancel != nil {
		c = v.count(v.asked)
	}
	if c.failed > 0 {
		color = theme.ColorNameError
	}
	switch why := v.able(); {
	case v.cancel != nil:
		words = c.inProgress()
	case why != "":
		words, color = why, kit.ColorSecondary
	case c.done() > 0:
		words = c.over()
	}
	v.stand(words, color, v.cancel != nil, v.able() == "")
}

// engine returns the engine of the next run.
func (v *drills) engine() string {
	if e := v.desk.Model.NextEngine(); e != nil {
		return e.Name
	}
	return "auto"
}

// run runs drills, one after another.
func (v *drills) run(which []drillRow) {
	if v.able() != "" {
		return
	}
	ctx, cancel := context.WithCancel(v.desk.Life())
	v.cancel = cancel
	names := make([]string, len(which))
	for i := range which {
		names[i] = which[i].Name
	}
	v.asked = names
	for i := range v.rows {
		if r := &v.rows[i]; slices.Contains(names, r.Name) {
			r.outcome = nil // from the previous run
		}
	}
	service, engine := v.desk.Session.Drills, v.engine()
	v.show()
	v.desk.Background(func() func() {
		defer cancel()
		for _, name := range names {
			if ctx.Err() != nil {
				break
			}
			v.desk.Post(func() { v.set(name, true, nil) })
			o := service.Run(ctx, name, engine)
			stopped := ctx.Err() != nil
			v.desk.Post(func() {
				if stopped {
					v.set(name, false, nil)
					return
				}
				v.set(name, false, &o)
			})
		}
		return func() {
			v.cancel, v.asked = nil, nil
			v.show()
		}
	})
}

// set records the state of a drill.
func (v *drills) set(name string, running bool, o *drill.Outcome) {
	for i := range v.rows {
		if r := &v.rows[i]; r.Name == name {
			r.running, r.outcome = running, o
		}
	}
	v.show()
}

// end stops the drill in progress; no other one starts.
func (v *drills) end() {
	if v.cancel != nil {
		v.cancel()
	}
}
