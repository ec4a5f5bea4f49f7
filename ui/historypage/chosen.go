package historypage

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// chosen shows the chosen run: its facts, actions, labels and charts.
type chosen struct {
	page   *historyPage
	run    *bundle.Summary // nil: none
	name   *kit.Text
	facts  *kit.Text
	why    *kit.Text // why an action is not available
	open   *kit.Button
	pair   *kit.Button       // compares the run with the marked ones, or marks it
	too    *kit.Button       // marks the run too
	marked []*bundle.Summary // to be compared with another
	pin    *kit.Button
	export *kit.Button
	delete *kit.Button
	labels *labels
	replay *replay
	object *fyne.Container
}

func newChosen(p *historyPage) *chosen {
	c := &chosen{page: p, name: kit.NewHeading(""), facts: kit.NewCaption("", 2), why: kit.NewCaption("", 2)}
	c.why.Color = theme.ColorNameWarning
	c.open = kit.NewButton("Open", func() { p.open(c.run) })
	c.open.Importance = widget.HighImportance
	c.pair = kit.NewButton(markName, c.compare)
	c.too = kit.NewButton("Mark Too", c.mark)
	c.too.Hide()
	c.pin = kit.NewButton("Pin as Baseline", c.pinRun)
	c.export = kit.NewButtonWithIcon("Export", theme.MenuDropDownIcon(), c.offerExports)
	c.export.IconPlacement = widget.ButtonIconTrailingText
	folder := kit.NewButton(fileManager("Show in "), func() { p.desk.ShowRunFolder(c.run.Dir) })
	c.delete = kit.NewButton("Move to Trash", c.remove)
	tools := kit.Row(8, c.open, c.pair, c.too, c.pin, c.export, folder, c.delete)
	c.labels = newLabels(p.desk)
	c.replay = newReplay(p.desk)
	head := container.New(&kit.ToolsLayout{MinWidth: 250}, kit.NewFlow(2, c.name, c.facts, c.why), tools)
	middle := container.New(sideLayout{}, c.labels.object, c.replay.object)
	c.object = kit.NewPanel(container.New(kit.HeadedLayout{Gap: 8}, head, middle), 12)
	c.object.Hide()
	return c
}

// setRun shows a run; nil: none is chosen.
func (c *chosen) setRun(s *bundle.Summary) {
	kit.Show(c.object, s != nil)
	if s == nil {
		c.run = nil
		c.replay.show(nil)
		return
	}
	copied := *s
	c.run = &copied
	c.labels.show(c.run)
	c.replay.show(c.run)
	c.update()
}

// update shows which actions are available for the run.
func (c *chosen) update() {
	if c.run == nil {
		return
	}
	s := c.run
	c.name.Set(s.ID)
	c.facts.Set(c.factsOf(s))
	readable := s.State != bundle.Damaged
	pinned := c.page.desk.Model.Showing.Baseline
	name := "Pin as Baseline"
	if pinned != nil && pinned.Dir == s.Dir {
		name = "Unpin Baseline"
	}
	if c.pin.Text != name {
		c.pin.SetText(name)
	}
	name = c.pairName()
	if c.pair.Text != name {
		c.pair.SetText(name)
	}
	comparable := readable && s.State != bundle.Running && s.Watch == ""
	kit.Able(c.pair, comparable)
	kit.Show(c.too, len(c.marked) > 0 && !c.isMarked(s))
	kit.Able(c.too, comparable)
	kit.Able(c.open, readable)
	kit.Able(c.pin, comparable)
	kit.Able(c.export, !c.subject().None())
	kit.Able(c.delete, s.State != bundle.Running && !s.Elsewhere && !c.page.desk.Model.Runs.Moving())
	c.why.Set(whyNot(s))
	c.why.Color = theme.ColorNameWarning
	if told := c.markedText(); told != "" {
		c.why.Set(told)
		c.why.Color = kit.ColorSecondary
	}
	kit.Show(c.why, c.why.Content != "")
	c.object.Refresh()
}

// whyNot says why actions are not available, or what is wrong with the run.
func whyNot(s *bundle.Summary) string {
	switch {
	case s.State == bundle.Running:
		return "Still running: it can be deleted, exported or pinned when it ends."
	case s.State == bundle.Damaged && s.Elsewhere:
		return s.Problem + ". Cannot be opened; show its files."
	case s.State == bundle.Damaged:
		return s.Problem + ". Cannot be opened; show its files or move it to the trash."
	case s.Problem != "":
		return "Incomplete: " + problemOf(s) + "."
	case s.Failure != "":
		return "Failed: " + strings.TrimSuffix(s.Failure, ".") + ". Earlier results are kept."
	case s.State == bundle.CutOff:
		return "Interrupted: the process ended before the run did. Earlier results are kept."
	}
	return ""
}

// factsOf describes the run.
func (c *chosen) factsOf(s *bundle.Summary) string {
	words := desk.StateWords(s)
	if s.Elsewhere {
		words = "In " + view.Homely(filepath.Dir(s.Dir)) + " · " + words
	}
	if d := durationOf(s); d != "" {
		words += " after " + d
	}
	for _, part := range []string{c.page.list.workloads(s), deviceOf(s), resultsOf(s), s.Energy.Short(), originOf(s), versionOf(s), commitOf(s)} {
		if part != "" {
			words += " · " + part
		}
	}
	return words
}

// originOf names the run that results were taken over from, or why the advisor measured it.
func originOf(s *bundle.Summary) string {
	switch {
	case s.Again != "":
		return "continues " + s.Again
	case s.Purpose != "":
		return "for the advisor, " + s.Purpose
	}
	return ""
}

// versionOf is the version of Assay that measured, on one line.
func versionOf(s *bundle.Summary) string {
	if s.Version == "" {
		return ""
	}
	return "Assay\u00a0" + s.Version
}

// commitOf is the git commit of the folder that the run was started in; empty if it is not recorded.
func commitOf(s *bundle.Summary) string {
	if s.Commit == nil {
		return ""
	}
	return "commit\u00a0" + s.Commit.String()
}

func resultsOf(s *bundle.Summary) string {
	switch {
	case s.State == bundle.Damaged:
		return ""
	case s.Watch != "" && s.Leaks == 0:
		return "no leak"
	case s.Watch != "":
		return si.Counted(s.Leaks, "leak")
	}
	words := fmt.Sprintf("%s, %d correct", si.Counted(s.Results, "result"), s.Verified)
	for _, n := range []struct {
		n     int
		words string
	}{{s.Disturbed, "disturbed"}, {s.Failed, "wrong"}, {s.Errors, "with errors"}, {s.Unsupported, "not supported"}} {
		if n.n > 0 {
			words += fmt.Sprintf(", %d %s", n.n, n.words)
		}
	}
	if s.Leaks > 0 {
		words += ", " + si.Counted(s.Leaks, "leak")
	}
	return words
}

// Names of the button that compares two runs.
const (
	markName   = "Mark to Compare"
	unmarkName = "Unmark"
)

func (c *chosen) pairName() string {
	switch n := len(c.marked); {
	case n == 0:
		return markName
	case c.isMarked(c.run):
		return unmarkName
	case n > 1:
		return fmt.Sprintf("Compare %s", si.Counted(n+1, "Run"))
	}
	return "Compare with " + shortID(c.marked[0])
}

// compare marks the run, or compares it with the marked ones: of two runs, the earlier is the baseline.
func (c *chosen) compare() {
	switch n := len(c.marked); {
	case n == 0 || c.isMarked(c.run):
		c.mark()
		return
	case n > 1:
		c.compareMany(append(slices.Clone(c.marked), c.run))
		return
	}
	base, run := c.marked[0], c.run
	if begun(run).Before(begun(base)) {
		base, run = run, base
	}
	c.setMarked(nil)
	d := c.page.desk
	d.LoadRun(base.Dir, func(r *bundle.Run) {
		was := d.Model.Showing.Baseline
		d.PinBaseline(r)
		d.LoadRun(run.Dir, func(r *bundle.Run) {
			d.ShowRun(r)
			d.Show(desk.PageResults)
			if was != nil && was.Dir != base.Dir {
				d.Offer("Run "+shortID(base)+" of "+dateOf(base)+" is the baseline now.", func() { d.PinBaseline(was) })
			}
		})
	})
}

// pinRun pins the run as the baseline, or unpins it.
func (c *chosen) pinRun() {
	d := c.page.desk
	if b := d.Model.Showing.Baseline; b != nil && b.Dir == c.run.Dir {
		d.PinBaseline(nil)
		return
	}
	id := c.run.ID
	d.LoadRun(c.run.Dir, func(r *bundle.Run) {
		d.PinBaseline(r)
		d.Say("Comparing results with " + id + ".")
	})
}

// remove moves the run to the trash.
func (c *chosen) remove() {
	if c.run != nil && c.run.State != bundle.Running && !c.run.Elsewhere {
		c.page.desk.DeleteRun(c.run)
	}
}

// subject is the run to export: the chosen one, if it has ended and can be read.
func (c *chosen) subject() desk.Subject {
	if c.run == nil || c.run.State == bundle.Damaged || c.run.State == bundle.Running {
		return desk.Subject{}
	}
	return desk.Subject{Dir: c.run.Dir}
}

// offerExports offers the formats below the button.
func (c *chosen) offerExports() {
	c.page.desk.OfferExports(c.subject(), c.export)
}

// sideLayout puts a narrow column beside the rest.
type sideLayout struct{}

const sideWidth = 270

func (sideLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(kit.Scaled(sideWidth)+300, max(o[0].MinSize().Height, 120))
}

func (sideLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	side := kit.Scaled(sideWidth)
	o[0].Move(fyne.Position{})
	o[0].Resize(fyne.NewSize(side, size.Height))
	o[1].Move(fyne.NewPos(side+16, 0))
	o[1].Resize(fyne.NewSize(size.Width-side-16, size.Height))
}

// sameLabels reports whether two runs have the same labels.
func sameLabels(a, b bundle.Labels) bool { return a.Note == b.Note && slices.Equal(a.Tags, b.Tags) }
