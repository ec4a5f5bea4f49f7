package bundle

import (
	"slices"
	"time"

	"assay/internal/plain"
	"assay/monitor"
	"assay/monitor/leak"
)

// WatchKind is a property of a watched program that may leak, and is judged separately.
type WatchKind struct {
	Name, Title  string // stable, and for people
	Alert        string // raised for a leak
	Metric, Unit string
	Tolerance    float64 // growth per minute that does not count as a leak; 0: the watch's, in bytes
	Least        float64 // total growth that does not count as a leak
}

// IDs of the alerts about a watched program. They stay until the next watch.
const (
	WatchMemoryAlert  = "watch.memory"
	WatchGPUAlert     = "watch.gpu_memory"
	WatchHandlesAlert = "watch.handles"
	WatchThreadsAlert = "watch.threads"
)

// WatchKinds lists all kinds in the order of the report.
func WatchKinds() []WatchKind {
	return []WatchKind{
		{HostMemory, "Host memory", WatchMemoryAlert, monitor.WatchedFootprint, "B", 0, 1e6},
		{"gpu_memory", "GPU memory", WatchGPUAlert, monitor.WatchedGPU, "B", 0, 1e6},
		{"handles", "Handles", WatchHandlesAlert, monitor.WatchedHandles, "handles", 0.5, 8},
		{"threads", "Threads", WatchThreadsAlert, monitor.WatchedThreads, "threads", 0.5, 5},
	}
}

// DefaultWarmUp is the default warm-up of a command, at most a fifth of the time watched.
const (
	DefaultWarmUp = 30 * time.Second
	warmUpPart    = 5
)

// WarmUpOf returns the default warm-up of a command that is watched for that long; 0: without an end.
func WarmUpOf(watched time.Duration) time.Duration {
	if watched <= 0 {
		return DefaultWarmUp
	}
	return min(DefaultWarmUp, watched/warmUpPart)
}

// WatchJudge is a kind with its readings so far.
type WatchJudge struct {
	WatchKind
	Last    monitor.Reading
	Verdict leak.TrendVerdict
	trend   leak.Trend
}

// Observe adds a reading.
func (j *WatchJudge) Observe(s *monitor.Snapshot) {
	r, ok := s.Find(j.Metric)
	if !ok {
		return
	}
	j.Last = r
	if r.Status == monitor.OK {
		j.trend.Observe(s.Time.Add(-r.Late), r.Value)
	}
}

// Judge judges the readings between two times.
func (j *WatchJudge) Judge(from, to time.Time, tolerance float64) {
	if j.Tolerance > 0 {
		tolerance = j.Tolerance
	}
	j.Verdict = j.trend.Judge(from, to, leak.Limits{Tolerance: tolerance / 60, Least: j.Least})
}

// Words says what the verdict found: "grows by 1.02 MB/min …". Without a single reading it says why.
func (j *WatchJudge) Words(started time.Time) string {
	if j.trend.Span() == 0 && j.Last.Reason != "" {
		return "not available: " + plain.Text(j.Last.Reason)
	}
	text := j.Verdict.Words(j.Unit, started)
	if j.Last.Provenance == monitor.Estimated {
		text += " (estimated: " + plain.Text(j.Last.Source) + ")"
	}
	return text
}

// Record returns the verdict for run.json.
func (j *WatchJudge) Record(started time.Time) WatchVerdict {
	v := &j.Verdict
	out := WatchVerdict{
		Kind: j.Name, Title: j.Title, Metric: j.Metric, Unit: j.Unit, Shape: ShapeName(v.Shape), Leak: v.Shape.Leaking(), Text: j.Words(started),
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
	out.Line = &WatchLine{
		From: f.Begin.Sub(started).Seconds(), To: f.End.Sub(started).Seconds(), Begin: begin, End: end, Scatter: f.PerSecond.Scatter,
	}
	return out
}

// judgeUnended judges a watch without verdicts, because it was killed or is in progress, by its readings so far.
func (r *Run) judgeUnended() error {
	w := r.Meta.Watch
	if w == nil || r.Meta.State != Running || len(w.Verdicts) > 0 {
		return nil
	}
	w.Ended = "the watch was cut off before its end"
	if Alive(r.Dir) {
		w.Ended = "the watch has not ended"
	}
	var judges []WatchJudge
	for _, k := range WatchKinds() {
		judges = append(judges, WatchJudge{WatchKind: k})
	}
	var costs []float64
	last := r.Meta.Started
	err := r.EachSnapshot(func(s *monitor.Snapshot) error {
		if cost, ok := s.Value(monitor.WatchedCost); ok {
			costs = append(costs, cost)
		}
		for i := range judges {
			judges[i].Observe(s)
		}
		last = s.Time
		return nil
	})
	w.seen = max(0, last.Sub(r.Meta.Started))
	w.Took(costs)
	for i := range judges {
		judges[i].Judge(r.Meta.Started.Add(w.warmUpSeen()), last, w.Tolerance)
		w.Verdicts = append(w.Verdicts, judges[i].Record(r.Meta.Started))
	}
	return err
}

// warmUpSeen returns what is left out of a watch that was cut off: the default warm-up is shorter for a short one.
func (w *Watch) warmUpSeen() time.Duration {
	given := seconds(w.WarmUp)
	if given == WarmUpOf(seconds(w.Length)) {
		return min(given, WarmUpOf(w.seen))
	}
	return given
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Took records how long each reading took.
func (w *Watch) Took(costs []float64) {
	w.Readings = len(costs)
	if len(costs) > 0 {
		slices.Sort(costs)
		w.Cost = costs[len(costs)/2]
	}
}

// Watched returns how long a program was watched; 0: unknown.
func (m *Meta) Watched() time.Duration {
	if m.Finished.IsZero() {
		return m.watch().seen
	}
	return m.Finished.Sub(m.Started)
}
