package runpage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/app/report"
	"assay/internal/chart"
	"assay/internal/si"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// chartCard shows a workload's charts with points of live tuning, and the newest result.
type chartCard struct {
	desk    *desk.Desk
	tabs    *kit.Segments   // of few charts
	menu    *kit.Select     // of many
	over    *kit.Select     // what their X axes show
	by      *kit.Select     // what their Y axes show
	axes    *fyne.Container // holds both
	holder  *fyne.Container
	names   []string // of the charts
	plots   []view.Plot
	at      int    // the chart on show
	of      string // the name of the workload that picked and newest belong to
	picked  string // the name of the chart that the user chose; empty: none
	newest  string // the name of the chart that has the newest point; empty: none
	plot    *uichart.Plot
	empty   *kit.Text // why there is no chart
	latest  *kit.Text
	all     *kit.Button
	export  *kit.Button
	leaks   *kit.Button     // for a workload that measures nothing: leads to where its leak is examined
	bar     *fyne.Container // what chooses the chart, and buttons
	barring *barLayout
	foot    *fyne.Container // the newest result
	footing footLayout
	object  *fyne.Container
	head    *fyne.Container
}

const (
	chartPad  = 10
	axisWidth = 172 // of a menu of what an axis shows, at 100 %
)

// setWidth sets the card's future width, so that its minimum height is right before it is laid out.
func (v *chartCard) setWidth(width float32) {
	v.footing.width, v.barring.width = width-2*chartPad, width-2*chartPad
	v.plot.SetMinSize(fyne.NewSize(160, kit.Scaled(150)))
}

// manyCharts is the minimum number of charts for a menu of them.
const manyCharts = 4

func newChartCard(d *desk.Desk) *chartCard {
	v := &chartCard{desk: d, holder: container.NewStack(), plot: uichart.NewPlot(nil), latest: kit.NewCaption("", 6), barring: &barLayout{}}
	d.Pace(v.plot)
	v.all = kit.NewButton("All Results", func() { d.ShowOutcome(d.Model.Outcome()) })
	v.export = kit.NewButton("Export CSV…", d.ExportCSV)
	v.leaks = kit.NewButton("Leak Lab", func() { d.Show(desk.PageMemory) })
	for _, b := range []*kit.Button{v.all, v.export, v.leaks} {
		b.Importance = widget.LowImportance
	}
	v.by = kit.NewSelect(nil, func(string) { v.update() })
	v.over = kit.NewSelect(nil, func(string) { v.update() })
	v.axes = container.NewHBox(container.New(kit.ScaledWidth{Width: axisWidth}, v.over), container.New(kit.ScaledWidth{Width: axisWidth}, v.by))
	v.bar = container.New(v.barring, v.holder, v.axes, v.all, v.export, v.leaks)
	v.foot = container.New(&v.footing, v.latest)
	v.empty = kit.NewBody("", 5)
	v.empty.Color, v.empty.Align = kit.ColorSecondary, fyne.TextAlignCenter
	body := container.NewStack(kit.OnPanel(v.plot), container.New(middleLayout{}, v.empty))
	v.head = container.New(kit.HeadedLayout{Gap: 8}, v.bar, body)
	v.object = kit.NewPanel(container.NewBorder(nil, v.foot, nil, nil, v.head), chartPad)
	v.setWidth(0)
	return v
}

// footLayout reserves two lines for the newest result, or as many as it needs.
type footLayout struct{ width float32 }

func (l *footLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := kit.LinesLayout{Lines: 2}.MinSize(o)
	if l.width > 0 {
		size.Height = max(size.Height, o[0].(*kit.Text).HeightFor(l.width))
	}
	return size
}

func (l *footLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	kit.LinesLayout{Lines: 2}.Layout(o, size)
}

// middleLayout centers a text vertically.
type middleLayout struct{}

func (middleLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

func (middleLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := o[0].(*kit.Text).HeightFor(size.Width - 48)
	o[0].Resize(fyne.NewSize(size.Width-48, height))
	o[0].Move(fyne.NewPos(24, (size.Height-height)/2))
}

// update redraws the charts and the newest result of the chosen workload, and reports whether they need another height.
func (v *chartCard) update() bool {
	before := v.object.MinSize().Height
	o := v.desk.Model.Outcome()
	v.forget()
	v.offer(o)
	v.draw(o)
	v.tell(o)
	return v.object.MinSize().Height != before
}

// forget drops the chart that was chosen in another workload, which may have a chart with the same name.
func (v *chartCard) forget() {
	if name := v.desk.Model.Workload().Name; name != v.of {
		v.of, v.picked, v.newest = name, "", ""
	}
}

// offer shows the actions for the results.
func (v *chartCard) offer(o *desk.Outcome) {
	measures := v.desk.Model.Workload().Views != nil
	kit.Show(v.all, measures)
	kit.Show(v.export, measures)
	kit.Show(v.leaks, !measures)
	kit.Able(v.export, o.Run != nil && len(o.Results) > 0)
	kit.Able(v.all, len(o.Results) > 0)
	name := "All Results"
	if n := len(o.Results); n > 0 {
		name += " (" + si.Count(n) + ")"
	}
	if v.all.Text != name {
		v.all.SetText(name)
	}
	v.bar.Refresh()
}

// draw draws the charts.
func (v *chartCard) draw(o *desk.Outcome) {
	m := v.desk.Model
	_, results := m.Standing()
	ran := o.Params(m.Workload().Name)
	v.plots = view.PlotsWith(v.shown(ran), results, ran, m.Tuning().Points)
	for i, menu := range []*kit.Select{v.over, v.by} {
		kit.Show(menu, len(menu.Options) > 1 && len(v.plots) > 0)
		kit.Show(v.axes.Objects[i], menu.Visible())
	}
	kit.Show(v.axes, v.over.Visible() || v.by.Visible())
	var names []string
	for _, p := range v.plots {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, v.names) {
		v.names = names
		v.listCharts()
	}
	v.choose(v.wanted())
}

// wanted is the chart that the user chose, where it is on offer, or else the one with the newest point.
func (v *chartCard) wanted() int {
	if i := slices.Index(v.names, v.picked); i >= 0 {
		return i
	}
	return slices.Index(v.names, v.newest)
}

// shown returns the chosen workload with the chosen quantities on the axes of its charts, for a run with these values.
func (v *chartCard) shown(ran workloads.Values) *workloads.Workload {
	w := v.desk.Model.Workload()
	across, up := w.Quantities()
	view.OfferAxis(v.over, "X", across, 0)
	view.OfferAxis(v.by, "Y", up, 0)
	if ran == nil {
		ran = v.desk.Model.Drafts[w.Name].Values
	}
	return w.Showing(workloads.Shown{X: v.over.SelectedIndex(), Y: v.by.SelectedIndex()}, ran)
}

// pick shows chart i, now and whenever it exists later.
func (v *chartCard) pick(i int) {
	if i >= 0 && i < len(v.names) {
		v.picked = v.names[i]
	}
	v.choose(i)
}

// listCharts offers the charts: as segments if few, in a menu if many.
func (v *chartCard) listCharts() {
	v.tabs, v.menu = nil, nil
	v.holder.Objects = nil
	switch n := len(v.names); {
	case n >= manyCharts:
		v.menu = kit.NewSelect(v.names, func(string) { v.pick(v.menu.SelectedIndex()) })
		v.holder.Objects = []fyne.CanvasObject{container.New(kit.ScaledWidth{Width: 220}, v.menu)}
	case n > 1:
		v.tabs = kit.NewSegments(v.pick, v.names...)
		v.holder.Objects = []fyne.CanvasObject{container.NewHBox(v.tabs.Object)}
	}
	v.bar.Refresh()
	v.head.Refresh()
}

// choose shows chart i, or the first if there is no such chart.
func (v *chartCard) choose(i int) {
	v.at = max(0, i)
	if v.tabs != nil {
		v.tabs.Show(v.at)
	}
	if v.menu != nil && v.menu.SelectedIndex() != v.at {
		v.menu.Selected = v.names[v.at]
		v.menu.Refresh()
	}
	switch live := v.liveBytes(); {
	case v.at < len(v.plots):
		v.show(report.MarkCaveats(&v.desk.Model.Outcome().Meta, v.plots[v.at].Model))
	case live != nil:
		v.show(live)
	default:
		v.plot.SetModel(nil)
		v.plot.Hide()
		v.empty.Set(v.noChart())
		v.empty.Show()
	}
}

// liveBytes is the chart of a workload that measures nothing.
func (v *chartCard) liveBytes() *chart.Model {
	if v.desk.Model.Workload().Views != nil {
		return nil
	}
	return liveBytes(v.desk, v.desk.Model.Outcome())
}

// show shows a chart.
func (v *chartCard) show(m *chart.Model) {
	v.empty.Hide()
	v.plot.Show()
	v.plot.SetModel(m)
}

// followNewest shows a chart that has the newest point of live tuning, unless the user chose one, or the visible one has it.
func (v *chartCard) followNewest() {
	if v.at < len(v.plots) && v.plots[v.at].Newest {
		return
	}
	if i := slices.IndexFunc(v.plots, func(p view.Plot) bool { return p.Newest }); i >= 0 {
		v.newest = v.names[i]
		v.choose(v.wanted())
	}
}

// explain updates the reason why there is nothing to draw, if there is nothing.
func (v *chartCard) explain() {
	if v.empty.Visible() {
		v.empty.Set(v.noChart())
	}
}

// noChart says why there is nothing to draw.
func (v *chartCard) noChart() string {
	m := v.desk.Model
	o := m.Outcome()
	problem := m.Problem()
	switch {
	case o.Phase == desk.Idle && problem != "": // Run is disabled
		return "No results. " + strings.TrimRight(problem, ".") + "."
	case m.Workload().Views == nil && o.Phase == desk.Idle:
		return "Press Run to see live bytes grow as it leaks."
	case m.Workload().Views == nil && o.Phase.Busy():
		return "Waiting for live bytes."
	case m.Workload().Views == nil:
		return "Live bytes of this run are not available."
	case o.Phase.Busy():
		return "Measuring. Points appear as they are verified."
	case o.Phase == desk.Idle && m.Live && m.CannotTune() == "":
		return "No results yet. Press Run, or move a slider to measure one setting."
	case o.Phase == desk.Idle:
		return "No results yet. Press Run."
	}
	if o.Phase == desk.Stopped && len(o.Results) == 0 {
		return "Stopped before the first result."
	}
	return "No verified results to draw."
}

// tell shows the newest result while the run is in progress, and afterward only one that has no time. Any other would then just
// be the one that came last.
func (v *chartCard) tell(o *desk.Outcome) {
	n := len(o.Results)
	on := n > 0 && (o.Phase.Busy() || o.Results[n-1].Status != workloads.OK)
	if on != v.foot.Visible() {
		kit.Show(v.foot, on)
		v.object.Refresh()
	}
	if !on {
		return
	}
	r := &o.Results[len(o.Results)-1]
	before := v.foot.MinSize().Height
	v.latest.SetColored("Latest: "+resultText(r, v.desk.Model.Workload()), themeOf(r))
	if v.foot.MinSize().Height != before {
		v.object.Refresh()
	}
}

// resultText describes a result in one line.
func resultText(r *workloads.Result, w *workloads.Workload) string {
	parts := []string{r.Case + ", " + r.Variant}
	if r.Status != workloads.OK {
		return strings.Join(append(parts, strings.ToLower(r.Status.Title()), r.Reason()), " · ")
	}
	parts = append(append(parts, app.Rates(r, w)...), view.Quantity(r.Time().Median, "s"))
	if s := r.Speedup().Median; s > 0 {
		parts = append(parts, si.ChangeFrom(s, s, s, r.Baseline))
	}
	parts = append(parts, "verified", si.Counted(max(len(r.Samples), int(r.Number(workloads.Samples))), "sample"))
	for _, w := range r.Warnings {
		parts = append(parts, w.Text)
	}
	return strings.Join(parts, " · ")
}

func themeOf(r *workloads.Result) fyne.ThemeColorName {
	if r.Status == workloads.Failed || r.Status == workloads.Errored {
		return theme.ColorNameError
	}
	return kit.ColorSecondary
}
