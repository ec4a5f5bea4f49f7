package memorypage

import (
	"fmt"
	"math"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/gpu"
	"assay/monitor/leak"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// bench is the page in a window.
type bench struct {
	*uitest.Stand
	page *memoryPage
}

// stand opens the page.
func stand(t testing.TB, look kit.Appearance, size fyne.Size) *bench {
	t.Helper()
	b := &bench{}
	build := func(d *desk.Desk) desk.View {
		b.page = newMemoryPage(d)
		return b.page.view()
	}
	b.Stand = uitest.Open(t, desk.Page{Name: desk.PageMemory, Title: "Memory", Build: build}, look, size)
	return b
}

// tap taps a button; press waits for what that does, too.
func tap(t testing.TB, b *bench, name string) {
	t.Helper()
	test.Tap(uitest.Button(t, b.View.Object, name))
}

func press(t testing.TB, b *bench, name string) {
	t.Helper()
	tap(t, b, name)
	b.Desk.Settle()
}

const (
	runID   = "20261120-120000-batching"
	leakRun = "20261120-121500-leak"
)

// classes are n size classes of a run, one of them stranded.
func classes(n int) []gpu.ClassStats {
	list := make([]gpu.ClassStats, n)
	for i := range list {
		size := 4096 << (i / 2)
		if i%2 == 1 {
			size += size / 2
		}
		live := i % 3
		list[i] = gpu.ClassStats{
			Size: size, Live: live, Cached: 1 + (i*7)%5, LiveRequested: int64(live) * int64(size) * 97 / 100,
			Acquires: int64(40 + 371*i%900), Stranded: i == 2,
		}
		list[i].Reuses = list[i].Acquires * int64(99-6*(i%4)) / 100
	}
	return list
}

// pool is the state of a pool at work.
func pool(list []gpu.ClassStats, running bool) *app.PoolState {
	s := &app.PoolState{
		Engine: "cpu", Device: "Test CPU, 8 cores, AVX-512", Running: running, RunID: runID, Classes: list,
		WorkingSet: 16_000_000_000, BudgetMax: 16_000_000_000,
	}
	x := &s.Stats
	x.Capacity, x.Budget, x.Mode = 10, 12_800_000_000, gpu.ModeDirty
	for _, c := range list {
		x.Acquires, x.Reuses = x.Acquires+c.Acquires, x.Reuses+c.Reuses
		x.Live, x.Cached = x.Live+c.Live, x.Cached+c.Cached
		x.LiveBytes, x.CachedBytes = x.LiveBytes+int64(c.Live*c.Size), x.CachedBytes+int64(c.Cached*c.Size)
		x.LiveRequested += c.LiveRequested
		x.Classes++
		if c.Stranded {
			x.StrandedBytes += int64(c.Cached * c.Size)
		}
	}
	x.Creates, x.Evictions, x.HighWater = x.Acquires-x.Reuses, 12, x.LiveBytes+x.CachedBytes+5_000_000
	s.Live = leases(x.Live)
	return s
}

// leases are n buffers that are lent, the oldest first.
func leases(n int) []gpu.LiveLease {
	labels := []string{"input", "weights of layer 3", "leaked on purpose", "partial sums"}
	files := []string{"batching.go", "fusion.go", "leak.go", "quantization_layer.go"}
	list := make([]gpu.LiveLease, n)
	for i := range list {
		size := 65536 << (i % 6)
		list[i] = gpu.LiveLease{
			Label: labels[i%4], Requested: size - 96*(i%7), Granted: size, Age: time.Duration(n-i) * 50 * time.Millisecond,
			Site: gpu.Site{Func: "assay/workloads.runLeak", File: "/src/assay/workloads/" + files[i%4], Line: 40 + i%90},
		}
	}
	return list
}

// many is a pool of which 12,000 buffers are lent.
func many() *app.PoolState {
	s := pool(classes(8), true)
	s.Live, s.LeftOut, s.Stats.Live = leases(10_000), 2_000, 12_000
	s.Stats.LiveBytes, s.Stats.LiveRequested = 8_000_000_000, 7_300_000_000
	s.RunID = leakRun
	return s
}

// curve is that of the leak control, which leaks 10 MB/s.
func curve(running bool) *app.LeakCurve {
	var points []leak.Point
	var slope leak.Slope
	start := uitest.Epoch
	slope.Reset("leak control")
	for i := 1; i <= 160; i++ {
		seconds := float64(i) * 0.05
		live := int64(1_050_000 + 500_000*i + 9_000*((i*7)%5))
		points = append(points, leak.Point{Iteration: i, Seconds: seconds, Live: live, Peak: live + 1_048_576})
		slope.Observe(start.Add(time.Duration(seconds*float64(time.Second))), i, live)
	}
	c := &app.LeakCurve{
		RunID: leakRun, Running: running, Points: points, Cases: []app.LeakCase{{Name: "leak control", Iteration: 1, Seconds: 0.05}},
		Verdict: slope.Verdict(), Told: []string{"Live buffers grow: leak control: 9.98 MB/s"},
	}
	c.Fit, c.NoFit = slope.Fit()
	if c.NoFit == "" {
		offset := float64(c.Fit.FirstIteration)
		c.ByIteration = shifted(c.Fit.PerIteration.Band(0, float64(c.Fit.LastIteration)-offset, 33), offset)
		seconds := c.Fit.Begin.Sub(start).Seconds()
		c.BySeconds = shifted(c.Fit.PerSecond.Band(0, c.Fit.End.Sub(c.Fit.Begin).Seconds(), 33), seconds)
	}
	return c
}

func shifted(points []leak.BandPoint, by float64) []leak.BandPoint {
	for i := range points {
		points[i].X += by
	}
	return points
}

// steady is the curve of a run of many short cases, in none of which a line is fitted.
func steady() *app.LeakCurve {
	c := &app.LeakCurve{RunID: runID, NoFit: "it takes 8 iterations of a case, of which the first 3 are not judged"}
	for i := 1; i <= 120; i++ {
		if i%20 == 1 {
			c.Cases = append(c.Cases, app.LeakCase{Name: fmt.Sprintf("matmul %d", 64<<(i/20)), Iteration: i, Seconds: float64(i) * 0.11})
		}
		live := int64(3e6 * math.Pow(1.8, float64(i/20)))
		c.Points = append(c.Points, leak.Point{Iteration: i, Seconds: float64(i) * 0.11, Live: live, Peak: live})
	}
	c.Verdict.Cause = "too few iterations to judge"
	return c
}

// check is a check that found what was leaked.
func check(leaking bool) app.LeakCheck {
	before := leak.Levels{
		Process: leak.Amount{Bytes: 61_200_000}, Device: leak.Amount{Missing: "the engine's device keeps no count of its own"},
	}
	now := before
	now.Process.Bytes, now.Engine.Bytes = 63_900_000, 0
	if leaking {
		now.Process.Bytes, now.Engine.Bytes = 231_000_000, 160_000_000
	}
	taken := uitest.Epoch.Add(10 * time.Minute)
	base := app.LeakBaseline{Taken: uitest.Epoch, Engine: "cpu", Levels: before}
	return app.LeakCheck{Taken: taken, Baseline: base, Comparison: leak.Compare(before, now, 100_000_000)}
}

// states are those that play knows.
func states() []string {
	return []string{"empty", "running", "finished", "live", "many", "lab-empty", "leak", "steady", "checked", "wrong", "lost", "warming"}
}

// play brings the page to a state.
func play(t testing.TB, s *bench, state string) {
	t.Helper()
	d, x := s.Desk, s.Session
	d.Model.Engines = x.States
	d.Redraw(desk.ChangedEngines)
	root := s.View.Object
	switch state {
	case "running":
		x.State = pool(classes(22), true)
		uitest.Play(d, "running")
		uitest.Choose(t, root, "Pool")
		s.page.classes.choose(5)
	case "finished":
		x.State = pool(classes(9), false)
		uitest.Play(d, "finished")
	case "live", "many":
		x.State = pool(classes(22), true)
		if state == "many" {
			x.State = many()
		}
		uitest.Play(d, "running")
		uitest.Choose(t, root, "Live Buffers")
	case "lab-empty":
		uitest.Choose(t, root, "Leak Lab")
	case "leak":
		x.State, x.Curve = many(), curve(true)
		d.Take(app.StartUpdate{Meta: leakMeta()})
		uitest.Choose(t, root, "Leak Lab")
	case "steady":
		x.State, x.Curve = pool(classes(9), false), steady()
		uitest.Choose(t, root, "Leak Lab")
		uitest.Choose(t, root, "By Iteration")
	case "checked":
		x.State, x.Curve, x.Check = pool(classes(9), false), curve(false), check(true)
		uitest.Choose(t, root, "Leak Lab")
		press(t, s, "Set Baseline")
		press(t, s, "Check Now")
	case "wrong":
		x.State = pool(classes(3), false)
		x.State.Simulated = true
		p := s.page
		d.Redraw(desk.ChangedTick)
		p.settings.capacity.SetText("many")
		p.settings.capacity.OnSubmitted("many")
		p.actions.size.SetText("3 parsecs")
		press(t, s, "Prewarm")
	case "lost":
		x.Lacking = fmt.Errorf("%w: the device was lost: a command buffer hung for 10 s; the next run opens the engine anew", app.ErrNoPool)
	case "warming":
		x.State = pool(classes(3), false)
		d.Redraw(desk.ChangedTick)
		x.Warm = make(chan struct{})
		t.Cleanup(func() { close(x.Warm) })
		tap(t, s, "Prewarm")
		x.State.Stats.Creates += 6
	}
	d.Redraw(desk.ChangedAll)
}

func leakMeta() app.Meta {
	m := uitest.SweepMeta()
	m.ID = leakRun
	m.Jobs = append(m.Jobs[:0:0], m.Jobs...)
	m.Jobs[0].Workload = desk.LeakWorkload
	return m
}
