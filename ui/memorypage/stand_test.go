package memorypage

import (
	"fmt"
	"math"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/monitor/leak"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
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

// tap taps a button; press also waits for its effects.
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
	s.Live = leases(list)
	return s
}

// leases are the live buffers of those classes, alternating, oldest first.
func leases(classes []gpu.ClassStats) []gpu.LiveLease {
	labels := []string{"input", "weights of layer 3", "partial sums", "output"}
	files := []string{"batching.go", "fusion.go", "quantization_layer.go"}
	caller := gpu.Site{Func: "assay/workloads.(*bench).measure", File: "/src/assay/workloads/bench.go", Line: 118}
	var list []gpu.LiveLease
	for round, more := 0, true; more; round++ {
		more = false
		for at, c := range classes {
			if round >= c.Live {
				continue
			}
			more = true
			i := round + at
			site := gpu.Site{Func: "assay/workloads.(*bench).run", File: "/src/assay/workloads/" + files[i%3], Line: 40 + i%90}
			list = append(list, gpu.LiveLease{
				Label: labels[i%4], Owner: fmt.Sprint("batch ", 1<<(i%3)), Site: site, Trace: []gpu.Site{site, caller},
				Requested: int(c.LiveRequested) / c.Live, Granted: c.Size,
			})
		}
	}
	for i := range list {
		list[i].ID = uint64(i + 1)
		list[i].Age = time.Duration(len(list)-i) * 40 * time.Millisecond
	}
	return list
}

// many is a pool with 12,000 buffers in use, in few sizes that fit badly.
func many() *app.PoolState {
	var list []gpu.ClassStats
	for i := range 6 {
		size := 65_536 << i
		list = append(list, gpu.ClassStats{
			Size: size, Live: 2_000, Cached: 3 + i, LiveRequested: 2_000 * int64(size*91/100), Acquires: 2_300, Reuses: 240, Stranded: i == 1,
		})
	}
	s := pool(list, true)
	s.Live, s.LeftOut = s.Live[:10_000], 2_000
	return s
}

// leaked is the size class of what the leak control keeps.
const leaked = 507_904

// leaking is the pool while the leak control runs.
func leaking(buffers int) *app.PoolState {
	n := int64(buffers)
	s := pool([]gpu.ClassStats{{Size: leaked, Live: buffers, LiveRequested: 500_000 * n, Acquires: n}}, true)
	s.RunID = leakRun
	return s
}

// logged is the log of a run: single operations, and a sum of many.
func logged() *app.PoolLog {
	log := &app.PoolLog{RunID: runID, First: 20_000, Dir: "/runs/" + runID + ".assayrun"}
	add := func(r bundle.PoolRow) {
		r.Time = uitest.Epoch.Add(time.Duration(len(log.Rows)) * 40 * time.Millisecond)
		r.Until, log.Total = r.Time, log.Total+r.Count
		log.Rows = append(log.Rows, r)
	}
	log.Total = 20_000
	for i := range 8 {
		size := int64(4096 << i)
		add(bundle.PoolRow{Op: bundle.PoolAllocated, Buffer: uint64(i + 1), Count: 1, Size: size, Requested: size - 96, Label: "input", Case: fmt.Sprint("batch ", 1<<i)})
		add(bundle.PoolRow{Op: bundle.PoolAcquired, Buffer: uint64(i + 1), Lease: 7, Count: 1, Size: size, Requested: size - 96, Label: "input", Case: fmt.Sprint("batch ", 1<<i)})
	}
	add(bundle.PoolRow{Op: bundle.PoolReleased, Count: 12_345, Size: 4096})
	add(bundle.PoolRow{Op: bundle.PoolFreed, Count: 3})
	return log
}

// left is the pool after a run that has emptied it.
func left() *app.PoolState {
	list := classes(9)
	for i := range list {
		list[i].Live, list[i].Cached, list[i].LiveRequested, list[i].Stranded = 0, 0, 0, false
	}
	return pool(list, false)
}

// curve is the curve of a case that keeps a buffer at each iteration, 10 MB/s.
func curve(run, name string, iterations int, running bool) *app.LeakCurve {
	var points []leak.Point
	var slope leak.Slope
	start := uitest.Epoch
	slope.Reset(name)
	for i := 1; i <= iterations; i++ {
		seconds := float64(i) * 0.05
		live := int64(leaked*i + 9_000*((i*7)%5))
		points = append(points, leak.Point{Iteration: i, Seconds: seconds, Live: live, Peak: live + 1_048_576})
		slope.Observe(start.Add(time.Duration(seconds*float64(time.Second))), i, live)
	}
	c := &app.LeakCurve{
		RunID: run, Running: running, Points: points, Cases: []app.LeakCase{{Name: name, Iteration: 1, Seconds: 0.05}},
		Verdict: slope.End(),
	}
	c.Told = []string{"Live buffers grow: " + c.Verdict.Cause}
	c.Fit, c.NoFit = slope.Fit()
	offset := float64(c.Fit.FirstIteration)
	c.ByIteration = shifted(c.Fit.PerIteration.Band(0, float64(c.Fit.LastIteration)-offset, 33), offset)
	c.BySeconds = shifted(c.Fit.PerSecond.Band(0, c.Fit.End.Sub(c.Fit.Begin).Seconds(), 33), c.Fit.Begin.Sub(start).Seconds())
	return c
}

func shifted(points []leak.BandPoint, by float64) []leak.BandPoint {
	for i := range points {
		points[i].X += by
	}
	return points
}

// steady is the curve of a run of many short cases, none of which has a fitted line.
func steady() *app.LeakCurve {
	const needs = "it takes 4 s of iterations after warm-up (matmul 2048)"
	c := &app.LeakCurve{RunID: runID, NoFit: needs, Verdict: leak.Verdict{Cause: needs}}
	for i := 1; i <= 120; i++ {
		at := (i - 1) / 20
		seconds := float64(i) * 0.11
		if i%20 == 1 {
			c.Cases = append(c.Cases, app.LeakCase{Name: fmt.Sprintf("matmul %d", 64<<at), Iteration: i, Seconds: seconds})
		}
		live := int64(3e6 * math.Pow(1.8, float64(at)))
		c.Points = append(c.Points, leak.Point{Iteration: i, Seconds: seconds, Live: live, Peak: live})
	}
	return c
}

// check is a check with a tolerance of 50 MB: 160 buffers are left in the engine, or none is.
func check(leaking bool) app.LeakCheck {
	before := leak.Levels{
		Process: leak.Amount{Bytes: 61_200_000}, Device: leak.Amount{Missing: "the device does not count allocations"},
	}
	now := before
	now.Process.Bytes = 63_900_000
	if leaking {
		now.Process.Bytes, now.Engine.Bytes = 148_000_000, 160*leaked
	}
	taken := uitest.Epoch.Add(10 * time.Minute)
	base := app.LeakBaseline{Taken: uitest.Epoch, Engine: "cpu", Levels: before}
	return app.LeakCheck{Taken: taken, Baseline: base, Comparison: leak.Compare(before, now, 50_000_000)}
}

// states are the states that play knows.
func states() []string {
	return []string{"empty", "running", "finished", "live", "many", "lab-empty", "leak", "steady", "checked", "wrong", "lost", "warming", "log"}
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
	case "log":
		x.State, x.PoolLog = pool(classes(22), true), logged()
		uitest.Play(d, "running")
		uitest.Choose(t, root, "Log")
	case "lab-empty":
		uitest.Choose(t, root, "Leak Lab")
	case "leak":
		x.State, x.Curve = leaking(120), curve(leakRun, "leak control", 120, true)
		d.Take(app.StartUpdate{Meta: leakMeta()})
		d.Take(app.ProgressUpdate{Progress: workloads.Progress{Workload: desk.LeakWorkload, Case: "leak control", Total: 1}, Left: 2.1})
		uitest.Choose(t, root, "Leak Lab")
	case "steady":
		x.State, x.Curve = left(), steady()
		uitest.Choose(t, root, "Leak Lab")
		uitest.Choose(t, root, "By Iteration")
	case "checked":
		x.State, x.Curve, x.Check = left(), curve(runID, "matmul 1024", 160, false), check(true)
		x.Curve.Told = append(x.Curve.Told, "Buffers leaked in the engine: 160 buffers outside any pool")
		uitest.Choose(t, root, "Leak Lab")
		press(t, s, "Set Baseline")
		s.page.lab.check.tolerance.SetText("50 MB")
		press(t, s, "Check Now")
	case "wrong":
		x.State = pool(classes(3), false)
		x.State.Simulated, x.State.Engine, x.State.Device = true, "metal", "Simulated GPU"
		p := s.page
		d.Redraw(desk.ChangedTick)
		p.settings.capacity.SetText("many")
		p.settings.capacity.OnSubmitted("many")
		p.actions.size.SetText("3 parsecs")
		press(t, s, "Prewarm")
	case "lost":
		x.Lacking = fmt.Errorf("%w: %w; the next run reopens it", app.ErrNoPool, gpu.ErrDeviceLost)
	case "warming":
		x.State = pool(classes(3), false)
		d.Redraw(desk.ChangedTick)
		x.Warm = make(chan struct{})
		t.Cleanup(func() { close(x.Warm) })
		tap(t, s, "Prewarm")
		x.State = pool(append(classes(3), gpu.ClassStats{Size: 1_015_808, Cached: 6}), false)
		x.State.Stats.Creates += 6
	}
	d.Redraw(desk.ChangedAll)
}

func leakMeta() bundle.Meta {
	m := uitest.SweepMeta()
	m.ID = leakRun
	m.Jobs = append(m.Jobs[:0:0], m.Jobs...)
	m.Jobs[0].Workload = desk.LeakWorkload
	return m
}
