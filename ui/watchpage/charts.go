package watchpage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/monitor/leak"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
)

// charts are the curves of the watched program, one at a time, and the verdicts below.
type charts struct {
	desk     *desk.Desk
	which    *kit.Segments
	plot     *uichart.Plot
	all      []chart.Chart
	drawing  bool   // they are being made
	drawn    string // what they were made from
	empty    *kit.Text
	verdicts []*verdictLine
	body     *fyne.Container
	object   fyne.CanvasObject
}

func newCharts(d *desk.Desk) *charts {
	c := &charts{desk: d, plot: uichart.NewPlot(nil)}
	c.plot.SetHoverAll(true)
	c.plot.OnFocus = func() { kit.Reveal(c.plot) }
	c.plot.SetMinSize(fyne.NewSize(300, 140))
	d.Pace(c.plot)
	c.which = kit.NewSegments(func(int) { c.draw() }, report.WatchChartNames()...)
	c.empty = kit.NewBody("The curves appear here: memory, handles, threads and processor, with the marks of the program.", 3)
	c.empty.Align, c.empty.Color = fyne.TextAlignCenter, kit.ColorSecondary
	var lines []fyne.CanvasObject
	for range app.WatchKinds() {
		v := newVerdictLine()
		c.verdicts, lines = append(c.verdicts, v), append(lines, v.object)
	}
	words := kit.NewFlow(5, lines...)
	c.body = container.New(chartLayout{}, c.which.Object, kit.StackOf(kit.OnPanel(c.plot), kit.Middle(c.empty)), words)
	c.object = kit.NewPanel(c.body, 14)
	c.draw()
	return c
}

// update redraws the charts with what has been read by now.
func (c *charts) update() {
	w := c.desk.Model.Watch
	if w == nil {
		return
	}
	for i := range min(len(c.verdicts), len(w.Verdicts)) {
		c.verdicts[i].show(&w.Verdicts[i])
	}
	c.body.Refresh()
	if at := fmt.Sprint(w.RunID, w.Latest.Time, w.Running); !c.drawing && at != c.drawn {
		c.drawn, c.drawing = at, true
		verdicts := make([]bundle.WatchVerdict, 0, len(w.Verdicts))
		for i := range w.Verdicts {
			verdicts = append(verdicts, w.Verdicts[i].WatchVerdict)
		}
		watches, opened := c.desk.Session.Watches, c.desk.Model.WatchRun
		c.desk.Background(func() func() { // a watch of hours has thousands of readings
			run := opened
			if run == nil {
				run = watches.Run()
			}
			if run == nil {
				return func() { c.drawing = false }
			}
			all := report.WatchCharts(run, verdicts)
			return func() {
				c.drawing, c.all = false, all
				c.draw()
			}
		})
	}
}

// draw shows the chosen chart.
func (c *charts) draw() {
	known := c.which.At < len(c.all)
	kit.Show(c.empty, !known)
	kit.Show(c.plot, known)
	kit.Show(c.which.Object, known)
	if known {
		c.plot.SetModel(c.all[c.which.At].Model)
	}
}

// chartLayout is chart names, a chart that takes the remaining room, and text below, whose height follows from the width.
type chartLayout struct{}

const chartGap = 10

func (chartLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	width := max(o[0].MinSize().Width, o[1].MinSize().Width)
	return fyne.NewSize(width, o[0].MinSize().Height+o[1].MinSize().Height+2*chartGap+kit.Scaled(70))
}

func (chartLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head, words := o[0].MinSize(), kit.HeightFor(o[2], size.Width)
	plot := max(o[1].MinSize().Height, size.Height-head.Height-words-2*chartGap)
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(head)
	o[1].Move(fyne.NewPos(0, head.Height+chartGap))
	o[1].Resize(fyne.NewSize(size.Width, plot))
	o[2].Move(fyne.NewPos(0, head.Height+plot+2*chartGap))
	o[2].Resize(fyne.NewSize(size.Width, words))
}

// verdictLine is a verdict with a sign, so that it does not depend on color alone.
type verdictLine struct {
	icon   *widget.Icon
	words  *kit.Text
	object *fyne.Container
}

func newVerdictLine() *verdictLine {
	v := &verdictLine{icon: widget.NewIcon(nil), words: kit.NewBody("", 4)}
	v.object = container.New(signLayout{}, v.icon, v.words)
	v.object.Hide()
	return v
}

// signLayout is a sign before text that may wrap.
type signLayout struct{}

const signSize, signGap = 16, 10

func (signLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	words := o[1].MinSize()
	return fyne.NewSize(signSize+signGap+words.Width, max(signSize, words.Height))
}

// HeightFor returns the height at a width.
func (signLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	return max(signSize, kit.HeightFor(o[1], width-signSize-signGap))
}

// Layout is part of fyne.Layout.
func (signLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	line := o[1].MinSize().Height
	o[0].Move(fyne.NewPos(0, max(0, line-signSize)/2))
	o[0].Resize(fyne.NewSize(signSize, signSize))
	o[1].Move(fyne.NewPos(signSize+signGap, 0))
	o[1].Resize(fyne.NewSize(size.Width-signSize-signGap, size.Height))
}

func (v *verdictLine) show(s *app.WatchState) {
	icon, color := fyne.Resource(theme.NewSuccessThemedResource(theme.ConfirmIcon())), theme.ColorNameForeground
	switch {
	case s.Leak && s.Early:
		icon = theme.NewWarningThemedResource(theme.QuestionIcon())
	case s.Leak:
		icon, color = theme.NewErrorThemedResource(theme.ErrorIcon()), theme.ColorNameError
	case s.Shape == bundle.ShapeName(leak.Unsteady):
		icon = theme.NewWarningThemedResource(theme.QuestionIcon())
	case !s.Known():
		icon, color = theme.NewColoredResource(theme.InfoIcon(), kit.ColorSecondary), kit.ColorSecondary
	}
	words := s.Title + ": " + plain.Text(s.Text) + "."
	if s.Leak && s.Early {
		words += " Too early to call it a leak."
	}
	if words != v.words.Content {
		v.icon.SetResource(icon)
	}
	v.words.SetColored(words, color)
	v.object.Show()
}
