package resultspage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/report"
	"assay/internal/plain"
	uichart "assay/ui/chart"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// detail shows everything about one row: its samples in the order taken, its notes, and every column.
type detail struct {
	title   *kit.Text
	notes   *kit.Text
	samples *uichart.Plot
	room    *fyne.Container // of samples
	pairs   *fyne.Container
	scroll  *kit.Reader
	words   *kit.Text   // while no row is chosen
	told    *kit.Reader // holds them
	body    *fyne.Container
	object  fyne.CanvasObject
	shown   *workloads.Result
	mark    string // of what is shown
	columns int
	against *report.Comparison
}

func newDetail() *detail {
	d := &detail{title: kit.NewHeading("").Lines(2), notes: kit.NewBody("", 40), samples: uichart.NewPlot(nil)}
	d.samples.SetMinSize(fyne.NewSize(120, 96))
	d.room = container.New(kit.FixedSize{Height: 104}, kit.OnPanel(d.samples))
	d.pairs = container.New(&pairsLayout{})
	d.body = kit.NewFlow(6, d.title, d.notes, d.room, d.pairs)
	d.scroll = kit.NewReading(d.body)
	d.words = kit.NewBody("", 60)
	d.words.Color = kit.ColorSecondary
	d.told = kit.NewReading(d.words)
	d.object = kit.NewPanel(kit.StackOf(d.scroll, d.told), 10)
	d.show(nil, nil, nil)
	return d
}

// show shows a result; nil: none is chosen.
func (d *detail) show(r *workloads.Result, columns []report.Column, against *report.Comparison) {
	kit.Show(d.told, r == nil)
	kit.Show(d.scroll, r != nil)
	if r == nil {
		d.shown = nil
		return
	}
	if r == d.shown && r.MarkText() == d.mark && len(columns) == d.columns && against == d.against {
		return
	}
	d.shown, d.mark, d.columns, d.against = r, r.MarkText(), len(columns), against
	title := r.Case + ", " + r.Variant
	if d.title.Content != title {
		d.scroll.ScrollToTop()
	}
	d.title.Set(title)
	d.notes.SetColored(notesOf(r, against), noteColor(r))
	kit.Show(d.room, len(r.Samples) > 1)
	d.samples.SetModel(samplesModel(r))
	d.list(r, columns)
	d.scroll.Refresh()
}

// tell shows, while no row is chosen, the run's findings that do not fit above the table.
func (d *detail) tell(findings []workloads.Finding) {
	lines := []string{"Select a row for its samples, stop reason, outliers, warnings and all columns."}
	for _, f := range findings[min(len(findings), maxAbove):] {
		lines = append(lines, "", view.FindingText(&f))
	}
	d.words.Set(strings.Join(lines, "\n"))
	d.told.Refresh()
}

// notesOf is what a reader must know about a result.
func notesOf(r *workloads.Result, against *report.Comparison) string {
	var lines []string
	if r.Failure.Text != "" {
		lines = append(lines, r.Status.Title()+": "+r.Reason())
	}
	for _, w := range r.Warnings {
		lines = append(lines, w.Text)
	}
	if len(r.Marks) > 0 {
		lines = append(lines, plain.Capitalized(r.MarkText())+": a finding points to this row.")
	}
	if r.Stop != "" {
		lines = append(lines, view.Stopped(r))
	}
	if text := report.Compared([]workloads.Result{*r}); text != "" {
		lines = append(lines, text)
	}
	if against != nil {
		if row := against.Row(r); row != nil {
			lines = append(lines, "Against the baseline: "+row.Text()+".")
		}
	}
	return strings.Join(lines, "\n")
}

func noteColor(r *workloads.Result) fyne.ThemeColorName {
	if r.Status == workloads.OK {
		return kit.ColorSecondary
	}
	return statusColor(r.Status)
}

// list writes every nonempty column.
func (d *detail) list(r *workloads.Result, columns []report.Column) {
	d.pairs.Objects = nil
	for i := range columns {
		text := cellText(&columns[i], r)
		if text == "" || columns[i].Name == "notes" {
			continue
		}
		if u := columns[i].Unit; u != "" && columns[i].Setting {
			text = workloads.WithUnit(text, u)
		}
		value := kit.NewBody(text, 3)
		value.Align = fyne.TextAlignTrailing
		d.pairs.Objects = append(d.pairs.Objects, kit.NewCaption(columns[i].Title, 2), value)
	}
	d.pairs.Refresh()
}

// pairsLayout is names on the left and values on the right, one below the other.
type pairsLayout struct{ width float32 }

const nameShare = 0.44

// HeightFor is the height at a width.
func (l *pairsLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	height := float32(0)
	for i := 0; i+1 < len(o); i += 2 {
		height += pairHeight(o[i], o[i+1], width)
	}
	return height
}

func pairHeight(name, value fyne.CanvasObject, width float32) float32 {
	return max(kit.HeightFor(name, width*nameShare), kit.HeightFor(value, width*(1-nameShare)-6)) + 5
}

func (l *pairsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(100, l.HeightFor(o, max(100, l.width)))
}

func (l *pairsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	y := float32(0)
	for i := 0; i+1 < len(o); i += 2 {
		height := pairHeight(o[i], o[i+1], size.Width)
		o[i].Move(fyne.NewPos(0, y))
		o[i].Resize(fyne.NewSize(size.Width*nameShare, height-5))
		o[i+1].Move(fyne.NewPos(size.Width*nameShare+6, y))
		o[i+1].Resize(fyne.NewSize(size.Width*(1-nameShare)-6, height-5))
		y += height
	}
}
