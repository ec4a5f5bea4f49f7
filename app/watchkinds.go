package app

import (
	"fmt"
	"time"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/monitor"
	"assay/monitor/leak"
)

// watchKind is something of a watched program that may leak, and is judged by itself.
type watchKind struct {
	name, title string // stable, and for people
	alert       string
	metric      string
	unit        string
	tolerance   float64 // growth per minute that is no leak; 0: the request's, in bytes
	least       float64 // growth in all that is no leak
}

// watchKinds lists them in the order in which they are told.
func watchKinds() []watchKind {
	return []watchKind{
		{bundle.HostMemory, "Host memory", watchMemoryAlert, monitor.WatchedFootprint, "B", 0, 1e6},
		{"gpu_memory", "GPU memory", watchGPUAlert, monitor.WatchedGPU, "B", 0, 1e6},
		{"handles", "Handles", watchHandlesAlert, monitor.WatchedHandles, "handles", 0.5, 8},
		{"threads", "Threads", watchThreadsAlert, monitor.WatchedThreads, "threads", 0.5, 5},
	}
}

// WatchKinds are the titles of what is judged, in the order in which it is told.
func WatchKinds() []string {
	var titles []string
	for _, k := range watchKinds() {
		titles = append(titles, k.title)
	}
	return titles
}

// How a leak is called while a program is watched. At the end all is judged once more.
const (
	watchConfirm = 5 * time.Minute // of readings after the warm-up, or half of the time asked for, if that is less
	watchTail    = 10 * time.Second
	tailShare    = 20 // of the time: what a program releases as it ends is left out
)

// judged is a kind with its readings so far.
type judged struct {
	watchKind
	trend   leak.Trend
	last    monitor.Reading
	verdict leak.TrendVerdict
	leakID  string // of the leak's event; empty: none is told
	stated  time.Duration
}

// observe adds a reading.
func (j *judged) observe(s *monitor.Snapshot) {
	r, ok := s.Find(j.metric)
	if !ok {
		return
	}
	j.last = r
	if r.Status == monitor.OK {
		j.trend.Observe(s.Time.Add(-r.Late), r.Value)
	}
}

// judge is the verdict on the readings between two times.
func (j *judged) judge(from, to time.Time, tolerance float64) {
	if j.tolerance > 0 {
		tolerance = j.tolerance
	}
	j.verdict = j.trend.Judge(from, to, leak.Limits{Tolerance: tolerance / 60, Least: j.least})
}

// words say what the verdict found: "grows by 1.02 MB/min …". Without a single reading they say why.
func (j *judged) words(started time.Time) string {
	if j.trend.Span() == 0 && j.last.Reason != "" {
		return "not available: " + plain.Text(j.last.Reason)
	}
	text := j.verdict.Words(j.unit, started)
	if j.last.Provenance == monitor.Estimated {
		text += " (estimated: " + plain.Text(j.last.Source) + ")"
	}
	return text
}

// record is the verdict for run.json.
func (j *judged) record(started time.Time) bundle.WatchVerdict {
	v := &j.verdict
	out := bundle.WatchVerdict{
		Kind: j.name, Title: j.title, Metric: j.metric, Unit: j.unit, Shape: bundle.ShapeName(v.Shape), Leak: v.Shape.Leaking(), Text: j.words(started),
	}
	if v.Shape == leak.Unjudged {
		return out
	}
	f := &v.Fit
	begin, _, _ := f.PerSecond.At(0)
	end, _, _ := f.PerSecond.At(f.Seconds())
	if v.Grown != 0 || v.Shape != leak.Level {
		out.SetRate(f.PerSecond.Rate())
	}
	out.Line = &bundle.WatchLine{
		From: f.Begin.Sub(started).Seconds(), To: f.End.Sub(started).Seconds(), Begin: begin, End: end, Scatter: f.PerSecond.Scatter,
	}
	return out
}

// sentence is the verdict of a leak for an alert: "Host memory of python3: grows by …".
func (j *judged) sentence(program string, started time.Time) string {
	return fmt.Sprintf("%s of %s: %s", j.title, plain.Text(program), j.words(started))
}
