// Package weightspage is the page for weight files: their tensors, the effect of number formats on each, and a format for each
// within a budget.
package weightspage

import (
	"fmt"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor/leak"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/ui/view"
)

// weightsPage has the tensors of a model on the left, and on the right the formats to compare and the plan.
type weightsPage struct {
	desk    *desk.Desk
	about   *kit.Text
	open    *kit.Button
	start   *kit.Button
	load    *kit.Button
	loaded  *app.Load // the one that was shown
	cancel  *kit.Button
	bar     *kit.Bar
	tensors *tensorList
	formats *formatCard
	plan    *planCard
	body    *fyne.Container
	empty   *fyne.Container
	full    *fyne.Container
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: p.full, Update: p.update}
}

func newPage(d *desk.Desk) *weightsPage {
	p := &weightsPage{desk: d, about: kit.NewCaption("", 3), bar: kit.NewBar()}
	p.open = kit.NewButtonWithIcon("Open", theme.FolderOpenIcon(), p.choose)
	p.start = kit.NewButtonWithIcon("Survey", theme.MediaPlayIcon(), p.survey)
	p.load = kit.NewButtonWithIcon("Load", theme.DownloadIcon(), d.StartLoad)
	p.cancel = kit.NewButtonWithIcon("Cancel", theme.MediaStopIcon(), d.CancelSurvey)
	p.cancel.Hide()
	p.formats = newFormatCard(d, p.tell)
	p.tensors = newTensorList(d)
	p.plan = newPlanCard(d, p.tensors.takePlan)
	tools := kit.Row(8, p.open, p.load, container.New(kit.ScaledWidth{Width: 112}, kit.StackOf(p.start, p.cancel)))
	words := container.New(&kit.ToolsLayout{MinWidth: 260}, kit.NewFlow(2, kit.NewTitle("Weights"), p.about), tools)
	head := kit.NewFlow(6, words, p.bar)
	right := container.New(&kit.WeightedLayout{Weights: []float32{1, 0}, Gap: 10},
		container.New(kit.FixedSize{Height: 150}, p.formats.object), p.plan.object)
	p.body = container.New(&bodyLayout{}, p.tensors.object, right)
	hint := kit.NewBody("Open a .safetensors or .gguf file, or the index of a model in several files. Its tensors are listed here; a survey then "+
		"shows what each number format does to them, and a plan which format suits which tensor.", 6)
	hint.Align, hint.Color = fyne.TextAlignCenter, kit.ColorSecondary
	p.empty = kit.Middle(container.New(kit.FixedSize{}, hint))
	p.full = kit.Inset(container.New(kit.HeadedLayout{Gap: 10}, head, kit.StackOf(p.body, p.empty)), 18, 14)
	p.tell()
	return p
}

// choose asks for a file.
func (p *weightsPage) choose() {
	if p.desk.Modal() {
		return
	}
	q := native.Question{Title: "Open weights", Types: append(desk.WeightsTypes(), "json")}
	p.desk.Files.Open(q, func(path string, err error) {
		if err != nil {
			p.desk.Fail("Cannot open", err)
			return
		}
		p.desk.OpenWeights(path)
	})
}

// survey surveys the open model in the formats that are chosen.
func (p *weightsPage) survey() {
	if formats := p.formats.chosen(); len(formats) > 0 {
		p.desk.StartSurvey(formats, p.formats.rows())
	}
}

// update redraws what changed.
func (p *weightsPage) update(c desk.Change) {
	if c.Has(desk.ChangedWeights | desk.ChangedLook) {
		w := &p.desk.Model.Weights
		if c.Has(desk.ChangedLook) || !p.tensors.shows(w.File, w.Survey) { // and not for progress alone
			p.tensors.take(w.File, w.Survey)
			p.formats.take(w.Survey)
			p.plan.take(w.Survey)
		}
		p.tell()
		if w.Loaded != nil && w.Loaded != p.loaded && !p.desk.Modal() {
			p.loaded = w.Loaded
			showLoad(p.desk, w.Loaded)
		}
	}
}

// tell shows the current state, and which buttons can be pressed.
func (p *weightsPage) tell() {
	if p.full == nil {
		return // the page is being built
	}
	w := &p.desk.Model.Weights
	kit.Trade(p.start, p.cancel, w.Running)
	kit.Able(p.start, w.File != nil && !w.Opening && len(p.formats.chosen()) > 0)
	kit.Able(p.load, w.File != nil && !w.Opening && !w.Running)
	kit.Able(p.open, !w.Running && !w.Opening)
	kit.Show(p.bar, w.Running)
	p.bar.Set(w.Progress.Fraction(), theme.ColorNamePrimary)
	kit.Show(p.body, w.File != nil)
	kit.Show(p.empty, w.File == nil)
	p.about.SetColored(p.sentence())
	p.full.Refresh() // the head may need another line
}

// sentence says what is going on.
func (p *weightsPage) sentence() (string, fyne.ThemeColorName) {
	w := &p.desk.Model.Weights
	switch {
	case w.Failure != "":
		return plain.Capitalized(plain.Text(w.Failure)) + ".", theme.ColorNameError
	case w.Opening:
		return "Reading the file’s header.", kit.ColorSecondary
	case w.File == nil:
		return "What number formats do to the tensors of a model, and which suits which.", kit.ColorSecondary
	case w.Running:
		return p.progress(), theme.ColorNameForeground
	}
	words := plain.Text(view.Homely(w.File.Name)) + ": " + si.Counted(len(w.File.Tensors), "tensor") + ", " + si.Count(int(w.File.Weights)) +
		" weights, " + view.Quantity(float64(w.File.Bytes), "B") + "."
	switch {
	case w.Canceled:
		words += " It was canceled."
	case w.Survey == nil:
		words += " Choose formats and start a survey."
	case w.Survey.MaxRows > 0:
		words += fmt.Sprintf(" Errors are estimated from at most %s of each tensor.", si.Counted(w.Survey.MaxRows, "row"))
	}
	return words, kit.ColorSecondary
}

// progress says how far the survey is.
func (p *weightsPage) progress() string {
	at, what := &p.desk.Model.Weights.Progress, "Surveying"
	if p.desk.Model.Weights.Loading {
		what = "Loading"
	}
	if at.Total == 0 {
		return what + " " + plain.Text(filepath.Base(p.desk.Model.Weights.File.Name)) + "."
	}
	parts := []string{what + ": " + si.Format(at.Fraction(), "ratio") + " of " + view.Quantity(float64(at.Total), "B")}
	if at.Left > 0 {
		parts = append(parts, leak.Clock(at.Left)+" left")
	}
	return strings.Join(append(parts, plain.Text(at.Tensor)), " · ")
}
