package uitest

import (
	"fmt"
	"math"
	"sync"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/monitor"
	"assay/monitor/leak"
	"assay/monitor/target"
	"assay/ui/desk"
)

// Watched is what a test's session reports about a watched program.
type Watched struct {
	RefuseWatch error // returned by the start of a watch
	Programs    []target.Process

	mu      sync.Mutex
	asked   []app.WatchRequest
	stopped int
	run     *bundle.Run
}

// WatchRequests lists the requested watches.
func (w *Watched) WatchRequests() []app.WatchRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]app.WatchRequest(nil), w.asked...)
}

// WatchesStopped counts the requests to stop the watch.
func (w *Watched) WatchesStopped() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopped
}

type watchService struct{ *Watched }

// Start is part of desk.WatchService.
func (s watchService) Start(r app.WatchRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	return s.RefuseWatch
}

// Stop is part of desk.WatchService.
func (s watchService) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped++
}

// Current is part of desk.WatchService.
func (s watchService) Current() (app.Watch, bool) { return app.Watch{}, false }

// Run is part of desk.WatchService.
func (s watchService) Run() *bundle.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// Processes is part of desk.WatchService.
func (s watchService) Processes() ([]target.Process, error) { return s.Programs, nil }

// Programs are some running processes.
func Programs() []target.Process {
	return []target.Process{
		{PID: 812, Start: 1, Name: "gnome-shell", Seconds: 311, Threads: 22, Own: true},
		{PID: 4711, Start: 2, Name: "python3", Seconds: 1204, Threads: 9, Own: true},
		{PID: 4790, Start: 3, Name: "postgres", Seconds: 41.2, Threads: 1, Own: true},
		{PID: 5120, Start: 4, Name: "clangd", Seconds: 87.5, Threads: 14, Own: true},
	}
}

// PlayWatch imitates watching a program for some seconds: its memory leaks 6 MB a minute if it leaks, and otherwise fills
// a cache. It returns the run.
func PlayWatch(d *desk.Desk, s *Session, seconds int, leaks, running bool) *bundle.Run {
	began := time.Date(2026, 11, 20, 21, 45, 1, 0, time.UTC)
	info := bundle.Watch{Command: []string{"python3", "train.py"}, PID: 4711, Name: "python3", Interval: 1, WarmUp: 30, Tolerance: 0.5e6, Mark: "epoch"}
	run := &bundle.Run{Meta: bundle.Meta{ID: "20261120-214501-watch-3f2a", Started: began, Watch: &info}, Dir: "/home/ada/runs/watch"}
	var trend leak.Trend
	limits := leak.Limits{Tolerance: 0.5e6 / 60, Least: 1e6}
	for i := range seconds {
		memory := 420e6 + 1e6*math.Abs(math.Sin(float64(i)))
		if leaks {
			memory += 0.1e6 * float64(i)
		} else {
			memory += 60e6 * (1 - math.Exp(-float64(i)/60))
		}
		at := began.Add(time.Duration(i) * time.Second)
		trend.Observe(at, memory)
		run.Snapshots = append(run.Snapshots, monitor.Snapshot{Time: at, Readings: watchedReadings(memory, float64(i))})
		if i%60 == 59 {
			e := bundle.MarkEvent(fmt.Sprint("epoch ", i/60+1))
			e.Time = at
			run.Events = append(run.Events, e)
		}
	}
	s.Watched.mu.Lock()
	s.Watched.run = run
	s.Watched.mu.Unlock()
	w := app.Watch{RunID: run.Meta.ID, Running: running, Began: began, Info: info, Now: time.Duration(seconds) * time.Second}
	if n := len(run.Snapshots); n > 0 {
		w.Latest = run.Snapshots[n-1]
	}
	v := trend.Judge(began.Add(30*time.Second), began.Add(time.Hour), limits)
	state := app.WatchState{Shaped: v.Shape, Early: running && seconds < 330, WatchVerdict: bundle.WatchVerdict{
		Kind: "memory", Title: "Host memory", Metric: monitor.WatchedFootprint, Unit: "B", Shape: bundle.ShapeName(v.Shape), Leak: v.Shape.Leaking(), Text: v.Words("B", began),
	}}
	if v.Shape != leak.Unjudged {
		begin, _, _ := v.Fit.PerSecond.At(0)
		end, _, _ := v.Fit.PerSecond.At(v.Fit.Seconds())
		state.Line = &bundle.WatchLine{From: v.Fit.Begin.Sub(began).Seconds(), To: v.Fit.End.Sub(began).Seconds(), Begin: begin, End: end, Scatter: v.Fit.PerSecond.Scatter}
	}
	flat := &bundle.WatchLine{From: 30, To: float64(seconds), Begin: 14, End: 14}
	w.Verdicts = []app.WatchState{
		state,
		{WatchVerdict: bundle.WatchVerdict{Kind: "gpu_memory", Title: "GPU memory", Text: "not available: no NVIDIA driver; no other GPU is open in it"}},
		{Shaped: leak.Level, WatchVerdict: bundle.WatchVerdict{Kind: "handles", Title: "Handles", Line: flat, Text: "did not grow in 9 min"}},
		{Shaped: leak.Level, WatchVerdict: bundle.WatchVerdict{Kind: "threads", Title: "Threads", Line: flat, Text: "did not grow in 9 min"}},
	}
	if !running {
		w.Info.Ended = "the program exited with code 0"
		for i := range w.Verdicts {
			w.Info.Verdicts = append(w.Info.Verdicts, w.Verdicts[i].WatchVerdict)
		}
	}
	run.Meta.Finished, run.Meta.Watch = w.Latest.Time, &w.Info
	d.Take(app.WatchUpdate{Watch: w})
	d.Settle()
	return run
}

func watchedReadings(memory, at float64) []monitor.Reading {
	var out []monitor.Reading
	for metric, value := range map[string]float64{
		monitor.WatchedFootprint: memory, monitor.WatchedResident: memory + 30e6, monitor.WatchedHandles: 14,
		monitor.WatchedThreads: 9, monitor.WatchedCPU: 0.9 + 0.1*math.Sin(at/7), monitor.WatchedProcesses: 2, monitor.WatchedSwap: 0,
	} {
		r := monitor.Template(metric, "test")
		r.Status, r.Provenance, r.Value = monitor.OK, monitor.Measured, value
		out = append(out, r)
	}
	r := monitor.Template(monitor.WatchedGPU, "NVML")
	r.Status, r.Reason = monitor.Unavailable, "no NVIDIA driver"
	return append(out, r)
}
