// Package historypage is the page of saved runs, where users find, label, open, delete and replay them.
package historypage

import (
	"fmt"
	"runtime"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// historyPage is a list of runs above the details of the chosen one.
type historyPage struct {
	desk   *desk.Desk
	about  *kit.Text
	search *kit.Entry
	undo   *undoStrip
	list   *list
	chosen *chosen
	hint   *kit.Text // below the list
	none   *nothing  // instead of the list and the details
	full   *fyne.Container
	body   *fyne.Container // the list, and the details of a run
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: p.full, Update: p.update, Subject: p.chosen.subject, Left: p.chosen.labels.leave}
}

func newPage(d *desk.Desk) *historyPage {
	p := &historyPage{desk: d, about: kit.NewCaption("", 2), hint: kit.NewCaption("", 1)}
	p.search = kit.NewEntry()
	p.search.PlaceHolder = "Search: any word or date"
	p.search.OnChanged = func(string) { p.refill() }
	p.undo = newUndoStrip(d)
	p.list = newList(p)
	p.chosen = newChosen(p)
	p.none = newNothing(func() { d.Show(desk.PageRun) })
	head := container.New(headLayout{}, kit.NewFlow(2, kit.NewTitle("History"), p.about), p.search, p.tools())
	card := kit.NewPanel(p.list.Object, 1)
	upper := container.NewBorder(nil, kit.Inset(p.hint, 2, 2), nil, nil, card)
	p.body = container.New(&kit.WeightedLayout{Weights: []float32{1, 1.55}, Gap: 8},
		container.New(kit.FixedSize{Height: 130}, upper), p.chosen.object)
	below := kit.StackOf(p.body, p.none.object)
	p.full = kit.Inset(container.New(kit.HeadedLayout{Gap: 10}, kit.NewFlow(8, head, p.undo.object), below), 18, 14)
	p.list.explain(nil)
	return p
}

// tools are the controls for the folder of runs.
func (p *historyPage) tools() fyne.CanvasObject {
	return kit.Row(8, kit.NewButton("Refresh", p.desk.ReadLibrary), kit.NewButton("Show Folder", p.desk.ShowRuns))
}

// fileManager ends a sentence with this system's name for it.
func fileManager(begin string) string {
	if runtime.GOOS == "darwin" {
		return begin + "Finder"
	}
	return begin + "File Manager"
}

// update redraws what changed. The list is read again when the page comes to the front.
func (p *historyPage) update(c desk.Change) {
	if c == desk.ChangedAll {
		p.desk.ReadLibrary()
	} else if c.Has(desk.ChangedTick) {
		p.desk.FollowLibrary()
	}
	if c.Has(desk.ChangedLibrary | desk.ChangedLook) {
		if p.undo.update(&p.desk.Model.Runs) {
			p.full.Refresh()
		}
		p.refill()
	}
	if c.Has(desk.ChangedShown | desk.ChangedRun | desk.ChangedLibrary) {
		p.chosen.update()
	}
}

// refill lists the runs that the search finds.
func (p *historyPage) refill() {
	p.fillList()
	p.chooseWanted()
	p.about.Set(p.aboutText())
	p.tellNone()
	p.chosen.setRun(p.list.Chosen())
}

func (p *historyPage) fillList() { p.list.setRuns(p.desk.Model.Runs.List, p.search.Text) }

// chooseWanted chooses the run that was opened last, once it is listed.
func (p *historyPage) chooseWanted() {
	r := &p.desk.Model.Runs
	listed := func(s bundle.Summary) bool { return s.Dir == r.Wanted }
	if slices.ContainsFunc(r.List, listed) {
		p.list.SetChosen(r.Wanted)
		r.Wanted = ""
	}
}

// aboutText says what is listed.
func (p *historyPage) aboutText() string {
	r := &p.desk.Model.Runs
	folder := view.Homely(p.desk.Library.Dir())
	switch {
	case !r.Known:
		return "Reading the runs in " + folder + readSoFar(r)
	case r.Err != nil:
		return "Cannot read the runs in " + folder + "."
	}
	var bytes int64
	elsewhere := 0
	for i := range r.List {
		if r.List[i].Elsewhere {
			elsewhere++
		} else {
			bytes += r.List[i].Size
		}
	}
	words := fmt.Sprintf("%s, %s in %s", si.Counted(len(r.List)-elsewhere, "run"), view.Quantity(float64(bytes), "B"), folder)
	if elsewhere > 0 {
		words += fmt.Sprintf("; %d opened from elsewhere", elsewhere)
	}
	if n := p.list.Rows(); n != len(r.List) {
		words = fmt.Sprintf("%d of ", n) + words
	}
	return words
}

// readSoFar is how many of the runs were read, if that takes long.
func readSoFar(r *desk.Runs) string {
	if r.Read == 0 {
		return ""
	}
	return fmt.Sprintf(": %d of %d", r.Read, r.All)
}

// tellNone shows why there is no row, and what to do.
func (p *historyPage) tellNone() {
	r := &p.desk.Model.Runs
	kit.Show(p.body, p.list.Rows() > 0)
	kit.Show(p.none.object, p.list.Rows() == 0)
	switch {
	case p.list.Rows() > 0:
	case !r.Known:
		p.none.set("Reading the runs"+readSoFar(r), "", false)
	case r.Err != nil:
		p.none.set("The runs cannot be read", r.Err.Error()+". Fix that and press Refresh.", false)
	case len(r.List) > 0:
		p.none.set("No matching runs", "Searches ID, workloads, engine, device, state, "+
			"tags, note and date.", false)
	default:
		p.none.set("No runs yet", "Runs are kept here with their results and readings.", true)
	}
}

// open shows the results of a run.
func (p *historyPage) open(s *bundle.Summary) {
	p.desk.LoadRun(s.Dir, p.desk.OpenRun)
}

// headLayout is a title on the left, tools on the right, and a search between them.
type headLayout struct{}

const (
	headGap   = 14
	maxSearch = 460
)

// words returns the width of the title, and as wide the width of the search.
func (headLayout) words(o []fyne.CanvasObject, width float32) (words, wide float32) {
	rest := width - o[2].MinSize().Width - 2*headGap
	wide = min(kit.Scaled(maxSearch), rest*0.55)
	return rest - wide, wide
}

// HeightFor is the height at a width.
func (l headLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	words, _ := l.words(o, width)
	return max(kit.HeightFor(o[0], words), o[1].MinSize().Height, o[2].MinSize().Height)
}

func (l headLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(560, l.HeightFor(o, max(560, o[0].Size().Width+o[1].Size().Width+o[2].Size().Width+2*headGap)))
}

func (l headLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	tools, search := o[2].MinSize(), o[1].MinSize()
	words, wide := l.words(o, size.Width)
	o[0].Resize(fyne.NewSize(words, size.Height))
	o[0].Move(fyne.Position{})
	o[1].Resize(fyne.NewSize(wide, search.Height))
	o[1].Move(fyne.NewPos(words+headGap, (size.Height-search.Height)/2))
	o[2].Resize(tools)
	o[2].Move(fyne.NewPos(size.Width-tools.Width, (size.Height-tools.Height)/2))
}
