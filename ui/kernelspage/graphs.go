package kernelspage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/editor"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/ui/view"
	"assay/workloads"
)

// graphs is the part about op graphs: a text in an editor, and beside it the drawing, the plan, and what a run found.
type graphs struct {
	desk    *desk.Desk
	saved   string // the text as on disk, or as in the example
	path    string // of the file; a bare name: of an example
	asked   int    // counts sketches: the last one is shown
	sketch  *app.GraphSketch
	problem *app.GraphProblem

	name, state *kit.Text
	example     *kit.Select
	save, run   *kit.Button
	text, plan  *editor.Pane
	sides       *kit.Segments
	drawing     *graphDrawing
	results     *graphResults
	quiet       bool // while the menu is cleared
	object      *fyne.Container
}

// The sides.
const (
	sideDrawing = iota
	sidePlan
	sideResults
)

func newGraphs(d *desk.Desk) *graphs {
	g := &graphs{desk: d, name: kit.NewHeading("").Lines(1), state: kit.NewCaption("", 3), drawing: newGraphDrawing(), results: newGraphResults(d)}
	e := editor.New(editor.OpGraph(app.GraphOperations()), func(text string) { d.Copy("The text was", text) })
	e.Canvas, e.Hints, e.OnChanged = d.Window.Canvas(), d.Hints, g.edited
	g.text = editor.NewPane(e)
	p := editor.New(nil, func(text string) { d.Copy("The plan was", text) })
	p.Canvas, p.ReadOnly = d.Window.Canvas(), true
	g.plan = editor.NewPane(p)
	g.sides = kit.NewSegments(g.showSide, "Drawing", "Plan", "Results")
	side := container.New(kit.HeadedLayout{Gap: 8}, kit.Row(0, g.sides.Object), kit.StackOf(g.drawing.object, g.plan.Object, g.results.object))
	panels := container.New(kit.SplitLayout{Part: 0.42, Gap: 10, Side: 700}, kit.NewPanel(g.text.Object, 12),
		container.New(kit.FixedSize{Height: 190}, kit.NewPanel(side, 12)))
	g.object = container.New(kit.HeadedLayout{Gap: 8}, g.tools(), panels)
	first := app.GraphExamples()[0]
	g.load(first.Name, first.Text)
	g.showSide(sideDrawing)
	return g
}

// tools are the row above the panels.
func (g *graphs) tools() fyne.CanvasObject {
	var names []string
	examples := app.GraphExamples()
	for _, e := range examples {
		names = append(names, e.Title)
	}
	g.example = kit.NewSelect(names, func(string) {
		i := g.example.SelectedIndex()
		if g.quiet || i < 0 {
			return
		}
		g.quiet = true
		g.example.ClearSelected()
		g.quiet = false
		g.leave("Open "+examples[i].Title, func() {
			g.load(examples[i].Name, examples[i].Text)
			g.desk.Say(examples[i].Title + ": " + examples[i].About)
		})
	})
	g.example.PlaceHolder = "New from"
	open := kit.NewButtonWithIcon("Open…", theme.FolderOpenIcon(), g.open)
	g.save = kit.NewButtonWithIcon("Save", theme.DocumentSaveIcon(), g.saveAs)
	g.run = kit.NewButtonWithIcon("Run", theme.MediaPlayIcon(), g.start)
	return container.New(&kit.ToolsLayout{MinWidth: 200}, kit.NewFlow(2, g.name, g.state), kit.Row(8, g.example, open, g.save, g.run))
}

// showSide shows the drawing, the plan or the results.
func (g *graphs) showSide(i int) {
	g.sides.Show(i)
	kit.Show(g.drawing.object, i == sideDrawing)
	kit.Show(g.plan.Object, i == sidePlan)
	kit.Show(g.results.object, i == sideResults)
	if g.object != nil {
		g.object.Refresh()
	}
}

// load shows a text.
func (g *graphs) load(path, text string) {
	g.path, g.saved, g.sketch, g.problem = path, text, nil, nil
	g.text.SetText(text)
	g.edited()
}

func (g *graphs) isUnchanged() bool { return g.text.Text() == g.saved }

// edited plans the text in the background, and shows the newest plan.
func (g *graphs) edited() {
	g.asked++
	asked, text := g.asked, g.text.Text()
	g.tell()
	g.desk.Background(func() func() {
		sketch, problem := app.SketchGraph(text)
		return func() {
			if asked == g.asked {
				g.take(sketch, problem)
			}
		}
	})
}

// take shows a plan, or marks what is wrong; while a text is wrong, the last drawing stays.
func (g *graphs) take(sketch *app.GraphSketch, problem *app.GraphProblem) {
	g.problem = problem
	var marks []editor.Mark
	switch {
	case problem != nil && problem.Line > 0:
		marks = append(marks, editor.Mark{Line: problem.Line, Column: problem.Column, Message: problem.Text})
	case sketch != nil:
		g.sketch = sketch
		g.plan.SetText(sketch.Plan)
		g.drawing.show(sketch)
	}
	g.text.SetMarks(marks)
	g.tell()
}

// tell says what is being edited and its state, and what can be done.
func (g *graphs) tell() {
	name := filepath.Base(g.path)
	switch {
	case !g.isUnchanged():
		name += " (edited)"
	case !filepath.IsAbs(g.path):
		name += " (an example)"
	}
	g.name.Set(name)
	g.state.SetColored(g.sentence())
	if g.object == nil {
		return
	}
	kit.Able(g.save, !g.isUnchanged() || !filepath.IsAbs(g.path))
	kit.Able(g.run, g.problem == nil && g.sketch != nil && g.workload() != nil && g.desk.Model.Busy() == nil)
	g.object.Refresh()
}

// sentence says what the plan saves, or what is wrong.
func (g *graphs) sentence() (string, fyne.ThemeColorName) {
	s, p := g.sketch, g.problem
	switch {
	case p != nil && p.Line > 0:
		return "Line " + number(p.Line) + ": " + p.Text + ".", theme.ColorNameError
	case p != nil:
		return plain.Capitalized(p.Text) + ".", theme.ColorNameError
	case s == nil:
		return "Not planned yet.", kit.ColorSecondary
	}
	arrow := func(from, to float64) string { return view.Quantity(from, "B") + " to " + view.Quantity(to, "B") }
	return "Fused: " + si.Count(s.Dispatches[0]) + " to " + workloads.WithUnit(si.Count(s.Dispatches[1]), "dispatches") + ", " + arrow(s.Bytes[0], s.Bytes[1]) +
		" moved (modeled), " + arrow(s.Memory[0], s.Memory[1]) + " of memory for results.", kit.ColorSecondary
}

// workload returns the one that runs graphs; nil: there is none.
func (g *graphs) workload() *workloads.Workload {
	all := g.desk.Model.Workloads
	i := slices.IndexFunc(all, func(w workloads.Workload) bool { return w.Name == app.GraphWorkload })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// update follows runs.
func (g *graphs) update(c desk.Change) {
	if c.Has(desk.ChangedRun | desk.ChangedResults | desk.ChangedProgress | desk.ChangedShown) {
		g.results.show(g.desk.Model.Outcomes[app.GraphWorkload])
	}
	if c.Has(desk.ChangedRun) {
		g.tell()
	}
	if c.Has(desk.ChangedLook) {
		g.drawing.redraw()
	}
}

// start runs the text as it is: an example by its name, any other from a file that is kept.
func (g *graphs) start() {
	text, w := g.text.Text(), g.workload()
	values := w.Defaults(g.desk.Model.Quick)
	values["sizes"] = ""
	examples := app.GraphExamples()
	if i := slices.IndexFunc(examples, func(e app.GraphExample) bool { return e.Text == text }); i >= 0 {
		values["graph"] = examples[i].Name
		g.begin(values)
		return
	}
	name := g.path
	g.desk.Background(func() func() {
		path, err := app.KeepGraph(name, text)
		return func() {
			if err != nil {
				g.desk.Fail("Cannot run the graph", err)
				return
			}
			values["graph"], values["file"] = "file", path
			g.begin(values)
		}
	})
}

func (g *graphs) begin(values workloads.Values) {
	g.showSide(sideResults)
	g.desk.Start(app.GraphWorkload, values)
}

// leave does something that replaces the text, and asks first if an edit would be lost.
func (g *graphs) leave(doing string, then func()) {
	if g.isUnchanged() {
		then()
		return
	}
	g.desk.Ask("The graph in the editor has unsaved changes. They will be lost.", doing, then)
}

// open asks for a file.
func (g *graphs) open() {
	g.leave("Open", func() {
		g.desk.Files.Open(native.Question{Title: "Open an op graph", Types: []string{"graph", "txt"}}, func(path string, err error) {
			if err != nil {
				g.desk.Fail("Cannot open", err)
				return
			}
			g.desk.Background(func() func() {
				text, err := app.ReadGraph(path)
				return func() {
					if err != nil {
						g.desk.Fail("Cannot open "+filepath.Base(path), err)
						return
					}
					g.load(path, text)
				}
			})
		})
	})
}

// saveAs saves the text, and asks where if it is not a file yet.
func (g *graphs) saveAs() {
	if filepath.IsAbs(g.path) {
		g.saveTo(g.path)
		return
	}
	q := native.Question{Title: "Save the graph", Name: strings.TrimSuffix(g.path, ".graph") + ".graph", Types: []string{"graph"}}
	g.desk.Files.Save(q, func(path string, err error) {
		if err != nil {
			g.desk.Fail("Cannot save", err)
			return
		}
		g.saveTo(path)
	})
}

func (g *graphs) saveTo(path string) {
	text := g.text.Text()
	g.desk.Background(func() func() {
		err := os.WriteFile(path, []byte(text), 0o644)
		return func() {
			if err != nil {
				g.desk.Fail("Cannot save", err)
				return
			}
			g.path, g.saved = path, text
			g.desk.Say("Saved " + path + ".")
			g.tell()
		}
	})
}
