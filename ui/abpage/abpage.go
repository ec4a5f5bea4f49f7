// Package abpage is the page that compares two configurations of a workload alternately: which is faster, and from what size on.
package abpage

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/plain"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// abPage has what is compared and how on the left, and the outcome on the right.
type abPage struct {
	desk     *desk.Desk
	able     []*workloads.Workload // the workloads with single points
	workload *kit.Select
	asking   *kit.Segments // which of the two questions
	parts    *kit.Segments // A, B, or how
	start    *kit.Button
	stop     *kit.Button
	about    *kit.Text
	copy     *kit.Button // makes a side like the other
	find     *kit.Button // finds the variants
	sides    [2]*side
	hows     [2]*how // by question
	outcome  *outcome
	object   fyne.CanvasObject

	of      *workloads.Workload
	cancel  context.CancelFunc // of the measurement in progress; nil: none
	finding bool               // it only looks for variants
	refused string             // why the last one failed
}

// Questions that can be asked.
const (
	whichIsFaster = iota
	whereIsCrossing
)

// Parts of the left side.
const (
	partA = iota
	partB
	partHow
)

const (
	workloadChoice = "ab.workload"
	questionChoice = "ab.question"
)

func questions() []string { return []string{"Which Is Faster", "Crossover"} }

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: p.object, Update: p.update}
}

func newPage(d *desk.Desk) *abPage {
	p := &abPage{desk: d, about: kit.NewCaption("", 3), outcome: newOutcome(d)}
	var titles []string
	for i := range d.Model.Workloads {
		if w := &d.Model.Workloads[i]; w.Tunable() {
			p.able, titles = append(p.able, w), append(titles, w.Title)
		}
	}
	p.workload = kit.NewSelect(titles, func(string) { p.take(p.able[max(0, p.workload.SelectedIndex())]) })
	p.asking = kit.NewSegments(p.ask, questions()...)
	p.parts = kit.NewSegments(p.showPart, "A", "B", "How")
	p.start = kit.NewButtonWithIcon("Start", theme.MediaPlayIcon(), p.begin)
	p.start.Importance = widget.HighImportance
	p.stop = kit.NewButtonWithIcon("Stop", theme.MediaStopIcon(), p.end)
	p.stop.Hide()
	p.copy = kit.NewButton("", p.copySide)
	p.find = kit.NewButton("Find Variants", p.findVariants)
	for i, name := range []string{"A", "B"} {
		p.sides[i] = newSide(d, name, p.edited)
	}
	p.hows[whichIsFaster], p.hows[whereIsCrossing] = newHow(d, abFields(), p.edited), newHow(d, crossFields(), p.edited)
	p.object = p.layout()
	p.take(p.remembered())
	p.ask(d.Settings.Choice(questionChoice, questions()...))
	p.outcome.kept.read()
	return p
}

// layout arranges the page.
func (p *abPage) layout() fyne.CanvasObject {
	tools := kit.Row(10, p.asking.Object, container.New(kit.ScaledWidth{Width: 96}, kit.StackOf(p.start, p.stop)))
	head := container.New(&kit.ToolsLayout{MinWidth: 260}, kit.NewFlow(2, kit.NewTitle("A/B"), p.about), tools)
	choice := kit.Stack(6, container.NewBorder(nil, nil, nil, p.parts.Object, p.workload), kit.Row(8, p.copy, p.find))
	forms := kit.StackOf(p.sides[0].object, p.sides[1].object, p.hows[0].form.Object, p.hows[1].form.Object)
	left := container.New(kit.HeadedLayout{Gap: 8}, choice, forms)
	body := container.New(kit.SplitLayout{Part: 0.37, Gap: 12, Side: 640, Min: 326}, left, p.outcome.object)
	return kit.Inset(container.New(kit.HeadedLayout{Gap: 10}, head, body), 18, 14)
}

// remembered is the workload compared last, or the one chosen on the Run page.
func (p *abPage) remembered() *workloads.Workload {
	name, ok := p.desk.Settings.Kept(workloadChoice)
	if !ok {
		name = p.desk.Model.Workload().Name
	}
	if i := slices.IndexFunc(p.able, func(w *workloads.Workload) bool { return w.Name == name }); i >= 0 {
		return p.able[i]
	}
	if len(p.able) == 0 {
		return nil
	}
	return p.able[0]
}

// take compares configurations of another workload from now on, beginning with the settings of the Run page.
func (p *abPage) take(w *workloads.Workload) {
	if w == nil || w == p.of {
		return
	}
	if p.of != nil {
		p.desk.Settings.SetChoice(workloadChoice, w.Name)
	}
	p.of = w
	p.workload.Selected = w.Title
	p.workload.Refresh()
	for _, s := range p.sides {
		s.take(w)
	}
	p.hows[whereIsCrossing].offer(w)
	p.tell()
}

// ask chooses the question, and shows first what it needs: what to search along, or what differs.
func (p *abPage) ask(i int) {
	p.desk.Settings.SetChoice(questionChoice, questions()[i])
	p.asking.Show(i)
	p.showPart([]int{whichIsFaster: partA, whereIsCrossing: partHow}[i])
}

// showPart shows A's settings, B's, or how to measure.
func (p *abPage) showPart(i int) {
	p.parts.Show(i)
	for k, s := range p.sides {
		kit.Show(s.object, i == k)
	}
	for k, h := range p.hows {
		kit.Show(h.form.Object, i == partHow && p.asking.At == k)
	}
	kit.Show(p.copy, i != partHow)
	kit.Show(p.find, i != partHow)
	if i == partB {
		p.copy.SetText("Same as A")
	} else {
		p.copy.SetText("Same as B")
	}
	p.object.Refresh()
	p.tell()
}

// copySide makes the visible side like the other.
func (p *abPage) copySide() {
	to, from := p.sides[0], p.sides[1]
	if p.parts.At == partB {
		to, from = from, to
	}
	to.form.Set(from.form.Values())
	to.check()
}

// update redraws what changed.
func (p *abPage) update(c desk.Change) {
	if c.Has(desk.ChangedEngines) {
		for _, s := range p.sides {
			s.offerEngines()
		}
	}
	if c.Has(desk.ChangedLook) {
		p.outcome.redraw()
	}
	if c.Has(desk.ChangedEngines | desk.ChangedRun | desk.ChangedLook) {
		p.tell()
	}
}

// problem says why nothing can be measured now; empty: it can.
func (p *abPage) problem() string {
	switch {
	case p.of == nil:
		return "No workload has single settings to compare."
	case p.desk.Model.Busy() != nil:
		return "A run is in progress, which a comparison would disturb."
	}
	for _, s := range p.sides {
		if _, err := s.request(); err != nil {
			return s.name + ": " + plain.Capitalized(p.of.Explain(err)) + "."
		}
	}
	if err := p.hows[p.asking.At].form.Err(); err != nil {
		return "How: " + plain.Capitalized(err.Error()) + "."
	}
	if odd := p.hows[p.asking.At].conflict(); odd != "" {
		return "How: " + odd + "."
	}
	return ""
}

// tell says what is compared, or why it cannot be, and which of the buttons can be pressed.
func (p *abPage) tell() {
	if p.object == nil {
		return // the page is being built
	}
	problem, color := p.problem(), kit.ColorSecondary
	busy := p.cancel != nil
	kit.Trade(p.start, p.stop, busy)
	kit.Able(p.start, problem == "")
	kit.Able(p.find, problem == "" && !busy)
	kit.Able(p.workload, !busy)
	p.outcome.kept.able(!busy)
	words := problem
	switch {
	case busy && p.finding:
		words = "Measuring once to find the variants."
	case busy:
		words = "Measuring alternately: A B B A. Nothing else is measured meanwhile."
	case problem == "" && p.refused != "":
		words, color = p.refused, theme.ColorNameError
	case problem == "":
		words = difference(p.of, p.sides[0], p.sides[1])
	}
	if words != p.about.Content || color != p.about.Color {
		p.about.SetColored(words, color)
		p.object.Refresh() // the head may need another line
	}
}

// edited follows a change of the settings, to which an earlier failure no longer applies.
func (p *abPage) edited() {
	p.refused = ""
	p.tell()
}

// end stops the measurement in progress.
func (p *abPage) end() {
	if p.cancel != nil {
		p.cancel()
	}
}

// measure does something that holds the device, in the background. then is called with the reason if it failed; empty if it
// succeeded or was stopped.
func (p *abPage) measure(do func(context.Context) (then func(why string), err error)) {
	ctx, cancel := context.WithCancel(p.desk.Life())
	p.cancel, p.refused = cancel, ""
	p.tell()
	p.desk.Background(func() func() {
		then, err := do(ctx)
		stopped := ctx.Err() != nil
		cancel()
		return func() {
			p.cancel, p.finding = nil, false
			why := ""
			if err != nil && !stopped {
				why = plain.Capitalized(plain.Text(p.explained(err))) + "."
			}
			then(why)
			p.tell()
		}
	})
}

// explained returns an error in words.
func (p *abPage) explained(err error) string {
	if errors.Is(err, app.ErrBusy) {
		return "a run began, which ended the comparison"
	}
	return p.of.Explain(err)
}

// plan returns what the page asks for.
func (p *abPage) plan() app.ABPlan {
	plan := app.ABPlan{Workload: p.of.Name}
	plan.A, _ = p.sides[0].request() // problem has tried both
	plan.B, _ = p.sides[1].request()
	p.hows[p.asking.At].into(&plan)
	return plan
}

// begin measures.
func (p *abPage) begin() {
	if p.problem() != "" || p.cancel != nil {
		return
	}
	plan := p.plan()
	if err := plan.InPrograms(); err != nil {
		p.refused = plain.Capitalized(err.Error()) + "."
		p.tell()
		return
	}
	p.outcome.begin(p.of, [2]string{p.sides[0].build(), p.sides[1].build()})
	if p.asking.At == whereIsCrossing {
		p.beginCrossover(plan)
		return
	}
	tuner, version := p.desk.Session.Tuner, p.desk.Session.Version()
	asked := [2]any{p.sides[0].measuredBy(), p.sides[1].measuredBy()}
	p.measure(func(ctx context.Context) (func(string), error) {
		r, err := tuner.AB(ctx, plan, func(r *app.ABResult) { p.desk.Post(func() { p.outcome.showAB(r, true) }) })
		keep := func() {}
		if r != nil && len(r.Takes) >= 4 { // at least one whole round
			keep = p.outcome.kept.keep(r.Record(p.outcome.kept.now(), version, err))
		}
		return func(why string) {
			p.learnMain(r, asked)
			p.outcome.endAB(r, err, why)
			keep()
		}, err
	})
}

func (p *abPage) beginCrossover(plan app.ABPlan) {
	cross := p.hows[whereIsCrossing].cross(plan)
	tuner, version := p.desk.Session.Tuner, p.desk.Session.Version()
	p.measure(func(ctx context.Context) (func(string), error) {
		r, err := tuner.Crossover(ctx, cross, func(r *app.CrossResult) { p.desk.Post(func() { p.outcome.showCross(r, true) }) })
		keep := func() {}
		if r != nil && len(r.Points) > 0 {
			keep = p.outcome.kept.keep(r.Record(p.outcome.kept.now(), version, err))
		}
		return func(why string) { p.outcome.endCross(r, err, why); keep() }, err
	})
}

// learnMain tells the sides which variant was the main one, unless they ask for something else by now.
func (p *abPage) learnMain(r *app.ABResult, asked [2]any) {
	if r == nil {
		return
	}
	for i, s := range p.sides {
		if reflect.DeepEqual(asked[i], s.measuredBy()) {
			s.learnMain(r.First(s.name).Variant)
		}
	}
}

// findVariants measures the visible side once and offers its variants, on the other side too if that would be measured the same
// way.
func (p *abPage) findVariants() {
	at := min(p.parts.At, partB)
	s, other := p.sides[at], p.sides[1-at]
	side, err := s.request()
	if err != nil || p.cancel != nil {
		return
	}
	p.finding = true
	tuner, name := p.desk.Session.Tuner, p.of.Name
	p.measure(func(ctx context.Context) (func(string), error) {
		names, err := tuner.Variants(ctx, name, side)
		return func(why string) {
			if p.refused = why; err == nil {
				s.offerVariants(names)
				if reflect.DeepEqual(s.measuredBy(), other.measuredBy()) {
					other.offerVariants(names)
				}
			}
		}, err
	})
}
