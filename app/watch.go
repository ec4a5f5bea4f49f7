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

// LeakCase is where a case of a run begins on its curve.
type LeakCase struct {
	Name      string
	Iteration int     // its first
	Seconds   float64 // since the run began
}

// Curve is the live bytes of the engine during a run, and what the slope detector makes of them. Iterations count
// from 1 through all cases of the run, seconds since it began.
type LeakCurve struct {
	RunID   string
	Running bool
	Points  []leak.Point // of the whole run, the oldest first, at most leak.MaxPoints
	Cases   []LeakCase   // of the whole run, the oldest first; of very many, the last

	// The line fitted through the floors of the last seconds of the newest case, with the range in which the floors lie
	// around it. Both bands are empty where NoFit says why.
	Fit         leak.Fit
	ByIteration []leak.BandPoint // X in iterations, Y in bytes
	BySeconds   []leak.BandPoint // X in seconds, Y in bytes
	NoFit       string

	Verdict leak.Verdict // on the newest case; Cause says it in words
	Told    []string     // every leak that was found in this run so far and not withdrawn, in words
}

// watch follows the live bytes of one run.
type watch struct {
	runID string
	began time.Time

	mu     sync.Mutex
	over   bool
	slope  leak.Slope
	curve  leak.Curve
	cases  []LeakCase
	inCase string
	count  int
	found  bool // the slope verdict of this case was told
	at     int  // then, its place in told
	told   []string
}

// turn is what an observation has changed.
type turn uint8

const (
	asBefore turn = iota
	leakFound
	leakWithdrawn
)

// observe takes the live bytes after one more iteration of a case.
func (w *watch) observe(caseName string, now time.Time, live int64) (leak.Verdict, turn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	seconds := now.Sub(w.began).Seconds()
	if caseName != w.inCase {
		w.settle()
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
	case w.found && !v.Leaking:
		w.found = false
		w.told = slices.Delete(w.told, w.at, w.at+1)
		return v, leakWithdrawn
	}
	return v, asBefore
}

// endCase makes the next observation one of a new case: another workload may use the same names. Where growth was found
// in the case, words say how much in the end.
func (w *watch) endCase() (words string, found bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found = w.settle()
	w.inCase = ""
	return w.slope.Verdict().Cause, found
}

// settle brings what was told of growth in this case up to date, for the last time. The caller holds mu.
func (w *watch) settle() (found bool) {
	if found = w.found; found {
		w.told[w.at] = slopeWords(w.slope.Verdict())
	}
	w.found = false
	return found
}

func slopeWords(v leak.Verdict) string { return alertTitle(slopeAlert) + ": " + v.Cause }

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

// tell notes a leak that was found otherwise than by the slope.
func (w *watch) tell(words string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, words)
}

// look copies what was seen so far.
func (w *watch) look() LeakCurve {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := LeakCurve{
		RunID: w.runID, Running: !w.over, Points: w.curve.Points(), Cases: slices.Clone(w.cases),
		Verdict: w.slope.Verdict(), Told: slices.Clone(w.told),
	}
	if w.found { // in the words of now, which are those of the verdict
		c.Told[w.at] = slopeWords(c.Verdict)
	}
	if c.Fit, c.NoFit = w.slope.Fit(); c.NoFit != "" {
		return c
	}
	c.ByIteration = band(c.Fit.PerIteration, float64(c.Fit.LastIteration-c.Fit.FirstIteration), float64(c.Fit.FirstIteration))
	c.BySeconds = band(c.Fit.PerSecond, c.Fit.End.Sub(c.Fit.Begin).Seconds(), c.Fit.Begin.Sub(w.began).Seconds())
	return c
}

// band is a line from 0 to length, moved by offset.
func band(l leak.Line, length, offset float64) []leak.BandPoint {
	points := l.Band(0, length, bandPoints)
	for i := range points {
		points[i].X += offset
	}
	return points
}

// LeakCurve is that of the run in progress, or of the last one; false before the first.
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
