package app

import (
	"slices"
	"sync"
	"time"

	"assay/monitor/leak"
)

// Bounds of a LeakCurve.
const (
	leakCases  = 600 // the newest ones
	bandPoints = 33
)

// LeakCase is the beginning of a run's case on its curve.
type LeakCase struct {
	Name      string
	Iteration int     // the case's first
	Seconds   float64 // since the run began
}

// LeakCurve is the engine's live bytes during a run, with the verdict of the slope detector. Iterations count from 1
// through all cases of the run, seconds from its start.
type LeakCurve struct {
	RunID   string
	Running bool
	Points  []leak.Point // of the whole run, the oldest first, at most leak.MaxPoints
	Cases   []LeakCase   // of the whole run, the oldest first; only the last if there are very many

	// The line fitted through the floors of the growth in the newest case, with the range of the floors around
	// it. Both bands are empty if NoFit has a reason.
	Fit         leak.Fit
	ByIteration []leak.BandPoint // X in iterations, Y in bytes
	BySeconds   []leak.BandPoint // X in seconds, Y in bytes
	NoFit       string

	Verdict leak.Verdict // on the newest case; Cause holds the text
	Told    []string     // texts of all leaks found in this run and not withdrawn
}

// liveWatch follows the live bytes of one run.
type liveWatch struct {
	runID string
	began time.Time

	mu     sync.Mutex
	over   bool
	slope  leak.Slope
	curve  leak.Curve
	cases  []LeakCase
	inCase string
	count  int
	found  bool // the slope verdict of this case was reported
	at     int  // its index in told, if found
	told   []string
}

// turn is what an observation changed.
type turn uint8

const (
	asBefore turn = iota
	leakFound
	leakRestated
	leakWithdrawn
)

// observe adds the live bytes after one more iteration of a case.
func (w *liveWatch) observe(caseName string, now time.Time, live int64) (leak.Verdict, turn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	seconds := now.Sub(w.began).Seconds()
	if caseName != w.inCase {
		w.finish()
		w.inCase = caseName
		w.slope.Reset(caseName)
		if len(w.cases) == leakCases {
			w.cases = slices.Delete(w.cases, 0, 1)
		}
		w.cases = append(w.cases, LeakCase{caseName, w.count, seconds})
	}
	w.curve.Observe(w.count, seconds, live)
	v := w.slope.Observe(now, w.count, live)
	switch {
	case v.Leaking && !w.found:
		w.found, w.at = true, len(w.told)
		w.told = append(w.told, slopeWords(v))
		return v, leakFound
	case v.Leaking && w.told[w.at] != slopeWords(v):
		w.told[w.at] = slopeWords(v)
		return v, leakRestated
	case w.found && !v.Leaking:
		w.found = false
		w.told = slices.Delete(w.told, w.at, w.at+1)
		return v, leakWithdrawn
	}
	return v, asBefore
}

// changes reports whether a case differs from the one observed last.
func (w *liveWatch) changes(caseName string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inCase != "" && caseName != w.inCase
}

// endCase ends the observed case, and returns the growth found in it with its final rate. The next observation starts a
// new case: another workload may use the same names.
func (w *liveWatch) endCase() (v leak.Verdict, found bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.finish()
}

// finish is endCase for callers that hold mu.
func (w *liveWatch) finish() (v leak.Verdict, found bool) {
	if v, found = w.slope.End(), w.found; found {
		w.told[w.at] = slopeWords(v)
	}
	w.found, w.inCase = false, ""
	return v, found
}

func slopeWords(v leak.Verdict) string { return alertTitle(slopeAlert) + ": " + v.Cause }

func (w *liveWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

// tell records a leak not found by the slope.
func (w *liveWatch) tell(words string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, words)
}

// look copies the observations so far.
func (w *liveWatch) look() LeakCurve {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := LeakCurve{
		RunID: w.runID, Running: !w.over, Points: w.curve.Points(), Cases: slices.Clone(w.cases),
		Verdict: w.slope.Verdict(), Told: slices.Clone(w.told),
	}
	if c.Fit, c.NoFit = w.slope.Fit(); c.NoFit != "" {
		return c
	}
	c.ByIteration = band(c.Fit.PerIteration, float64(c.Fit.LastIteration-c.Fit.FirstIteration), float64(c.Fit.FirstIteration))
	c.BySeconds = band(c.Fit.PerSecond, c.Fit.End.Sub(c.Fit.Begin).Seconds(), c.Fit.Begin.Sub(w.began).Seconds())
	return c
}

// band returns a line from 0 to length, moved by offset.
func band(l leak.Line, length, offset float64) []leak.BandPoint {
	points := l.Band(0, length, bandPoints)
	for i := range points {
		points[i].X += offset
	}
	return points
}

// Curve returns the curve of the run in progress, or of the last one; false before the first.
func (l *Leaks) Curve() (LeakCurve, bool) {
	s := l.session
	s.mu.Lock()
	w := s.watched
	s.mu.Unlock()
	if w == nil {
		return LeakCurve{}, false
	}
	return w.look(), true
}
