package weightspage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// offered are the formats to choose from, in addition to the command line's defaults.
func offered() []string {
	return []string{
		"f16", "e4m3 row", "q8_0", "int8 row", "q6_K", "q4_K", "q4_1", "q4_0", "int4 row", "int4 block 32", "int4 block 128", "ternary row",
	}
}

// Names under which choices are stored.
const (
	formatsChoice = "weights.formats"
	rowsChoice    = "weights.rows"
)

// rowChoices are how many rows of each tensor to read: a sample gives an estimate within seconds.
func rowChoices() []int { return []int{64, 256, 1024, 0} }

// formatCard shows the formats to compare, and the size of the model in each.
type formatCard struct {
	desk    *desk.Desk
	changed func()
	lines   []*formatLine
	sample  *kit.Select
	note    *kit.Text
	object  *fyne.Container
}

// formatLine is a format that can be chosen, and what the survey found about it.
type formatLine struct {
	name  string
	check *kit.Check
	words *kit.Text
}

func newFormatCard(d *desk.Desk, changed func()) *formatCard {
	c := &formatCard{desk: d, changed: changed, note: kit.NewCaption("", 3)}
	kept, known := d.Settings.Kept(formatsChoice)
	picked := app.SurveyFormats()
	if known {
		picked = app.SplitFormats(kept)
	}
	rows := []fyne.CanvasObject{}
	for _, name := range offered() {
		l := &formatLine{name: name, words: kit.NewBody("", 1).Whole()}
		l.check = kit.NewCheck(name, func(bool) { c.remember() })
		l.check.Checked = slices.Contains(picked, name)
		c.lines = append(c.lines, l)
		rows = append(rows, kit.Edged(l.check, kit.AtRight, kit.Inset(container.NewCenter(l.words), 8, 0)))
	}
	c.sample = kit.NewSelect(sampleNames(), nil)
	c.sample.SetSelectedIndex(max(0, slices.Index(rowChoices(), rememberedRows(d))))
	c.sample.OnChanged = func(string) { c.rememberRows() } // and not the default
	head := kit.NewFlow(4, kit.NewHeading("Formats"), c.sample, c.note)
	flow := kit.NewFlow(0, rows...)
	back := kit.NewFill(kit.ColorPanel, 8)
	back.Stroke = theme.ColorNameSeparator
	c.object = container.New(kit.HeadedLayout{Gap: 6}, head, kit.StackOf(back, container.NewVScroll(kit.Inset(flow, 6, 4))))
	c.take(nil)
	return c
}

func sampleNames() []string {
	var names []string
	for _, n := range rowChoices() {
		name := "All rows of each tensor"
		if n > 0 {
			name = "Estimate: " + si.Counted(n, "row") + " of each tensor"
		}
		names = append(names, name)
	}
	return names
}

func rememberedRows(d *desk.Desk) int {
	kept, _ := d.Settings.Kept(rowsChoice)
	if n, err := strconv.Atoi(kept); err == nil {
		return n
	}
	return rowChoices()[0]
}

// remember keeps the chosen formats for the next start.
func (c *formatCard) remember() {
	c.desk.Settings.SetChoice(formatsChoice, strings.Join(c.chosen(), ","))
	c.changed()
}

func (c *formatCard) rememberRows() {
	c.desk.Settings.SetChoice(rowsChoice, fmt.Sprint(c.rows()))
}

// rows returns how many rows of each tensor to read; 0: all.
func (c *formatCard) rows() int { return rowChoices()[max(0, c.sample.SelectedIndex())] }

// chosen are the formats to compare.
func (c *formatCard) chosen() []string {
	var names []string
	for _, l := range c.lines {
		if l.check.Checked {
			names = append(names, l.name)
		}
	}
	return names
}

// take shows the size of the model in each format of a survey; nil: none.
func (c *formatCard) take(s *app.Survey) {
	for _, l := range c.lines {
		words := ""
		if s != nil {
			if at := s.Format(l.name); at >= 0 {
				words = view.Quantity(float64(s.Formats[at].Bytes), "B") + " · " + s.FormatSNR(at)
			}
		}
		l.words.Set(words)
	}
	c.note.Set("Chosen formats are compared by the survey.")
	if s != nil {
		c.note.Set("Size of the model and SNR of its weights, if every matrix is in that format.")
	}
	c.object.Refresh()
}
