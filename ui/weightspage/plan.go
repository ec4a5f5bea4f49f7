package weightspage

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/si"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// curveHeight is the minimum height of the chart of plans.
const curveHeight = 150

// planCard has a budget of error or of size, the formats of the model within it, and a chart of the plans for every budget.
type planCard struct {
	desk    *desk.Desk
	took    func(*app.WeightsPlan) // called with each plan
	survey  *app.Survey
	plan    *app.WeightsPlan
	curve   []app.PlanPoint
	plot    *uichart.Plot
	kind    *kit.Select
	slider  *kit.Slider
	value   *kit.Text
	size    *kit.Text
	formats *kit.Text
	export  *kit.Button
	quiet   bool
	object  *fyne.Container
}

func newPlanCard(d *desk.Desk, took func(*app.WeightsPlan)) *planCard {
	c := &planCard{desk: d, took: took, value: kit.NewBody("", 1).Whole(), size: kit.NewHeading(""), formats: kit.NewCaption("", 4), plot: uichart.NewPlot(nil)}
	c.plot.SetMinSize(fyne.NewSize(160, curveHeight))
	c.kind = kit.NewSelect(kindTitles(), nil)
	kept, _ := d.Settings.Kept(kindChoice)
	c.kind.SetSelectedIndex(max(0, slices.Index(kindTitles(), kept)))
	c.kind.OnChanged = func(title string) {
		d.Settings.SetChoice(kindChoice, title)
		c.limit()
	}
	c.slider = kit.NewSlider(0, maxSNRBudget)
	c.slider.Step = snrStep
	c.slider.OnChanged = func(float64) {
		if !c.quiet {
			c.choose()
		}
	}
	c.slider.OnChangeEnded = func(at float64) {
		if !c.quiet {
			d.Settings.SetChoice(c.by().kept, strconv.FormatFloat(at, 'g', -1, 64))
		}
	}
	c.export = kit.NewButton("Export", c.offerExports)
	line := kit.Edged(kit.Accented(c.slider), kit.AtRight, kit.Inset(container.NewCenter(c.value), 8, 0))
	head := container.NewBorder(nil, nil, nil, c.export, c.kind)
	// The text has room for all of its lines, so that nothing moves while the slider does.
	words := container.New(kit.LinesLayout{Lines: 4}, c.formats)
	c.object = kit.NewPanel(kit.NewFlow(6, kit.OnPanel(c.plot), head, line, c.size, words), 12)
	c.take(nil)
	return c
}

// take plans within the budget after a survey; nil: there is none.
func (c *planCard) take(s *app.Survey) {
	if s != nil && s == c.survey {
		return
	}
	c.survey = s
	kit.Able(c.slider, s != nil)
	kit.Able(c.kind, s != nil)
	kit.Able(c.export, s != nil)
	kit.Show(c.size, s != nil)
	if s == nil {
		c.plan, c.curve = nil, nil
		c.plot.SetModel(curveModel(nil, nil, nil))
		c.value.Set("")
		c.size.Set("")
		c.formats.Set("A survey comes first. Then this shows the smallest model whose weights keep the signal-to-noise ratio, and which tensors " +
			"keep more bits for it.")
		c.took(nil)
		return
	}
	c.curve = s.Curve()
	c.limit()
}

// by returns what limits plans.
func (c *planCard) by() budgetKind { return budgetKinds()[max(0, c.kind.SelectedIndex())] }

func kindTitles() []string {
	var titles []string
	for _, k := range budgetKinds() {
		titles = append(titles, k.title)
	}
	return titles
}

// limit sets the slider up for the chosen kind of budget, and plans.
func (c *planCard) limit() {
	if c.survey == nil {
		return
	}
	k := c.by()
	lo, hi, step, at := k.limits(c.survey)
	kept, _ := c.desk.Settings.Kept(k.kept)
	if v, err := strconv.ParseFloat(kept, 64); err == nil {
		at = v
	}
	c.quiet = true
	c.slider.Min, c.slider.Max, c.slider.Step = lo, hi, step
	c.slider.SetValue(min(hi, max(lo, at)))
	c.quiet = false
	c.choose()
}

// choose plans within the slider's budget.
func (c *planCard) choose() {
	k := c.by()
	c.value.Set(k.words(c.slider.Value))
	p, err := c.survey.Plan(k.budget(c.slider.Value))
	if err != nil { // only with sizes
		c.formats.Set(err.Error())
		return
	}
	c.plan = p
	c.plot.SetModel(curveModel(c.survey, c.curve, p))
	c.size.Set(view.Quantity(float64(p.Bytes), "B") + ", " + si.Format(float64(p.Bytes)/float64(max(1, c.survey.File.Bytes)), "ratio") + " of the file")
	c.formats.Set(planWords(p))
	c.object.Refresh()
	c.took(p)
}

// planWords says what a plan puts in which format.
func planWords(p *app.WeightsPlan) string {
	words := "SNR " + app.SNRText(p.SNR) + ". "
	if p.More > 0 {
		words += fmt.Sprintf("%s more bits than %s (+). ", keep(p.More), p.Usual)
	}
	var parts []string
	for _, f := range p.Formats() {
		name := f.Name
		if name == "" {
			name = "as in the file"
		}
		parts = append(parts, si.Count(f.Tensors)+" "+name)
	}
	return words + "Tensors: " + strings.Join(parts, ", ") + "."
}

func keep(n int) string {
	if n == 1 {
		return "1 tensor keeps"
	}
	return si.Count(n) + " tensors keep"
}

// offerExports offers the tables below the button.
func (c *planCard) offerExports() {
	name := filepath.Base(c.survey.File.Name)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	var items []*fyne.MenuItem
	for _, of := range []struct {
		what  string
		table app.WeightsTable
	}{{"plan", c.plan}, {"survey", c.survey}} {
		for _, format := range []string{app.CSVTable, app.JSONTable} {
			title := "the " + of.what + " as " + strings.ToUpper(format)
			items = append(items, fyne.NewMenuItem("Export "+title+"…", func() {
				c.desk.ExportWeights(title, name+"-"+of.what, of.table, format)
			}))
		}
	}
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), c.desk.Window.Canvas())
	menu.ShowAtRelativePosition(fyne.NewPos(0, c.export.Size().Height+2), c.export)
}
