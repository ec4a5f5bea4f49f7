package resultspage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/report"
	"assay/internal/metric"
	"assay/internal/plain"
	uichart "assay/ui/chart"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// detail shows everything about one row, in tabs: its samples in the order taken, its notes, and every column by group.
type detail struct {
	title   *kit.Text
	tabs    *kit.Segments // of metric.Groups
	notes   *kit.Text
	samples *uichart.Plot
	room    *fyne.Container // of samples
	pairs   *fyne.Container
	scroll  *kit.Reader
	whole   fyne.CanvasObject // the tabs, and below them the row
	list    []report.Column   // of shown
	words   *kit.Text         // while no row is chosen
	told    *kit.Reader       // holds them
	body    *fyne.Container
	object  fyne.CanvasObject
	shown   *workloads.Result
	mark    string // of what is shown
	against *report.Comparison
}

func newDetail() *detail {
	d := &detail{title: kit.NewHeading("").Lines(2), notes: kit.NewBody("", 40), samples: uichart.NewPlot(nil)}
	d.samples.SetMinSize(fyne.NewSize(120, 96))
	d.room = container.New(kit.FixedSize{Height: 104}, kit.OnPanel(d.samples))
	d.pairs = container.New(&pairsLayout{})
	d.body = kit.NewFlow(6, d.title, d.notes, d.room, d.pairs)
	d.scroll = kit.NewReading(d.body)
	var titles []string
	for _, g := range metric.Groups() {
		titles = append(titles, g.Title)
	}
	d.tabs = kit.NewSegments(func(int) { d.turn(); d.scroll.ScrollToTop() }, titles...)
	d.whole = container.New(kit.HeadedLayout{Gap: 8}, container.NewCenter(d.tabs.Object), d.scroll)
	d.words = kit.NewBody("", 60)
	d.words.Color = kit.ColorSecondary
	d.told = kit.NewReading(d.words)
	d.object = kit.NewPanel(kit.StackOf(d.whole, d.told), 10)
	d.show(nil, nil, nil)
	return d
}

// show shows a result; nil: none is chosen.
func (d *detail) show(r *workloads.Result, columns []report.Column, against *report.Comparison) {
	kit.Show(d.told, r == nil)
	kit.Show(d.whole, r != nil)
	if r == nil {
		d.shown = nil
		return
	}
	if r == d.shown && r.MarkText() == d.mark && len(columns) == len(d.list) && against == d.against {
		return
	}
	d.shown, d.mark, d.list, d.against = r, r.MarkText(), columns, against
	title := r.Case + ", " + r.Variant
	if d.title.Content != title {
		d.scroll.ScrollToTop()
	}
	d.title.Set(title)
	d.turn()
}

// turn shows the chosen tab of the row: the one about times also has what a reader must know, and the samples.
func (d *detail) turn() {
	r, g := d.shown, metric.Groups()[d.tabs.At].Group
	if r == nil {
		return
	}
	notes := ""
	if g == metric.Times {
		notes = notesOf(r, d.against)
	}
	d.notes.SetColored(notes, noteColor(r))
	kit.Show(d.notes, notes != "")
	kit.Show(d.room, g == metric.Times && len(r.Samples) > 1)
	d.samples.SetModel(samplesModel(r))
	d.write(r, g)
	d.scroll.Refresh()
}

// tell shows the run's findings that do not fit above the table, while no row is chosen.
func (d *detail) tell(findings []workloads.Finding) {
	lines := []string{"Select a row for its samples, stop reason, outliers, warnings and all columns."}
	for _, f := range findings[min(len(findings), maxAbove):] {
		lines = append(lines, "", view.FindingText(&f))
	}
	d.words.Set(strings.Join(lines, "\n"))
	d.told.Refresh()
}

// notesOf returns what a reader must know about a result.
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

// write shows the columns of a group that have a value, and then why others have none.
func (d *detail) write(r *workloads.Result, g metric.Group) {
	d.pairs.Objects = nil
	var missing []*report.Column
	for i := range d.list {
		c := &d.list[i]
		text := cellText(c, r)
		switch {
		case c.Group != g || c.Name == "notes":
		case text != "":
			if c.Unit != "" && c.Setting {
				text = workloads.WithUnit(text, c.Unit)
			}
			d.pair(c.Title, text, fyne.TextAlignTrailing)
		case c.Missing != "":
			missing = append(missing, c)
		}
	}
	for _, c := range missing {
		d.pair(c.Title, "not available: "+c.Missing, fyne.TextAlignLeading)
	}
	d.pairs.Refresh()
}

// pair writes a name and its value.
func (d *detail) pair(title, text string, align fyne.TextAlign) {
	lines := 3
	if align == fyne.TextAlignLeading {
		lines = 12
	}
	value := kit.NewBody(text, lines)
	value.Align = align
	if align == fyne.TextAlignLeading {
		value.Color = kit.ColorSecondary
	}
	d.pairs.Objects = append(d.pairs.Objects, kit.NewCaption(title, 2), value)
}

// pairsLayout is names on the left and values on the right, one below the other.
type pairsLayout struct{ width float32 }

const nameShare = 0.44

// HeightFor returns the height at a width.
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
