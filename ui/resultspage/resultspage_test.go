package resultspage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/measure"
)

// texts returns the cells of a visible row.
func (s *stand) texts(row int) string {
	var cells []string
	for i := range s.table.shown {
		cells = append(cells, s.table.cell(row, i).Text)
	}
	return strings.Join(cells, "|")
}

// columnNamed is the index of a visible column; the test ends if it is not visible.
func (s *stand) columnNamed(t *testing.T, name string) int {
	t.Helper()
	for i, c := range s.table.shown {
		if c.Name == name {
			return i
		}
	}
	t.Fatalf("no column %s is on show", name)
	return -1
}

func press(w fyne.Focusable, keys ...fyne.KeyName) {
	for _, k := range keys {
		w.TypedKey(&fyne.KeyEvent{Name: k})
	}
}

func TestResultsFollowARun(t *testing.T) {
	uitest.Alone(t)
	s := open(t, kit.AlwaysDark, uitest.Usual)
	if !uitest.Says(s.View.Object, "No results yet") {
		t.Error("an empty page does not say so")
	}
	uitest.Play(s.Desk, "running")
	if s.table.Rows() != 4 || !uitest.Says(s.View.Object, "running · 4 correct") {
		t.Errorf("%d rows of 4 while the run goes on: %q", s.table.Rows(), s.head.facts.Content)
	}
	if !s.head.pin.Disabled() || !s.head.export.Disabled() {
		t.Error("a run that goes on can be pinned or exported")
	}
	uitest.Play(s.Desk, "failed")
	if s.table.Rows() != 10 || !strings.Contains(s.head.warnings.Content, "device lost") {
		t.Errorf("%d rows, warnings %q", s.table.Rows(), s.head.warnings.Content)
	}
	s.table.Choose(9)
	if got := s.texts(9); !strings.Contains(got, "Wrong result") || !strings.Contains(got, "element 17 is 3.5") {
		t.Errorf("the row of a wrong result says %q", got)
	}
	if got := s.detail.notes.Content; !strings.Contains(got, "element 17 is 3.5") {
		t.Errorf("below it says %q", got)
	}
}

func TestSortAndFilter(t *testing.T) {
	uitest.Alone(t)
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	s.table.Choose(7)
	was := s.table.result()
	s.table.OnSorted(s.columnNamed(t, "flops_per_s"))
	first, last := s.table.rows[0], s.table.rows[len(s.table.rows)-1]
	if g := s.shown.Results; g[first].Number(workloads.Throughput) > 5e9 || g[last].Number(workloads.Throughput) < 180e9 {
		t.Errorf("sorted by throughput from %v to %v", g[first].Number(workloads.Throughput), g[last].Number(workloads.Throughput))
	}
	if s.table.result() != was {
		t.Error("sorting chose another row")
	}
	s.table.OnSorted(s.columnNamed(t, "flops_per_s"))
	if s.table.rows[0] != last {
		t.Error("a second time does not turn it round")
	}
	test.Type(s.filter.Inputs[0].Entry, "MLP correct")
	if got := s.filter.Count.Content; got != "8 of 14 rows" {
		t.Errorf("the filter tells %q", got)
	}
	if len(s.chart.drawn) != 1 || len(s.chart.drawn[0].plot.Model.Series[0].Y) != 8 {
		t.Error("the chart does not follow the filter")
	}
	s.filter.Inputs[0].Entry.SetText("nothing like that")
	if s.table.Rows() != 0 || !uitest.Says(s.View.Object, "Clear the filter") {
		t.Error("no row, and nothing says so")
	}
	test.Tap(s.filter.Clear)
	if got := s.filter.Count.Content; got != "14 rows" || s.filter.Inputs[0].Entry.Text != "" {
		t.Errorf("after clearing it tells %q", got)
	}
	s.filter.Input("marked").Check.SetChecked(true)
	if s.table.Rows() != 1 || s.shown.Results[s.table.rows[0]].MarkText() != "knee" {
		t.Error("findings only: not the knee")
	}
}

func TestKeyboardChoosesAndSorts(t *testing.T) {
	uitest.Alone(t)
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(manyRun(1000))
	table := s.table
	s.Desk.Window.Canvas().Focus(table.TableView)
	press(table, fyne.KeyDown, fyne.KeyDown)
	if table.At() != 1 {
		t.Errorf("two downs choose row %d", table.At())
	}
	press(table, fyne.KeyEnd)
	if table.At() != 999 || s.detail.shown != &s.shown.Results[999] {
		t.Errorf("End chooses row %d", table.At())
	}
	press(table, fyne.KeyPageUp)
	if at := table.At(); at > 990 || at < 960 {
		t.Errorf("a page up from the end is row %d", at)
	}
	press(table, fyne.KeyHome, fyne.KeyRight, fyne.KeyRight, fyne.KeyRight)
	if !strings.HasPrefix(s.hint.Content, "Time: ") {
		t.Errorf("at the head of Time it tells %q", s.hint.Content)
	}
	press(table, fyne.KeySpace, fyne.KeySpace)
	if table.by != "time_s" || !table.descending {
		t.Errorf("sorted by %q, descending %v", table.by, table.descending)
	}
	table.TypedShortcut(&fyne.ShortcutCopy{})
	if got := s.Desk.App.Clipboard().Content(); !strings.Contains(got, "\t") || !strings.HasPrefix(got, "Case\t") {
		t.Errorf("copied %q", got)
	}
}

func TestColumnsAreRemembered(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	if s.table.shows("outliers") || !s.table.shows("flops_per_s") || s.table.shows("snr_db") {
		t.Error("usual columns: want throughput, neither outliers nor what is empty")
	}
	s.showColumn("outliers", true)
	s.showColumn("flops_per_s", false)
	if !s.table.shows("outliers") || s.table.shows("flops_per_s") {
		t.Error("the choice has no effect")
	}
	s.Desk.ShowRun(runNamed("20261120-130000-batching", 1))
	if !s.table.shows("outliers") || s.Desk.Settings.Columns()["flops_per_s"] {
		t.Error("the choice is forgotten with the next run")
	}
	test.Tap(s.head.copy)
	if got := s.Desk.App.Clipboard().Content(); !strings.Contains(got, "Outliers") || strings.Contains(got, "Throughput") ||
		strings.Count(got, "\n| matmul") != 6 {
		t.Errorf("as Markdown: %q", got)
	}
}

func TestBaseline(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "baseline")
	verdict := s.columnNamed(t, "verdict")
	if cell := s.table.cell(0, verdict); cell.Text != "slower" || cell.Icon == nil {
		t.Errorf("a row that took 0.88 of the time before is %q", cell.Text)
	}
	if cell := s.table.cell(5, verdict); cell.Text != "faster" || cell.Icon == nil {
		t.Errorf("a row that took 1.1 of the time before is %q", cell.Text)
	}
	for _, want := range []string{"Baseline: Batching · 19 Nov 2026, 09:00", "Slower in 3 of 14 rows", "geometric mean of 14 rows", "Assay"} {
		if !uitest.Says(s.baseline.object, want) {
			t.Errorf("the strip does not say %q: %q", want, uitest.Texts(s.baseline.object))
		}
	}
	test.Tap(uitest.Button(t, s.View.Object, "Show Baseline"))
	if s.shown.Meta.ID != "20261119-090000-batching" || !uitest.Says(s.baseline.object, "This is the baseline") {
		t.Errorf("shows %s", s.shown.Meta.ID)
	}
	if s.baseline.show.Visible() || s.baseline.unpin.Visible() {
		t.Error("beside the baseline itself, it can be shown, or unpinned in two ways")
	}
	test.Tap(uitest.Button(t, s.View.Object, "Unpin Baseline"))
	if s.baseline.object.Visible() || s.table.shows("verdict") {
		t.Error("unpinning leaves something behind")
	}
}

// Verdicts are visible beside the names in the default window, uncut; the hint of one has its reason.
func TestVerdictsAreInSight(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := runNamed("20261120-120000-batching", 1.5)
	for i := range run.Results {
		run.Results[i].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	}
	s.Desk.PinBaseline(runNamed("20261119-090000-batching", 1))
	s.Desk.ShowRun(run)
	s.Desk.Settle()
	verdict := s.columnNamed(t, "verdict")
	if cell, why := s.table.cell(0, verdict).Text, s.table.explain(0, verdict); cell != "not comparable" || !strings.HasPrefix(why, "not comparable: ") {
		t.Errorf("the first row says %q, and its hint %q", cell, why)
	}
	columns, end := s.table.Columns(), float32(0)
	for i := range verdict + 1 {
		end += columns[i].Width + kit.CellPads
	}
	if columns[verdict].Width < kit.CellWidth("not comparable", true) || end > s.table.Size().Width {
		t.Errorf("the verdicts are %g wide and end at %g of %g", columns[verdict].Width, end, s.table.Size().Width)
	}
}

func TestExports(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	dir := t.TempDir()
	for i, name := range []string{"a.csv", "a.json", "a.html", "a.txt"} {
		c := &uitest.Chooser{Path: filepath.Join(dir, name)}
		s.Desk.AskBy(c)
		s.Desk.Export(s.shown, report.Formats()[i])
		s.Desk.Settle()
		data, err := os.ReadFile(c.Path)
		if err != nil || !strings.Contains(string(data), "matmul") {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		if !strings.HasPrefix(s.Desk.Model.Notice, "Exported 14 results to ") {
			t.Errorf("%s: told %q", name, s.Desk.Model.Notice)
		}
	}
}

func TestPickerOffersRunsAndHistory(t *testing.T) {
	uitest.Alone(t)
	s := open(t, kit.AlwaysDark, uitest.Usual)
	for i := range 3 {
		s.Desk.ShowRun(runNamed(fmt.Sprintf("2026112%d-120000-batching", i), 1))
	}
	if got := len(s.head.picker.Options); got != 4 {
		t.Fatalf("%d options, want three runs and History", got)
	}
	s.head.picker.SetSelectedIndex(2)
	if s.shown.Meta.ID != "20261120-120000-batching" {
		t.Errorf("shows %s", s.shown.Meta.ID)
	}
	s.head.picker.SetSelectedIndex(3)
	if len(s.Shown) != 1 || s.Shown[0] != "history" || s.head.picker.SelectedIndex() == 3 {
		t.Errorf("History: brought %v to the front", s.Shown)
	}
}

// Arrow keys move from run to run: none leaves the page.
func TestArrowsStayAmongTheRuns(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	for i := range 2 {
		s.Desk.ShowRun(runNamed(fmt.Sprintf("2026112%d-120000-batching", i), 1))
	}
	press := func(key fyne.KeyName, times int) {
		for range times {
			s.head.picker.TypedKey(&fyne.KeyEvent{Name: key})
		}
	}
	press(fyne.KeyRight, 1)
	if s.shown.Meta.ID != "20261120-120000-batching" {
		t.Fatalf("shows %s, want the older run", s.shown.Meta.ID)
	}
	s.Desk.ShowRun(runNamed("20261122-120000-batching", 1))
	press(fyne.KeyRight, 5)
	press(fyne.KeyLeft, 5)
	if len(s.Shown) != 0 {
		t.Errorf("arrows brought %v to the front", s.Shown)
	}
}

// Columns are chosen while another run, with fewer columns, is shown.
func TestColumnsDialogOutlivesTheRun(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "baseline") // which adds columns
	s.chooseColumns()
	all := len(s.table.all)
	s.Desk.PinBaseline(nil)
	s.Desk.ShowRun(runNamed("20261122-120000-batching", 1))
	if len(s.table.all) >= all {
		t.Fatalf("%d columns, want fewer than %d", len(s.table.all), all)
	}
	top := s.Desk.Window.Canvas().Overlays().Top()
	check, ok := uitest.Find(top, func(c *kit.Check) bool { return c.Text == "Time" })
	if !ok {
		t.Fatal("no check for the time")
	}
	test.Tap(check)
	if s.table.shows("time_s") {
		t.Error("the time is shown, and was not wanted")
	}
	test.Tap(uitest.Button(t, top, "Default Columns"))
	if !s.table.shows("time_s") || !check.Checked {
		t.Errorf("the time is not shown by default; its check is %v", check.Checked)
	}
}

// Tab reaches every column, scrolling the list, and Escape leaves.
func TestColumnsByKeyboard(t *testing.T) {
	uitest.Alone(t)
	s := open(t, kit.AlwaysDark, fyne.NewSize(uitest.Smallest.Width, 480))
	uitest.Play(s.Desk, "finished")
	s.chooseColumns()
	c := s.Desk.Window.Canvas()
	first, ok := c.Focused().(*kit.Check)
	if !ok {
		t.Fatalf("the focus is at %v", c.Focused())
	}
	for range len(s.table.all) - 1 {
		test.FocusNext(c)
	}
	last, ok := c.Focused().(*kit.Check)
	if !ok || last == first {
		t.Fatalf("after %d columns the focus is at %v", len(s.table.all), c.Focused())
	}
	scroll, _ := uitest.Find(c.Overlays().Top(), func(s *container.Scroll) bool { return s.Offset.Y > 0 })
	if scroll == nil {
		t.Error("the last column is not scrolled into sight")
	}
	last.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if c.Overlays().Top() != nil {
		t.Error("Escape does not leave")
	}
}

// A finding shows when it comes, and the chosen row stays when the run ends.
func TestFindingsAndTheEndKeepTheRow(t *testing.T) {
	uitest.Alone(t)
	s := open(t, kit.AlwaysDark, uitest.Usual)
	uitest.Play(s.Desk, "running")
	s.table.Choose(3)
	mark := func() string { return s.table.result().MarkText() }
	run := uitest.FinishedRun(uitest.Sweep())
	s.Desk.Take(app.FindingUpdate{Finding: run.Findings[0]})
	if mark() != "knee" || !strings.Contains(s.detail.notes.Content, "Knee:") {
		t.Errorf("the finding is marked %q, and the row says %q", mark(), s.detail.notes.Content)
	}
	s.Desk.Take(app.EndUpdate{Run: run})
	if r := s.table.result(); r == nil || r.Case != "matmul 512" || s.table.run != run {
		t.Errorf("at the end %v is chosen", r)
	}
	s.Desk.ShowRun(runNamed("20261122-120000-batching", 1))
	if r := s.table.result(); r != nil {
		t.Errorf("%s of another run is chosen", r.Case)
	}
}

func TestChartMarksTheChosenRow(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	s.table.Choose(3)
	plot := s.chart.drawn[0].plot
	series, k, ok := plot.Find(s.table.result().ID)
	if !ok {
		t.Fatal("does not find the chosen row")
	}
	if x, y := plot.Model.Series[series].At(k); x != 512 || y < 167e9 || y > 169e9 {
		t.Errorf("marks %v, %v", x, y)
	}
	s.table.Choose(10)
	if s.chart.at != 1 {
		t.Error("the chart of another row is not shown")
	}
	if _, ok := s.chart.drawn[0].marked(&workloads.Result{Workload: "fusion"}); ok {
		t.Error("marks what it does not show")
	}
}

func TestChosenRowThatIsNotDrawn(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := runNamed("20261120-120000-batching", 1)
	run.Results[2].Status, run.Results[2].Failure.Text = workloads.Failed, "element 17 is 3.5, want 3.25"
	s.Desk.ShowRun(run)
	s.table.Choose(2)
	want := "Not in this chart: " + run.Results[2].Case + ", f32. Not verified."
	if !s.chart.note.Visible() || s.chart.note.Content != want {
		t.Errorf("tells %q, want %q", s.chart.note.Content, want)
	}
	s.table.Choose(3)
	if s.chart.note.Visible() {
		t.Error("the note stays beside a marked row")
	}
	other := len(s.chart.drawn) - 1
	s.chart.menu.SetSelectedIndex(other)
	if want := "Another chart shows it."; !strings.HasSuffix(s.chart.note.Content, want) {
		t.Errorf("tells %q, want %q", s.chart.note.Content, want)
	}
}

func TestBarsSideBySideAreMarked(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := runNamed("20261120-120000-fusion", 1)
	run.Results = uitest.FusionResults()
	s.Desk.ShowRun(run)
	at := slices.IndexFunc(run.Results, func(r workloads.Result) bool { return r.Baseline == "" && r.Status == workloads.OK })
	if at < 0 {
		t.Fatal("no result of separate kernels")
	}
	s.table.Choose(at)
	d := &s.chart.drawn[s.chart.at]
	m, ok := d.marked(s.table.result())
	if !ok || d.plot.View.Title == "" {
		t.Fatalf("it is shown in %q, marked %v; want the bars side by side", d.title, ok)
	}
	if got := m.Marks[len(m.Marks)-1]; got.Label != "chosen: "+run.Results[at].Variant || len(m.Marks) != len(d.plot.Model.Marks)+1 {
		t.Errorf("marked by %+v", got)
	}
}

func TestRunsWithNothingInCommon(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	base := runNamed("20261119-090000-fusion", 1)
	base.Results = uitest.FusionResults()
	s.Desk.PinBaseline(base)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	s.Desk.Settle()
	if !uitest.Says(s.baseline.object, "no case in common") {
		t.Errorf("the strip says %q", uitest.Texts(s.baseline.object))
	}
}

// A run of the leak control has no results, which is not a failure: the page reports its success, and where to look.
func TestControlIsNoFailure(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := &bundle.Run{Meta: uitest.SweepMeta(), Dir: "/home/ada/runs/leak", Events: []bundle.Event{
		{Kind: "leak", Title: "Buffers not released", Text: "leak: 160 buffers, 80 MB"},
	}}
	run.Meta.Jobs = []bundle.Job{{Workload: "leak"}}
	run.Meta.Finished, run.Meta.State = uitest.Epoch.Add(8*time.Second), bundle.Finished
	s.Desk.ShowRun(run)
	if got := s.head.warnings; !strings.HasPrefix(got.Content, "The detectors work") || got.Color != theme.ColorNameSuccess {
		t.Errorf("told %q in %s", got.Content, got.Color)
	}
	if !strings.Contains(s.nothing.Content, "the Run page") {
		t.Errorf("in the place of rows: %q", s.nothing.Content)
	}
}

// A verified result shows how much of its output was compared.
func TestHowMuchWasCompared(t *testing.T) {
	r := uitest.FusionResults()[0]
	r.Values.SetNumber(workloads.Compared, 256)
	r.Values.SetNumber(workloads.Outputs, 4096)
	if got := notesOf(&r, nil); !strings.Contains(got, "256 of 4,096 output elements compared") {
		t.Errorf("notes %q", got)
	}
}

// TestDoubtsStandBesideTheStatus shows a result with warnings: how many, and on hover which.
func TestDoubtsStandBesideTheStatus(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := uitest.FinishedRun(uitest.Sweep())
	run.Results[1].Warn("drift", "drifted by 9 %")
	run.Results[1].Warn("interval", "interval ± 2.6 %")
	run.Results[2].Warn("disturbed", "disturbed: other programs used 63 % of the CPU")
	s.Desk.ShowRun(run)
	status, doubt := s.columnNamed(t, "status"), s.columnNamed(t, "doubt")
	if doubt != status+1 || s.table.cell(0, status).Text != "Correct" {
		t.Errorf("column %d, the status %d is %q", doubt, status, s.table.cell(0, status).Text)
	}
	if calm, odd := s.table.cell(0, doubt), s.table.cell(1, doubt); calm.Text != "" || calm.Icon != nil || odd.Text != "2" || odd.Icon == nil {
		t.Errorf("without warnings %+v, with two %+v", calm, odd)
	}
	if got := s.table.cell(2, doubt).Text; got != "disturbed" {
		t.Errorf("a disturbed result is marked %q", got)
	}
	if got := s.table.About(1, doubt); got != "Drifted by 9 %.\nInterval ± 2.6 %." {
		t.Errorf("explained by %q", got)
	}
	if got := s.table.About(1, s.columnNamed(t, "notes")); !strings.Contains(got, "drifted by 9 %") || s.table.About(0, doubt) != "" {
		t.Errorf("the notes are explained by %q", got)
	}
}
