package view

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/kit"
)

// everything is a snapshot in which every metric of every card has a value.
func everything(second float64) monitor.Snapshot {
	s := monitor.Snapshot{Time: at(second)}
	for _, c := range liveCards() {
		for _, m := range c.metrics {
			s.Readings = append(s.Readings, monitor.Reading{Metric: m.metric, Value: 1 + second, Unit: string(m.unit), Status: monitor.OK, Source: "test"})
		}
		for _, state := range c.states {
			s.Readings = append(s.Readings, monitor.Reading{Metric: state.metric, Text: monitor.Nominal, Status: monitor.OK})
		}
	}
	return s
}

// newApp is an application in the look of the window.
func newApp(t testing.TB) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewLook(kit.AlwaysDark))
}

// Cards never overlap and fill the width, at any size.
func TestGridReflows(t *testing.T) {
	newApp(t)
	for _, c := range []struct {
		width, height float32
		columns       int
	}{{640, 500, 2}, {988, 570, 3}, {1168, 665, 3}, {1500, 900, 4}, {2448, 1300, 5}} {
		r := NewRecord([]monitor.Snapshot{everything(0), everything(1)})
		g := NewLiveGrid(r)
		w := test.NewTempWindow(t, g.Object)
		w.SetPadded(false)
		w.Resize(fyne.NewSize(c.width, c.height))
		if g.grid.columns != c.columns {
			t.Errorf("%v columns at %v", g.grid.columns, c.width)
		}
		cards := g.cards.Objects
		if end := cards[c.columns-1].Position().X + cards[c.columns-1].Size().Width; end != c.width {
			t.Errorf("the last column ends at %v in a width of %v", end, c.width)
		}
		for i, a := range cards {
			if end := a.Position().X + a.Size().Width; a.Size().Width < 280 || a.Size().Height < minCardHeight || end > c.width+0.5 {
				t.Errorf("card %d at %v, %v in a width of %v", i, a.Position(), a.Size(), c.width)
			}
			for k, b := range cards[:i] {
				if overlap(a, b) {
					t.Errorf("cards %d and %d overlap at %v", k, i, c.width)
				}
			}
		}
	}
}

func overlap(a, b fyne.CanvasObject) bool {
	p, q := a.Position(), b.Position()
	return p.X < q.X+b.Size().Width && q.X < p.X+a.Size().Width && p.Y < q.Y+b.Size().Height && q.Y < p.Y+a.Size().Height
}

// Cards scrolled out of view are not drawn before they become visible.
func TestOnlyWhatIsInSightIsDrawn(t *testing.T) {
	newApp(t)
	r := NewRecord([]monitor.Snapshot{everything(0)})
	g := NewLiveGrid(r)
	w := test.NewTempWindow(t, g.Object)
	w.Resize(fyne.NewSize(700, 400))
	r.Add(everything(1))
	g.Update()
	first, last := g.views[0], g.views[len(g.views)-1]
	if first.stale || !last.stale || g.inSight(last) {
		t.Fatalf("in sight is stale: %v, out of sight: %v", first.stale, last.stale)
	}
	g.scroll.ScrollToBottom()
	if last.stale || !g.inSight(last) {
		t.Error("what came into sight was not drawn")
	}
}

// The value's name and the state are distinct, and a card without a value shows none.
func TestCardsTellWhatTheFigureIs(t *testing.T) {
	newApp(t)
	at := func(second float64, level monitor.State, flops float64) monitor.Snapshot {
		s := everything(second)
		for i := range s.Readings {
			switch k := &s.Readings[i]; k.Metric {
			case monitor.MemoryPressureLevel:
				k.Text = level
			case monitor.EngineFlops:
				k.Value = flops
			}
		}
		return s
	}
	r := NewRecord([]monitor.Snapshot{at(0, monitor.Normal, 0), at(1, monitor.Critical, 0), at(2, monitor.Warning, 0)})
	told := func(g *LiveGrid, card int) string {
		g.Object.Resize(fyne.NewSize(1168, 665))
		v := g.views[card]
		v.redraw()
		return v.caption.Content + " | " + v.figure.Content
	}
	live := NewLiveGrid(r)
	for _, c := range []struct{ got, want string }{
		{told(live, 5), "in use · pressure: warning | 300 %"},
		{told(NewReplay(r), 5), "in use, max · worst pressure: critical | 300 %"},
		{told(live, 0), "compute | no run"},
		{told(live, 4), "command buffers | 3"},
	} {
		if c.got != c.want {
			t.Errorf("a card tells %q, want %q", c.got, c.want)
		}
	}
	r.BeginRun(dawn, "Batching")
	if got := told(live, 0); got != "compute | 0 FLOP/s" {
		t.Errorf("in a run it tells %q", got)
	}
	narrow := live.views[5]
	narrow.body.Resize(fyne.NewSize(narrow.figure.MinSize().Width+8+110, 200))
	if got := narrow.caption.Content; got != "pressure: warning" {
		t.Errorf("where there is little room it tells %q", got)
	}
}

// If there is little height the cards scroll instead of shrinking: a curve needs some height.
func TestCardsAreNotSqueezed(t *testing.T) {
	newApp(t)
	g := NewLiveGrid(NewRecord([]monitor.Snapshot{everything(0), everything(1)}))
	g.views = g.views[:9]
	g.arrange()
	g.Object.Resize(fyne.NewSize(988, 570)) // of a window of 1100 × 700
	if least := kit.Scaled(200); g.grid.cell.Height < least || g.grid.height <= 570 {
		t.Errorf("cards are %v high of at least %v, all of them %v", g.grid.cell.Height, least, g.grid.height)
	}
}

// Phases are named on all cards or on none, at any size.
func TestPhasesAreNamedOnAllCardsOrNone(t *testing.T) {
	newApp(t)
	for height, want := range map[float32]bool{560: true, 640: false, 760: true} {
		r := NewRecord([]monitor.Snapshot{everything(0), everything(1)})
		g := NewLiveGrid(r)
		g.views = g.views[:9]
		g.arrange()
		g.Object.Resize(fyne.NewSize(988, height))
		for _, v := range g.views {
			if v.named != want {
				t.Errorf("%s in a height of %v: named %v", v.card.title, height, v.named)
			}
		}
	}
}

func TestChartsStartAnewWithARun(t *testing.T) {
	newApp(t)
	r := &Record{}
	for i := range 300 {
		r.Add(everything(float64(i)))
	}
	g := NewLiveGrid(r)
	g.Show(WholeRun)
	c := g.views[0].plot.(*liveChart)
	if from := c.from(); from != 0 {
		t.Errorf("before a run the whole begins at %v s", from)
	}
	r.BeginRun(at(300), "Batching")
	r.BeginCase(at(300), "matmul 64")
	r.Add(everything(301))
	g.Update()
	if from := c.from(); from != 300 || c.turn != 1 {
		t.Errorf("the whole of the run begins at %v s", from)
	}
	g.Show(OneMinute)
	if got := len(r.phasesSince(nil, c.from())); got != 1 {
		t.Errorf("%d cases are shaded", got)
	}
}

func TestManyCasesAreShadedAsTheirRun(t *testing.T) {
	r := NewRecord([]monitor.Snapshot{everything(0)})
	r.BeginRun(at(0), "Batching")
	for i := range 3 * maxShaded {
		r.BeginCase(at(float64(i)), fmt.Sprint("case ", i))
	}
	if got := r.phasesSince(nil, 0); len(got) != 1 || got[0].Label != "Batching" {
		t.Errorf("%d stretches are shaded", len(got))
	}
}

func TestReplay(t *testing.T) {
	newApp(t)
	var snapshots []monitor.Snapshot
	for i := range 30 {
		snapshots = append(snapshots, everything(float64(i)))
	}
	spans := []Span{{From: at(5), To: at(9), Label: "matmul 64"}, {From: at(9), To: at(20), Label: "matmul 128"}}
	marks := []Mark{{At: at(12), Label: "Throttled", Severity: severity.Warning}}
	r := RecordOf(at(0), snapshots, spans, marks)
	g := NewReplay(r)
	if g.Empty() || len(g.cards.Objects) != len(liveCards()) {
		t.Fatalf("%d cards", len(g.cards.Objects))
	}
	if f := g.views[0].plot.figure(); f.words != "30 FLOP/s" || f.of != "compute, max" {
		t.Errorf("throughput says %+v", f)
	}
	events := r.eventsSince(0)
	if len(events) != 1 || events[0].X != 12 || events[0].Severity != severity.Warning {
		t.Errorf("events %v", events)
	}
	if r.length() != 29 || NewReplay(RecordOf(time.Time{}, nil, nil, nil)).Empty() == false {
		t.Error("a run without snapshots has charts")
	}
}

// Another run is shown by the existing plots, on the cards that it has values for.
func TestReplayOfAnotherRun(t *testing.T) {
	newApp(t)
	run := func(from float64, metrics ...string) *Record {
		var list []monitor.Snapshot
		for i := range 20 {
			s := everything(from + float64(i))
			if len(metrics) > 0 {
				s.Readings = slices.DeleteFunc(s.Readings, func(r monitor.Reading) bool { return !slices.Contains(metrics, r.Metric) })
			}
			list = append(list, s)
		}
		return RecordOf(at(from-2), list, nil, nil)
	}
	g := NewReplay(run(100))
	first := g.views[0].plot.object()
	all := len(g.cards.Objects)
	g.Replay(run(500, monitor.EngineFlops))
	if n := len(g.cards.Objects); n != 2 { // throughput, and what is missing
		t.Errorf("%d cards for one metric and what is missing", n)
	}
	if f := g.views[0].plot.figure(); f.words != "520 FLOP/s" || g.views[0].plot.object() != first {
		t.Errorf("throughput says %+v, by a plot of its own: %v", f, g.views[0].plot.object() != first)
	}
	if g.record.length() != 21 {
		t.Errorf("the run is %v s long, want 21", g.record.length())
	}
	g.Replay(run(100))
	if n := len(g.cards.Objects); n != all || g.views[0].plot.object() != first {
		t.Errorf("%d cards of the first run, want %d", n, all)
	}
}

// A redraw of the whole page must stay far below the third of a second between two.
func BenchmarkGridUpdate(b *testing.B) {
	newApp(b)
	r := &Record{}
	for i := range 2400 {
		r.Add(everything(float64(i) / 4))
	}
	g := NewLiveGrid(r)
	g.Object.Resize(fyne.NewSize(1168, 665))
	b.ResetTimer()
	for i := range b.N {
		r.Add(everything(600 + float64(i)/4))
		g.Update()
	}
}

// The CPU card has one unit, shares of the whole machine, and its figure is what other programs use.
func TestCPUCardSaysWhatOthersUse(t *testing.T) {
	var cpu *liveCard
	for _, c := range liveCards() {
		if c.title == "CPU" {
			cpu = &c
		}
	}
	if cpu == nil || cpu.max != 1 || cpu.metrics[0].metric != monitor.HostOthers {
		t.Fatalf("card %+v", cpu)
	}
	for _, m := range cpu.metrics {
		if m.unit != "ratio" || m.metric == monitor.ProcessCPU || m.metric == monitor.CPUPressure {
			t.Errorf("%s is not a share of the machine", m.metric)
		}
	}
}

// Bands of a metric can be changed while its chart is drawn.
func TestBandsCanBeChanged(t *testing.T) {
	newApp(t)
	r := NewRecord(nil)
	for i := range 5 {
		s := monitor.Snapshot{Time: time.Unix(int64(1000+i), 0)}
		s.Readings = append(s.Readings, monitor.Reading{Metric: monitor.PoolReuse, Unit: "ratio", Source: "engine", Value: 0.5, Status: monitor.OK})
		r.Add(s)
	}
	g := NewLiveGrid(r)
	i := slices.IndexFunc(g.views, func(v *liveView) bool { return len(v.card.bands) > 0 })
	if i < 0 || g.views[i].plot == nil {
		t.Fatal("no chart has bands")
	}
	v := g.views[i]
	before := v.plot
	g.SetBands(monitor.PoolReuse, []monitor.Range{{Lo: 0.3, Hi: 0.4, Label: "mine"}})
	if len(v.card.bands) != 1 || v.card.bands[0].Label != "mine" || v.plot == before {
		t.Errorf("bands %+v, another chart: %v", v.card.bands, v.plot != before)
	}
	kept := v.plot
	g.SetBands(monitor.PoolReuse, []monitor.Range{{Lo: 0.3, Hi: 0.4, Label: "mine"}})
	if v.plot != kept {
		t.Error("the chart was made again for the same bands")
	}
}
