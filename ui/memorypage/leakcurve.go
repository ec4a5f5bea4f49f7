package memorypage

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/internal/severity"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
)

// leakCurve shows the curve of live bytes with the fitted line, and explains it in words.
type leakCurve struct {
	desk    *desk.Desk
	curve   app.LeakCurve
	known   bool
	by      *kit.Segments
	plot    *uichart.Plot
	about   *kit.Text
	chart   *fyne.Container
	empty   *nothing
	verdict *verdict
	told    *kit.Text
	words   *fyne.Container
	object  fyne.CanvasObject
	shown   string // what the plot was drawn from
}

// Choices of the curve's axis.
const (
	byTime = iota
	byIteration
)

func newLeakCurve(d *desk.Desk) *leakCurve {
	c := &leakCurve{desk: d, plot: uichart.NewPlot(nil), verdict: newVerdict()}
	c.plot.OnFocus = func() { kit.Reveal(c.plot) }
	c.plot.SetMinSize(fyne.NewSize(300, 120))
	d.Pace(c.plot)
	c.by = kit.NewSegments(func(int) { c.draw() }, "By Time", "By Iteration")
	c.about = kit.NewCaption("", 4)
	c.told = kit.NewCaption("", 12)
	title := kit.NewFlow(2, kit.NewHeading("Live bytes during a run"), c.about)
	head := container.New(&kit.ToolsLayout{MinWidth: 165}, title, c.by.Object)
	c.words = kit.NewFlow(6, c.verdict.object, c.told)
	c.chart = kit.StackOf(kit.OnPanel(c.plot))
	c.empty = newNothing(gray(kit.PulseIcon()), "")
	body := container.New(curveLayout{}, head, kit.StackOf(c.chart, c.empty.object), c.words)
	c.object = kit.NewPanel(body, 14)
	return c
}

// curveLayout is a head, a chart that takes the remaining room, and text below, whose height follows from the width.
type curveLayout struct{}

const curveGap = 8

func (curveLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	width := max(o[0].MinSize().Width, o[1].MinSize().Width)
	height := o[0].MinSize().Height + o[1].MinSize().Height + 2*curveGap
	return fyne.NewSize(width, height+kit.Scaled(70))
}

func (curveLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head, words := kit.HeightFor(o[0], size.Width), kit.HeightFor(o[2], size.Width)
	plot := max(o[1].MinSize().Height, size.Height-head-words-2*curveGap)
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(size.Width, head))
	o[1].Move(fyne.NewPos(0, head+curveGap))
	o[1].Resize(fyne.NewSize(size.Width, plot))
	o[2].Move(fyne.NewPos(0, head+plot+2*curveGap))
	o[2].Resize(fyne.NewSize(size.Width, words))
}

// update shows the curve of the run in progress, or of the last.
func (c *leakCurve) update() {
	c.curve, c.known = c.desk.Session.Leaks.Curve()
	c.draw()
}

func (c *leakCurve) draw() {
	points := len(c.curve.Points) > 0
	kit.Show(c.chart, points)
	kit.Show(c.by.Object, points)
	kit.Show(c.empty.object, !points)
	if !points {
		c.empty.set(gray(kit.PulseIcon()), "No curve yet", c.emptyText())
	}
	if at := c.state(); at != c.shown {
		c.shown = at
		c.plot.SetModel(c.model())
	}
	if c.tell() {
		c.object.Refresh()
	}
}

// emptyText says why there is no curve.
func (c *leakCurve) emptyText() string {
	switch {
	case !c.known:
		return "Every run draws one.\nThe leak control shows what a leak looks like."
	case c.curve.Running:
		return "The first iteration is still running."
	}
	return "The run ended during its first iteration."
}

// state summarizes what the plot is drawn from.
func (c *leakCurve) state() string {
	if n := len(c.curve.Points); n > 0 {
		last := c.curve.Points[n-1]
		return fmt.Sprint(c.by.At, c.curve.RunID, n, last, len(c.curve.Cases), c.curve.Fit)
	}
	return fmt.Sprint(c.by.At, c.curve.RunID)
}

// model returns the chart.
func (c *leakCurve) model() *chart.Model {
	m := &chart.Model{Y: chart.Axis{Title: "Live bytes", Unit: chart.Bytes, FromZero: true}}
	m.X = chart.Axis{Title: "Time since the run started", Unit: chart.Seconds}
	if c.by.At == byIteration {
		m.X = chart.Axis{Title: "Iterations of the run"}
	}
	if len(c.curve.Points) == 0 {
		m.Unavailable = "no iterations"
		return m
	}
	m.Phases = c.phases()
	m.Series = append(m.Series, c.points())
	if band := c.line(); len(band.X) > 0 {
		m.Series = append(m.Series, band)
	}
	return m
}

// at returns one of two positions on the axis.
func (c *leakCurve) at(iteration int, seconds float64) float64 {
	if c.by.At == byIteration {
		return float64(iteration)
	}
	return seconds
}

func (c *leakCurve) points() chart.Series {
	s := chart.Series{Name: "Live", Kind: chart.LineKind, Fill: true}
	for _, p := range c.curve.Points {
		s.X = append(s.X, c.at(p.Iteration, p.Seconds))
		s.Y = append(s.Y, float64(p.Live))
	}
	s.ShowMarkers = len(s.X) == 1
	return s
}

// line is the fitted line with the range of what it was fitted through.
func (c *leakCurve) line() chart.Series {
	band := c.curve.BySeconds
	if c.by.At == byIteration {
		band = c.curve.ByIteration
	}
	s := chart.Series{Name: "Fit through the minima, and their range", Kind: chart.LineKind, Dash: chart.Dashed}
	for _, p := range band {
		s.X, s.Y, s.Lo, s.Hi = append(s.X, p.X), append(s.Y, p.Y), append(s.Lo, p.Lo), append(s.Hi, p.Hi)
	}
	return s
}

// phases are the cases of the run.
func (c *leakCurve) phases() []chart.Phase {
	var list []chart.Phase
	last := c.curve.Points[len(c.curve.Points)-1]
	for i, k := range c.curve.Cases {
		to := c.at(last.Iteration, last.Seconds)
		if i+1 < len(c.curve.Cases) {
			next := c.curve.Cases[i+1]
			to = c.at(next.Iteration, next.Seconds)
		}
		list = append(list, chart.Phase{From: c.at(k.Iteration, k.Seconds), To: to, Label: k.Name, Odd: i%2 == 1})
	}
	return list
}

// tell describes the curve in words, and reports whether they are new.
func (c *leakCurve) tell() (moved bool) {
	about, told := c.aboutText(), strings.Join(c.toldTexts(), "\n")
	moved = c.about.Content != about || c.told.Content != told
	c.about.Set(about)
	c.told.Set(told)
	kit.Show(c.told, told != "")
	if !c.known || len(c.curve.Points) == 0 {
		kit.Show(c.verdict.object, false)
		return moved
	}
	return c.verdict.show(c.headline(), c.slopeText()) || moved
}

// toldTexts are the leaks found in the run, except the one that the verdict reports.
func (c *leakCurve) toldTexts() []string {
	var list []string
	for _, s := range c.curve.Told {
		if !c.curve.Verdict.Leaking || !strings.HasSuffix(s, "("+c.caseName()+")") {
			list = append(list, "Found: "+s+".")
		}
	}
	return list
}

// caseName returns the newest case, which is the one being judged.
func (c *leakCurve) caseName() string {
	if n := len(c.curve.Cases); n > 0 {
		return c.curve.Cases[n-1].Name
	}
	return ""
}

func (c *leakCurve) aboutText() string {
	switch {
	case !c.known:
		return "Every run is checked for live bytes that only grow."
	case c.curve.Running:
		return "Current run, " + c.curve.RunID + "." + c.trendText()
	}
	return "Last run, " + c.curve.RunID + "." + c.trendText()
}

// trendText says what the fitted line goes through.
func (c *leakCurve) trendText() string {
	if c.curve.NoFit != "" {
		return ""
	}
	return "\nThe trend follows the minima, not short peaks."
}

// slopeText is the fitted slope in words, or why there is none.
func (c *leakCurve) slopeText() string {
	f := &c.curve.Fit
	if v := &c.curve.Verdict; v.Leaking { // as in the alert
		return plain.Capitalized(v.Cause) + "."
	}
	switch {
	case c.curve.NoFit != "":
		return "No rate and no interval: " + c.curve.NoFit + "."
	case c.by.At == byIteration:
		return fmt.Sprintf("Slope in “%s”: %s, over iterations %s to %s.", c.caseName(), f.ByIteration(),
			grouped(f.FirstIteration), grouped(f.LastIteration))
	}
	return fmt.Sprintf("Slope in “%s”: %s, over the last %.1f s.", c.caseName(), f.BySecond(), f.Seconds())
}

// headline is the verdict on the newest case.
func (c *leakCurve) headline() headline {
	v := &c.curve.Verdict
	switch {
	case v.Leaking:
		return headline{"Live bytes grow with every iteration", severity.Critical}
	case len(c.curve.Told) > 0:
		return headline{"Leak found in this run", severity.Critical}
	case c.curve.NoFit != "" && c.curve.Running:
		return headline{"Not judged yet", severity.Info}
	case c.curve.NoFit != "":
		return headline{"Not judged: the last case was too short", severity.Info}
	}
	return headline{"No leak: live bytes do not grow", ""}
}
