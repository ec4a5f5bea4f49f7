package weightspage

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// tensor is a row of the table.
type tensor struct {
	*app.WeightsTensor
	surveyed *app.SurveyedTensor // nil: not surveyed
	loss     *app.FormatLoss     // in the format shown; nil: none
	planned  *app.PlannedTensor  // nil: there is no plan
}

// tensorList is a filter, the table of tensors, and what is known of the chosen one.
type tensorList struct {
	desk    *desk.Desk
	file    *app.WeightsFile
	found   *app.Survey
	plan    *app.WeightsPlan
	filter  *kit.FormBar
	table   *kit.Table[tensor]
	about   *kit.Text // of the chosen tensor
	hint    *kit.Text
	measure *kit.Button
	codes   *kit.Button
	none    fyne.CanvasObject
	rows    *fyne.Container
	object  *fyne.Container
}

const tensorOrder = "weights.tensors"

func newTensorList(d *desk.Desk) *tensorList {
	l := &tensorList{desk: d, about: kit.NewCaption("", 3), hint: kit.NewCaption("", 2)}
	l.filter = kit.NewFormBar([]kit.Field{
		{Name: "words", Title: "Filter: any word of a name, a type or a shape"},
		{Name: "format", Title: "Smallest format", Kind: kit.ChoiceField},
	}, l.refill)
	l.filter.Input("format").Select.PlaceHolder = "(int4 block 128)" // never shown: it sets the menu's width
	l.table = kit.NewTable(tensorColumns(), 1)
	l.table.Key = func(t *tensor) string { return t.Name }
	l.table.SortBy(d.Settings.Order(tensorOrder))
	l.table.OnOrdered = func(name string, descending bool) { d.Settings.SetOrder(tensorOrder, name, descending) }
	l.table.OnItem, l.table.OnHead = func(*tensor) { l.tell() }, l.explain
	l.table.OnEdit = func(s fyne.Shortcut) {
		if _, ok := s.(*fyne.ShortcutCopy); ok && l.table.Chosen() != nil {
			d.Copy("The tensor’s name was", l.table.Chosen().Name)
		}
	}
	l.measure = kit.NewButton("Measure in Quantization", func() {
		if t := l.table.Chosen(); t != nil {
			d.MeasureTensor(t.File, t.Name)
		}
	})
	l.codes = kit.NewButton("Codes", l.look)
	words := kit.NewBody("No tensor matches. Clear the filter to see them all.", 2)
	words.Align, words.Color = fyne.TextAlignCenter, kit.ColorSecondary
	l.none = kit.Middle(words)
	below := container.New(&kit.ToolsLayout{MinWidth: 220}, kit.NewFlow(2, l.about, l.hint), kit.Row(8, l.codes, l.measure))
	l.rows = kit.Edged(kit.NewPanel(l.table.Object, 1), kit.AtBottom, kit.Inset(below, 2, 4))
	l.object = container.New(kit.HeadedLayout{Gap: 8}, l.filter.Object, container.New(kit.FixedSize{Height: 190}, l.rows, l.none))
	l.explain(nil)
	l.tell()
	return l
}

type tensorColumn = kit.Column[tensor]

// tensorColumns are the columns of the table; the errors are those in the format that the filter picks.
func tensorColumns() []tensorColumn {
	cell := func(text func(*tensor) string) func(*tensor) kit.TableCell {
		return func(t *tensor) kit.TableCell { return kit.TableCell{Text: text(t)} }
	}
	faint := func(text func(*tensor) string) func(*tensor) kit.TableCell {
		return func(t *tensor) kit.TableCell { return kit.TableCell{Text: text(t), Color: kit.ColorSecondary} }
	}
	return []tensorColumn{
		{Title: "Tensor", About: "Its name in the file.", Min: 120, Cell: cell(func(t *tensor) string { return plain.Text(t.Name) })},
		{
			Title: "SNR", About: "Signal-to-noise ratio of the weights in the chosen format, in dB: 6 dB less is twice the error.", Number: true,
			Cell: cell(snrText), Order: func(a, b *tensor) int { return app.CompareLoss(a.loss, b.loss) },
		},
		{
			Title: "Plan", About: "The format that the plan has for it; + where it keeps more bits than most.", Cell: planCell,
			Order: func(a, b *tensor) int { return cmp.Compare(plannedBits(a), plannedBits(b)) }, Largest: true,
		},
		{
			Title: "Size", About: "Its bytes in the file.", Number: true, Largest: true,
			Cell:  cell(func(t *tensor) string { return view.Quantity(float64(t.Bytes), "B") }),
			Order: func(a, b *tensor) int { return cmp.Compare(a.Bytes, b.Bytes) },
		},
		{
			Title: "Shape", About: "Rows and columns: the last dimension makes the rows that are quantized.", Drop: 2,
			Cell:  faint(func(t *tensor) string { return t.ShapeText() }),
			Order: func(a, b *tensor) int { return slices.Compare(a.Shape, b.Shape) },
		},
		{Title: "Type", About: "As the file names it.", Drop: 1, Cell: faint(func(t *tensor) string { return t.Type })},
	}
}

// snrText is empty if there is no survey.
func snrText(t *tensor) string {
	switch {
	case t.surveyed == nil:
		return ""
	case t.loss == nil:
		return si.Unknown
	}
	return strings.TrimSuffix(app.SNRText(t.loss.SNR), " dB")
}

// planCell is the planned format; more bits than usual are marked with a sign.
func planCell(t *tensor) kit.TableCell {
	switch {
	case t.planned == nil:
		return kit.TableCell{}
	case t.planned.Format == "":
		return kit.TableCell{Text: "as in the file", Color: kit.ColorSecondary}
	case t.planned.More:
		return kit.TableCell{Text: t.planned.Format + " +"}
	}
	return kit.TableCell{Text: t.planned.Format}
}

// plannedBits returns the size of a weight in the plan; 0: there is none.
func plannedBits(t *tensor) float64 {
	if t.planned == nil || t.Weights == 0 {
		return 0
	}
	return float64(t.planned.Bytes) / float64(t.Weights)
}

// shows reports whether the table has that model and survey.
func (l *tensorList) shows(f *app.WeightsFile, s *app.Survey) bool {
	return f == l.file && s == l.found
}

// take shows a model, and what a survey found; nil: none.
func (l *tensorList) take(f *app.WeightsFile, s *app.Survey) {
	fresh := s != nil && s != l.found
	if s != l.found {
		l.plan = nil
	}
	l.file, l.found = f, s
	var formats []kit.Choice
	if s != nil {
		for _, x := range s.Formats {
			formats = append(formats, kit.Choice{Value: x.Name, Title: x.Name})
		}
	}
	l.filter.Offer("format", formats)
	if by, _ := l.table.Order(); fresh && by == "" {
		l.table.SortBy("SNR", false) // worst first
	}
	l.refill()
}

// takePlan shows the formats of a plan; nil: none.
func (l *tensorList) takePlan(p *app.WeightsPlan) {
	l.plan = p
	l.refill()
}

// format returns the index of the format whose errors are shown; −1: there is no survey.
func (l *tensorList) format() int {
	if l.found == nil {
		return -1
	}
	if at := l.found.Format(l.filter.Choice("format")); at >= 0 {
		return at
	}
	return l.found.Smallest()
}

// refill lists the tensors that match the filter.
func (l *tensorList) refill() {
	var picked []tensor
	all, words, format := 0, l.filter.Words(), l.format()
	if l.file != nil {
		all = len(l.file.Tensors)
		for i := range l.file.Tensors {
			if t := (tensor{WeightsTensor: &l.file.Tensors[i]}); t.Has(words) {
				l.complete(&t, i, format)
				picked = append(picked, t)
			}
		}
	}
	l.table.SetItems(picked)
	kit.Show(l.rows, len(picked) > 0 || all == 0)
	kit.Show(l.none, len(picked) == 0 && all > 0)
	told := si.Counted(all, "tensor")
	if len(picked) != all {
		told = si.Count(len(picked)) + " of " + told
	}
	l.filter.Tell(told)
	l.tell()
}

// complete adds what the survey and the plan have for tensor i.
func (l *tensorList) complete(t *tensor, i, format int) {
	if l.found != nil {
		t.surveyed = &l.found.Tensors[i]
		t.loss = t.surveyed.Loss(format)
	}
	if l.plan != nil {
		t.planned = &l.plan.Choices[i]
	}
}

// tell says what is known about the chosen tensor.
func (l *tensorList) tell() {
	t := l.table.Chosen()
	kit.Able(l.measure, t != nil && t.Matrix())
	kit.Able(l.codes, t != nil && t.loss != nil)
	l.about.Set(l.words(t))
	l.object.Refresh()
}

func (l *tensorList) words(t *tensor) string {
	if t == nil {
		return "Choose a tensor to see what each format does to it."
	}
	words := plain.Text(t.Name)
	if l.file != nil && len(l.file.Files) > 1 {
		words += " in " + plain.Text(filepath.Base(t.File))
	}
	switch {
	case t.surveyed == nil && t.Unread != "":
		return words + ": " + plain.Text(t.Unread) + "."
	case t.surveyed == nil:
		return words + ": " + t.ShapeText() + ", " + t.Type + "."
	case t.surveyed.Kept != "":
		return words + " stays as it is: " + plain.Text(t.surveyed.Kept) + "."
	}
	var parts []string
	for i, f := range l.found.Formats {
		if loss := t.surveyed.Loss(i); loss != nil {
			parts = append(parts, f.Name+" "+app.SNRText(loss.SNR))
		}
	}
	return words + ": " + strings.Join(parts, ", ") + "."
}

// look shows what the format in the error columns makes of the chosen tensor.
func (l *tensorList) look() {
	if t, at := l.table.Chosen(), l.format(); t != nil && at >= 0 {
		l.desk.LookAtTensor(t.Name, l.found.Formats[at].Name, lookRows, func(look *app.WeightsLook) { showLook(l.desk, look) })
	}
}

// explain explains the column under the pointer or the keyboard focus.
func (l *tensorList) explain(c *tensorColumn) {
	if c != nil {
		l.hint.Set(c.Title + ": " + c.About)
		return
	}
	l.hint.Set("Click a header to sort. Ctrl or Cmd C copies the tensor’s name.")
}
