// Package kernelspage is the page of all kernels: which engines run them, their arguments and their source.
package kernelspage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
)

// kernelsPage is one of three parts: a filter, a list of kernels, and below it the details of the chosen one beside its source; what
// tuning found; or the compiled kernels on disk.
type kernelsPage struct {
	desk    *desk.Desk
	kernels []app.KernelInfo
	asked   string            // the engine asked last, by name; empty: none
	support app.KernelSupport // its answer
	failed  error             // why it could not answer
	bests   bests             // in the runs

	about  *kit.Text
	filter *kit.FormBar
	list   *list
	detail *detail
	source *source
	hint   *kit.Text         // below the list
	body   *fyne.Container   // the list and what is below
	none   fyne.CanvasObject // instead of it
	parts  *kit.Segments
	all    *fyne.Container // the part with all kernels
	cache  *cacheView
	tuned  *tunedView
	yours  *yours
	graphs *graphs
	full   *fyne.Container
}

// The parts.
const (
	partKernels = iota
	partYours
	partGraphs
	partTuned
	partCache
)

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: p.full, Update: p.update, Find: p.find}
}

func newPage(d *desk.Desk) *kernelsPage {
	p := &kernelsPage{desk: d, kernels: d.Session.Kernels.List(), about: kit.NewCaption("", 2), hint: kit.NewCaption("", 1)}
	p.filter = kit.NewFormBar([]kit.Field{
		{Name: "words", Title: "Filter: any word of a name or a description"},
		{Name: "family", Title: "All families", Kind: kit.ChoiceField},
		{Name: "type", Title: "All types", Kind: kit.ChoiceField},
		{Name: "engine", Title: "Next engine", Kind: kit.ChoiceField},
		{Name: "runs", Title: "Only what runs", Kind: kit.SwitchField},
	}, p.refilter)
	p.list = newList(p)
	p.detail, p.source = newDetail(), newSource(d)
	card := kit.NewPanel(p.list.Object, 1)
	upper := container.NewBorder(nil, kit.Inset(p.hint, 2, 2), nil, nil, card)
	lower := container.New(kit.SplitLayout{Part: 0.38, Gap: 10, Side: 760}, p.detail.object, p.source.object)
	p.body = container.New(&kit.WeightedLayout{Weights: []float32{1, 1.5}, Gap: 8},
		container.New(kit.FixedSize{Height: 130}, upper), container.New(kit.FixedSize{Height: 190}, lower))
	words := kit.NewBody("No kernel matches. Clear the filter to see them all.", 2)
	words.Align, words.Color = fyne.TextAlignCenter, kit.ColorSecondary
	p.none = kit.Middle(words)
	p.all = container.New(kit.HeadedLayout{Gap: 10}, p.filter.Object, kit.StackOf(p.body, p.none))
	p.cache = newCacheView(d)
	p.tuned = newTunedView(d)
	p.yours = newYours(d)
	p.graphs = newGraphs(d)
	p.parts = kit.NewSegments(p.choosePart, "Kernels", "Yours", "Graphs", "Tuned", "Disk Cache")
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, kit.NewFlow(2, kit.NewTitle("Kernels"), p.about), p.parts.Object)
	parts := kit.StackOf(p.all, p.yours.object, p.graphs.object, p.tuned.object, p.cache.object)
	p.full = kit.Inset(container.New(kit.HeadedLayout{Gap: 8}, head, parts), 18, 14)
	p.showPart(partKernels)
	p.offer()
	p.list.explain(nil)
	return p
}

// find looks for a text in the source if the source has the keyboard focus, and otherwise for a kernel.
func (p *kernelsPage) find() bool {
	focused := p.desk.Window.Canvas().Focused()
	switch {
	case p.all.Visible() && p.source.code.Has(focused):
		p.source.code.Find()
	case p.all.Visible():
		p.desk.Window.Canvas().Focus(p.filter.Inputs[0].Entry)
	case p.tuned.object.Visible():
		p.desk.Window.Canvas().Focus(p.tuned.filter.Inputs[0].Entry)
	case p.yours.object.Visible():
		p.yours.front().Find()
	case p.graphs.object.Visible():
		p.graphs.text.Find()
	case p.cache.object.Visible():
		p.desk.Window.Canvas().Focus(p.cache.filter.Inputs[0].Entry)
	}
	return true
}

// choosePart shows one of the parts, brought up to date.
func (p *kernelsPage) choosePart(i int) {
	p.showPart(i)
	switch i {
	case partTuned:
		p.tuned.list()
	case partCache:
		p.cache.list(false)
	}
	p.full.Refresh()
}

func (p *kernelsPage) showPart(i int) {
	p.parts.Show(i)
	kit.Show(p.all, i == partKernels)
	kit.Show(p.tuned.object, i == partTuned)
	kit.Show(p.yours.object, i == partYours)
	kit.Show(p.graphs.object, i == partGraphs)
	kit.Show(p.cache.object, i == partCache)
}

// offer fills the filter's menus with the kernels' properties.
func (p *kernelsPage) offer() {
	var families, types []string
	for i := range p.kernels {
		families = append(families, p.kernels[i].Family)
		types = append(types, typesOf(&p.kernels[i])...)
	}
	p.filter.Offer("family", kit.ChoicesOf(unique(families)))
	p.filter.Offer("type", kit.ChoicesOf(unique(types)))
}

// unique removes duplicates.
func unique(all []string) []string {
	var list []string
	for _, s := range all {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// update redraws what changed.
func (p *kernelsPage) update(c desk.Change) {
	if c.Has(desk.ChangedEngines) {
		p.filter.Offer("engine", availableEngines(p.desk))
		p.asked = "" // an engine may have been reopened, on another device
	}
	if c.Has(desk.ChangedEngines | desk.ChangedChoice) {
		p.ask()
	}
	if c.Has(desk.ChangedEngines | desk.ChangedLook) {
		p.refill()
	}
	if c.Has(desk.ChangedLibrary | desk.ChangedRun | desk.ChangedChoice) {
		p.readBests()
	}
	p.tuned.update(c)
	p.yours.update(c)
	p.graphs.update(c)
	p.cache.update(c)
}

// availableEngines are the engines that a menu offers.
func availableEngines(d *desk.Desk) []kit.Choice {
	var list []kit.Choice
	for _, e := range d.Model.Engines {
		if e.Available {
			list = append(list, kit.Choice{Value: e.Name, Title: e.Title})
		}
	}
	return list
}

// engineOf returns the engine to ask: the one that the filter's menu picks, or that of the next run; empty: not yet known.
func engineOf(d *desk.Desk, filter *kit.FormBar) string {
	if name := filter.Choice("engine"); name != "" {
		return name
	}
	if e := d.Model.NextEngine(); e != nil {
		return e.Name
	}
	return ""
}

// ask asks the engine what it runs, unless it was asked already.
func (p *kernelsPage) ask() {
	name := engineOf(p.desk, p.filter)
	if name == p.asked {
		return
	}
	p.asked = name
	if name == "" {
		p.support, p.failed = app.KernelSupport{}, nil
		return
	}
	kernels := p.desk.Session.Kernels
	p.desk.Background(func() func() {
		support, err := kernels.Support(name) // this may open it
		return func() {
			if name == p.asked {
				p.support, p.failed = support, err
				p.refill()
			}
		}
	})
}

// refilter applies a change of the filter, which may name another engine.
func (p *kernelsPage) refilter() {
	p.ask()
	p.refill()
}

// refill lists the kernels that match the filter.
func (p *kernelsPage) refill() {
	var picked []app.KernelInfo
	for i := range p.kernels {
		if p.picks(&p.kernels[i]) {
			picked = append(picked, p.kernels[i])
		}
	}
	p.list.SetItems(picked)
	kit.Show(p.body, len(picked) > 0)
	kit.Show(p.none, len(picked) == 0)
	kit.Show(p.filter.Input("runs").Check, p.known())
	words := si.Counted(len(p.kernels), "implementation")
	if len(picked) != len(p.kernels) {
		words = si.Count(len(picked)) + " of " + words
	}
	p.filter.Tell(words)
	p.about.SetColored(p.aboutText())
	p.take(p.list.Chosen())
	p.full.Refresh()
}

// known reports whether it is known what the engine runs.
func (p *kernelsPage) known() bool { return p.support.Engine != "" && p.failed == nil }

// picks reports whether a kernel matches the filter.
func (p *kernelsPage) picks(k *app.KernelInfo) bool {
	if family := p.filter.Choice("family"); family != "" && family != k.Family {
		return false
	}
	if t := p.filter.Choice("type"); t != "" && !slices.Contains(typesOf(k), t) {
		return false
	}
	if p.filter.On("runs") && p.known() && len(p.support.Runs(k)) == 0 {
		return false
	}
	text := p.list.text(k)
	return !slices.ContainsFunc(p.filter.Words(), func(word string) bool { return !strings.Contains(text, word) })
}

// aboutText says what is listed, and how much of it the engine runs.
func (p *kernelsPage) aboutText() (string, fyne.ThemeColorName) {
	all, runs := 0, 0
	var operations []string
	for i := range p.kernels {
		operations = append(operations, p.kernels[i].Operation)
		all += len(p.kernels[i].Kernels)
		runs += len(p.support.Runs(&p.kernels[i]))
	}
	words := si.Counted(len(unique(operations)), "operation") + ", " + si.Counted(all, "kernel") + ". "
	switch {
	case p.failed != nil:
		return words + "What the engine runs is not known: " + p.failed.Error() + ".", theme.ColorNameError
	case !p.known():
		return words + "The engines are still being looked for.", kit.ColorSecondary
	case runs == all:
		return words + p.support.Title + " runs them all.", kit.ColorSecondary
	}
	return words + p.support.Title + " runs " + si.Count(runs) + " of them.", kit.ColorSecondary
}

// take shows the chosen kernel; nil: none.
func (p *kernelsPage) take(k *app.KernelInfo) {
	if k == nil {
		return
	}
	var support *app.KernelSupport
	if p.known() {
		support = &p.support
	}
	p.detail.show(k, support, &p.bests)
	p.source.show(k)
}
