package abpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// outcome shows what a comparison has found: the verdict, what was compared, a chart, and the evidence.
type outcome struct {
	desk     *desk.Desk
	verdict  *kit.Text
	sentence *kit.Text
	bar      *kit.Bar
	which    *kit.Segments
	plot     *uichart.Plot
	empty    *kit.Text
	facts    *fyne.Container // A and B
	evidence *kit.Text
	kept     *kept
	object   *fyne.Container

	of     *workloads.Workload
	builds [2]string // names of the programs that measure A and B; empty: this one
	charts []chart.Chart
}

func newOutcome(d *desk.Desk) *outcome {
	o := &outcome{desk: d, verdict: kit.NewHeading("").Lines(2), sentence: kit.NewBody("", 4), bar: kit.NewBar(), plot: uichart.NewPlot(nil), evidence: kit.NewCaption("", 6)}
	o.plot.OnFocus = func() { kit.Reveal(o.plot) }
	o.plot.SetMinSize(fyne.NewSize(300, 140))
	d.Pace(o.plot)
	o.which = kit.NewSegments(func(int) { o.draw() }, "Ratio", "Times")
	o.empty = kit.NewBody("Choose a workload, then what differs between A and B. They are measured alternately, A B B A, so that heat and drift affect both alike.", 4)
	o.empty.Align, o.empty.Color = fyne.TextAlignCenter, kit.ColorSecondary
	o.facts = kit.NewFlow(0)
	head := kit.NewFlow(6, o.verdict, o.sentence, o.bar, o.facts)
	chartPart := kit.StackOf(container.New(kit.HeadedLayout{Gap: 6}, container.NewHBox(o.which.Object), kit.OnPanel(o.plot)), kit.Middle(o.empty))
	o.kept = newKept(d, func(r *app.ABRecord) { o.showRecord(d.Model.Workloads, r) })
	body := container.New(outcomeLayout{}, kit.NewFlow(8, o.kept.object, head), chartPart, o.evidence)
	o.object = kit.NewPanel(body, 14)
	o.clear()
	return o
}

// outcomeLayout is text, a chart that takes the remaining room, and text below; the heights of the texts follow from the width.
type outcomeLayout struct{}

const outcomeGap = 10

// MinSize is part of fyne.Layout.
func (outcomeLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[1].MinSize().Width, o[1].MinSize().Height+kit.Scaled(150))
}

// Layout is part of fyne.Layout.
func (outcomeLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head, foot := kit.HeightFor(o[0], size.Width), kit.HeightFor(o[2], size.Width)
	middle := max(o[1].MinSize().Height, size.Height-head-foot-2*outcomeGap)
	y := float32(0)
	for i, height := range []float32{head, middle, foot} {
		o[i].Move(fyne.NewPos(0, y))
		o[i].Resize(fyne.NewSize(size.Width, height))
		y += height + outcomeGap
	}
}

// clear shows that nothing was measured yet.
func (o *outcome) clear() {
	o.charts, o.of = nil, nil
	o.head("Nothing compared yet", "", kit.ColorSecondary)
	kit.Show(o.bar, false)
	o.evidence.Set("")
	o.facts.Objects = nil
	o.draw()
}

func (o *outcome) head(verdict, sentence string, color fyne.ThemeColorName) {
	o.verdict.SetColored(verdict, color)
	o.say(sentence)
}

func (o *outcome) say(sentence string) {
	o.sentence.Set(sentence)
	kit.Show(o.sentence, sentence != "")
}

// begin shows that a comparison has begun.
func (o *outcome) begin(w *workloads.Workload, builds [2]string) {
	o.clear()
	o.kept.forget()
	o.of, o.builds = w, builds
	o.head("Measuring "+w.Title, "The first round verifies both and warms up.", theme.ColorNameForeground)
	o.bar.Set(0, theme.ColorNamePrimary)
	kit.Show(o.bar, true)
	o.draw()
	o.redraw()
}

// showAB shows a comparison so far, or its result.
func (o *outcome) showAB(r *app.ABResult, running bool) {
	if running {
		done := max(float64(r.Rounds)/float64(r.Wanted), float64(r.Aside)/float64(r.Plan.Rounds))
		o.bar.Set(done, theme.ColorNamePrimary)
		words := "No round was undisturbed so far, so there is no verdict yet."
		if sofar := r.SoFar(); sofar != "" {
			words = "So far " + sofar + "."
		}
		o.head(roundsDone(r), words, theme.ColorNameForeground)
	} else {
		o.conclude(r.Sentence(), r.Verdict)
	}
	if control := r.Control(); control != "" {
		o.say(strings.TrimSpace(o.sentence.Content + " " + plain.Text(control)))
	}
	o.facts.Objects = []fyne.CanvasObject{o.sidesOf(r)}
	o.evidence.Set(evidence(r))
	o.charts = abCharts(r)
	o.draw()
	o.redraw()
}

// roundsDone counts the rounds that count, out of those wanted, and the others.
func roundsDone(r *app.ABResult) string {
	words := fmt.Sprintf("%d of %s", r.Rounds, si.Counted(r.Wanted, "round"))
	if r.Aside > 0 {
		words += fmt.Sprintf(", plus %d disturbed", r.Aside)
	}
	return words
}

// endAB shows how a comparison ended and, if it failed, why. What was measured before an error stays visible.
func (o *outcome) endAB(r *app.ABResult, err error, why string) {
	kit.Show(o.bar, false)
	switch {
	case err == nil:
		o.showAB(r, false)
	case r != nil && len(r.Takes) >= 4:
		o.showAB(r, true)
		kit.Show(o.bar, false)
		words := "No round was undisturbed."
		if sofar := r.SoFar(); sofar != "" {
			words = fmt.Sprintf("After %s: %s. That is not a verdict.", roundsDone(r), sofar)
		}
		o.headEnd(ended(r.Canceled, err), words, why)
	default:
		o.headEnd(ended(r != nil && r.Canceled, err), "", why)
	}
	o.redraw()
}

// headEnd says that there is no verdict, and why.
func (o *outcome) headEnd(verdict, words, why string) {
	color := theme.ColorNameWarning
	if why != "" {
		color = theme.ColorNameError
	}
	o.head(verdict, strings.TrimSpace(why+" "+words), color)
}

func ended(canceled bool, err error) string {
	if canceled || err == nil {
		return "Stopped before the end"
	}
	return "Not finished"
}

// conclude shows a verdict: the part before the colon large, the rest below.
func (o *outcome) conclude(sentence string, verdict stats.Verdict) {
	color := theme.ColorNameForeground
	switch verdict {
	case stats.Faster:
		color = theme.ColorNameSuccess
	case stats.Slower:
		color = theme.ColorNameError
	case stats.Unsure:
		color = theme.ColorNameWarning
	}
	head, rest, _ := strings.Cut(plain.Text(sentence), ": ")
	if rest == "" {
		head = strings.TrimSuffix(head, ".")
	}
	o.head(head, plain.Capitalized(rest), color)
}

// sidesOf shows A and B in columns.
func (o *outcome) sidesOf(r *app.ABResult) fyne.CanvasObject {
	var lines [][]*kit.Text
	for i, name := range []string{"A", "B"} {
		take := r.First(name)
		what := slices.DeleteFunc([]string{take.Case, take.Variant, o.builds[i], r.Engine[i]}, func(s string) bool { return s == "" })
		label, time := kit.NewHeading(name), kit.NewBody(si.Time(r.Time(name)), 1).Whole()
		text := kit.NewBody(plain.Text(strings.Join(what, " · ")), 3)
		lines = append(lines, []*kit.Text{label.Whole(), time, text})
	}
	return kit.NewTexts(lines...)
}

// evidence are the facts that a verdict rests on.
func evidence(r *app.ABResult) string {
	text := "Compared: " + r.Compared() + ". " + r.ClockWords()
	if r.Energy != nil {
		text += " " + plain.Text(r.Energy.Sentence())
	}
	if round, what := r.Disturbance(); what != "" {
		text += fmt.Sprintf(" Round %d was disturbed: %s.", round, plain.Text(what))
	}
	return text
}

// showCross shows a bisection so far, or its result.
func (o *outcome) showCross(r *app.CrossResult, running bool) {
	if running {
		words := "The ends first, then between them."
		if r.Found {
			words = fmt.Sprintf("So far between %s and %s.", si.Count(r.Lo), si.Count(r.Hi))
		}
		o.bar.Set(crossDone(r), theme.ColorNamePrimary)
		o.head(si.Counted(len(r.Points), "place")+" measured", words, theme.ColorNameForeground)
	} else {
		verdict := stats.Same // neither overtakes the other
		switch {
		case r.Found:
			verdict = stats.Faster
		case r.Unsure():
			verdict = stats.Unsure
		}
		o.conclude(r.Sentence(), verdict)
	}
	o.facts.Objects = []fyne.CanvasObject{placesOf(r)}
	o.evidence.Set(fmt.Sprintf("Each place: %s of A B B A. The crossing lies between the last place where one is clearly faster and the first where the other is.",
		si.Counted(r.Plan.Rounds, "round")))
	o.charts = []chart.Chart{crossChart(o.of, r)}
	o.draw()
	o.redraw()
}

// endCross shows how a bisection ended and, if it failed, why.
func (o *outcome) endCross(r *app.CrossResult, err error, why string) {
	kit.Show(o.bar, false)
	switch {
	case r == nil || len(r.Points) == 0:
		o.headEnd(ended(why == "", err), "", why)
	case err != nil:
		o.showCross(r, true)
		kit.Show(o.bar, false)
		o.headEnd(ended(why == "", err), "What was measured is below.", why)
	default:
		o.showCross(r, false)
	}
	o.redraw()
}

// placesOf shows the verdicts by place, in one line.
func placesOf(r *app.CrossResult) fyne.CanvasObject {
	var parts []string
	for i := range r.Points {
		p := &r.Points[i]
		parts = append(parts, si.Count(p.At)+" "+string(p.Verdict))
	}
	return kit.NewCaption("B by place: "+strings.Join(parts, ", ")+".", 4)
}

// draw shows the chosen chart.
func (o *outcome) draw() {
	known := len(o.charts) > 0
	kit.Show(o.empty, !known && o.of == nil) // not while a comparison is in progress, or after it failed
	kit.Show(o.plot, known)
	kit.Show(o.which.Object, len(o.charts) > 1)
	if known {
		o.plot.SetModel(o.charts[min(o.which.At, len(o.charts)-1)].Model)
	}
}

// redraw adjusts to texts that became longer or shorter.
func (o *outcome) redraw() { o.object.Refresh() }

// alongTitle is the title of what a bisection searches along.
func alongTitle(w *workloads.Workload, name string) string {
	if w == nil {
		return name
	}
	if s := w.Sweep(name); s != nil {
		return s.Title
	}
	if p, err := w.Param(name); err == nil {
		return cmp.Or(p.Title, name)
	}
	return name
}
