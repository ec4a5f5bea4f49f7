package kernelspage

import (
	"context"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/editor"
	"assay/ui/kit"
)

// yours is the part with the user's own kernel: its source and description in editors, errors below them; beside them the
// description as a form, or what was found.
type yours struct {
	desk    *desk.Desk
	service desk.PlaygroundService
	saved   app.OwnKernel // as on disk, or as in the example
	path    string        // of the description
	report  *app.OwnReport
	entries []string // of the source, as last compiled
	doing   string   // what is in progress: "Check" and so on; empty: nothing
	checked int      // counts requested checks: the last one is shown
	stop    context.CancelFunc
	recheck bool        // the text changed while something was in progress
	refit   bool        // fitting was requested meanwhile
	timer   *time.Timer // of the next check
	// noCompiling ends compiling.
	noCompiling context.CancelFunc
	draft       app.OwnKernel // as kept for the next window
	keeping     bool          // it is being written
	cannotKeep  bool          // which was reported

	name, state      *kit.Text
	example, broken  *kit.Select
	save, suit       *kit.Button
	engine, sweep    *kit.Select
	act              map[string]*kit.Button
	halt             *kit.Button
	source, describe *editor.Pane
	texts, sides     *kit.Segments
	form             *form
	results          *results
	problems         *kit.Table[app.OwnProblem]
	listed           *fyne.Container // the problems
	quiet            bool            // while menus are updated
	object           *fyne.Container
}

// What can be done with a kernel, by the names of the buttons.
const (
	doCheck   = "Check"
	doRun     = "Run"
	doTime    = "Time"
	doCompare = "Compare…"
)

func newYours(d *desk.Desk) *yours {
	y := &yours{
		desk: d, service: d.Session.Own, name: kit.NewHeading("").Lines(1), state: kit.NewCaption("", 2), act: map[string]*kit.Button{},
		noCompiling: func() {},
	}
	y.source = y.newPane(editor.MSL())
	y.describe = y.newPane(editor.TOML())
	y.form = newForm(y.set)
	y.results = newResults(d)
	y.problems = y.newProblems()
	y.texts = kit.NewSegments(y.showText, "Source", "Description")
	y.sides = kit.NewSegments(y.showSide, "Form", "Results")
	y.object = container.New(kit.HeadedLayout{Gap: 8}, y.tools(), y.panels())
	y.restore()
	y.showText(0)
	y.showSide(0)
	return y
}

func (y *yours) newPane(l *editor.Language) *editor.Pane {
	e := editor.New(l, func(text string) { y.desk.Copy("The text was", text) })
	e.Canvas, e.Hints, e.OnChanged = y.desk.Window.Canvas(), y.desk.Hints, y.edited
	return editor.NewPane(e)
}

// tools are the rows above the editors.
func (y *yours) tools() fyne.CanvasObject {
	y.example = y.newMenu("New from", y.service.Templates())
	y.broken = y.newMenu("Broken examples", y.service.Gallery())
	open := kit.NewButtonWithIcon("Open…", theme.FolderOpenIcon(), y.open)
	y.save = kit.NewButtonWithIcon("Save", theme.DocumentSaveIcon(), y.saveAs)
	y.engine = kit.NewSelect(nil, func(string) { y.remember() })
	y.sweep = kit.NewSelect([]string{oneSize}, nil)
	for name, do := range map[string]func(){doCheck: y.check, doRun: func() { y.start(doRun) }, doTime: func() { y.start(doTime) }, doCompare: y.compare} {
		y.act[name] = kit.NewButton(name, do)
	}
	y.act[doCompare].Text = doCompare
	y.halt = kit.NewButtonWithIcon("Stop", theme.MediaStopIcon(), y.cancel)
	y.halt.Hide()
	files := kit.Row(8, y.example, y.broken, open, y.save)
	acts := kit.Row(8, y.act[doCheck], y.act[doRun], y.act[doTime], y.sweep, y.act[doCompare], y.engine, y.halt)
	head := container.New(&kit.ToolsLayout{MinWidth: 200}, kit.NewFlow(2, y.name, y.state), files)
	return kit.NewFlow(8, head, acts)
}

// newMenu returns a menu of examples to start from.
func (y *yours) newMenu(title string, list []app.OwnExample) *kit.Select {
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	var s *kit.Select
	s = kit.NewSelect(names, func(string) {
		i := s.SelectedIndex()
		if y.quiet || i < 0 {
			return
		}
		y.quiet = true
		s.ClearSelected()
		y.quiet = false
		y.leave("Open "+list[i].Name, func() {
			y.load(list[i].Files)
			y.desk.Say(list[i].Name + ": " + list[i].About + ".")
		})
	})
	s.PlaceHolder = title
	return s
}

// panels are the editors and what is beside them.
func (y *yours) panels() fyne.CanvasObject {
	y.listed = kit.Inset(container.New(kit.FixedSize{Height: 96}, y.problems.Object), 0, 0)
	y.listed.Hide()
	find := kit.NewButtonWithIcon("Find", theme.SearchIcon(), func() { y.front().Find() })
	y.suit = kit.NewButton("Fit to Source", y.fit)
	head := container.NewBorder(nil, nil, y.texts.Object, kit.Row(8, y.suit, find))
	text := container.New(kit.HeadedLayout{Gap: 8}, head, kit.Edged(kit.StackOf(y.source.Object, y.describe.Object), kit.AtBottom, y.listed))
	side := container.New(kit.HeadedLayout{Gap: 8}, kit.Row(0, y.sides.Object), kit.StackOf(y.form.object, y.results.object))
	return container.New(kit.SplitLayout{Part: 0.6, Gap: 10, Side: 700}, kit.NewPanel(text, 12), container.New(kit.FixedSize{Height: 190}, side))
}

// newProblems is the list of what is wrong.
func (y *yours) newProblems() *kit.Table[app.OwnProblem] {
	t := kit.NewTable([]kit.Column[app.OwnProblem]{
		{Title: "Line", Number: true, Shaped: true, Always: true, Cell: y.lineCell, Order: func(a, b *app.OwnProblem) int { return a.Line - b.Line }},
		{Title: "What", Cell: func(p *app.OwnProblem) kit.TableCell {
			return kit.TableCell{Text: string(p.Kind), Color: kit.ColorSecondary}
		}},
		{Title: "Message", Cell: func(p *app.OwnProblem) kit.TableCell { return kit.TableCell{Text: worded(p)} }, Min: 120},
	}, 1)
	t.OnItem = y.goTo
	return t
}

// worded is a problem with the key that it is about.
func worded(p *app.OwnProblem) string {
	if p.Key != "" {
		return p.Key + ": " + p.Message
	}
	return p.Message
}

// showText shows the source or the description.
func (y *yours) showText(i int) {
	y.texts.Show(i)
	kit.Show(y.source.Object, i == 0)
	kit.Show(y.describe.Object, i == 1)
	kit.Show(y.suit, i == 1)
	y.object.Refresh()
}

// front returns the visible editor.
func (y *yours) front() *editor.Pane {
	if y.describe.Object.Visible() {
		return y.describe
	}
	return y.source
}

// showSide shows the form or the results.
func (y *yours) showSide(i int) {
	y.sides.Show(i)
	kit.Show(y.form.object, i == 0)
	kit.Show(y.results.object, i == 1)
	y.object.Refresh()
}

// kernel is the kernel as it is in the editors.
func (y *yours) kernel() app.OwnKernel {
	return app.OwnKernel{Path: y.path, Description: y.describe.Text(), Source: y.source.Text()}
}

// load shows a kernel.
func (y *yours) load(k app.OwnKernel) {
	y.cancel()
	y.saved, y.path, y.report, y.entries = k, k.Path, nil, nil
	y.source.SetText(k.Source)
	y.describe.SetText(k.Description)
	y.results.clear()
	y.changed()
	y.later(0)
}

// isSaved reports whether the kernel on disk is the one in the editors.
func (y *yours) isSaved() bool { return y.isUnchanged() && filepath.IsAbs(y.path) }

func (y *yours) isUnchanged() bool { return y.kernel() == y.saved }

// update reacts to changes elsewhere.
func (y *yours) update(c desk.Change) {
	if c.Has(desk.ChangedEngines) {
		y.offerEngines()
	}
	if c.Has(desk.ChangedRun) {
		if y.desk.Model.Busy() != nil {
			y.noCompiling()
		}
		y.tell()
		y.able()
		y.idle()
	}
}

// offerEngines lists where kernels can run, with the one that was last chosen.
func (y *yours) offerEngines() {
	var titles []string
	at, kept := 0, ""
	kept, _ = y.desk.Settings.Kept("own engine")
	for i, e := range y.service.Engines() {
		titles = append(titles, e.Title)
		if e.Name == kept {
			at = i
		}
	}
	y.quiet = true
	y.engine.SetOptions(titles)
	y.engine.SetSelectedIndex(at)
	y.quiet = false
}

// remember keeps the chosen engine.
func (y *yours) remember() {
	if !y.quiet {
		y.desk.Settings.SetChoice("own engine", y.chosenEngine())
	}
}

func (y *yours) chosenEngine() string {
	if i := y.engine.SelectedIndex(); i >= 0 {
		return y.service.Engines()[i].Name
	}
	return ""
}
