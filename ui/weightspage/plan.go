package weightspage

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// The budget's slider: its step, what it begins with, and where it ends: beyond that there is little to choose.
const (
	budgetStep    = 0.5
	budgetAtFirst = 30
	budgetMost    = 60
	budgetChoice  = "weights.budget"
)

// planCard is a budget of error, and the formats of the model within it.
type planCard struct {
	desk    *desk.Desk
	took    func(*app.WeightsPlan) // is told of each plan
	survey  *app.Survey
	plan    *app.WeightsPlan
	slider  *kit.Slider
	value   *kit.Text
	size    *kit.Text
	formats *kit.Text
	export  *kit.Button
	quiet   bool
	object  *fyne.Container
}

func newPlanCard(d *desk.Desk, took func(*app.WeightsPlan)) *planCard {
	c := &planCard{desk: d, took: took, value: kit.NewBody("", 1).Whole(), size: kit.NewHeading(""), formats: kit.NewCaption("", 4)}
	c.slider = kit.NewSlider(0, budgetMost)
	c.slider.Step = budgetStep
	c.slider.OnChanged = func(float64) {
		if !c.quiet {
			c.choose()
		}
	}
	c.slider.OnChangeEnded = func(at float64) {
		if !c.quiet {
			d.Settings.SetChoice(budgetChoice, strconv.FormatFloat(at, 'g', -1, 64))
		}
	}
	c.export = kit.NewButton("Export", c.offerExports)
	line := kit.Edged(kit.Accented(c.slider), kit.AtRight, kit.Inset(container.NewCenter(c.value), 8, 0))
	head := container.NewBorder(nil, nil, nil, c.export, kit.Middle(kit.NewHeading("Plan: at least this SNR")))
	// The words have room for all of their lines, so that nothing moves while the slider does.
	words := container.New(kit.LinesLayout{Lines: 4}, c.formats)
	c.object = kit.NewPanel(kit.NewFlow(6, head, line, c.size, words), 12)
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
	kit.Able(c.export, s != nil)
	kit.Show(c.size, s != nil)
	if s == nil {
		c.plan = nil
		c.value.Set("")
		c.size.Set("")
		c.formats.Set("A survey comes first. Then this tells the smallest model whose weights keep the signal-to-noise ratio, and which tensors " +
			"keep more bits for it.")
		c.took(nil)
		return
	}
	c.quiet = true
	lo, hi := s.Limits()
	hi = min(hi, budgetMost)
	c.slider.Min = math.Floor(lo/budgetStep) * budgetStep
	c.slider.Max = max(math.Ceil(hi/budgetStep)*budgetStep, c.slider.Min+budgetStep)
	c.slider.SetValue(min(c.slider.Max, max(c.slider.Min, c.remembered())))
	c.quiet = false
	c.choose()
}

func (c *planCard) remembered() float64 {
	kept, _ := c.desk.Settings.Kept(budgetChoice)
	if v, err := strconv.ParseFloat(kept, 64); err == nil {
		return v
	}
	return budgetAtFirst
}

// choose plans within what the slider says.
func (c *planCard) choose() {
	c.value.Set(si.Format(c.slider.Value, "dB"))
	p, err := c.survey.Plan(app.WeightsBudget{SNR: max(c.slider.Value, budgetStep)})
	if err != nil { // only of sizes
		c.formats.Set(err.Error())
		return
	}
	c.plan = p
	c.size.Set(view.Quantity(float64(p.Bytes), "B") + ", " + si.Format(float64(p.Bytes)/float64(max(1, c.survey.File.Bytes)), "ratio") + " of the file")
	c.formats.Set(planWords(p))
	c.object.Refresh()
	c.took(p)
}

// planWords says what a plan has in which format.
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
