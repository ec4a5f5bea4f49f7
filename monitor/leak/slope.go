package leak

import (
	"fmt"
	"math"
	"time"

	"assay/internal/si"
)

// How the slope detector works. A clean run of ten minutes is judged thousands of times, so a slope above zero, or one whose
// confidence interval excludes zero, would be found in almost every run. A leak therefore has to pass more tests:
//
//   - Only floors count. What an iteration allocates temporarily (transients, caches that are emptied, a sawtooth) is
//     released again; a leak never is. The window is cut into equal intervals; the floor of each is the minimum of live
//     bytes in it or at any later time.
//   - The floors lie on a straight line, which explains at least straight of their variance. A few steps, or a pool that
//     fills up, do not; five even levels do.
//   - The last floors of the window lie above every earlier level of the case, in intervals of a second over the last
//     memory. This distinguishes a slow cycle from a leak once its second period begins.
//   - All this holds for confirm, with new observations arriving in that time.
//
// Limits. A sawtooth that climbs for longer than the window without a return looks like a leak in its first period: no
// test can distinguish them in the 5 s in which a leak must be reported. The finding is withdrawn when the live bytes
// return to where the climb began. A leak is reported within 5 s if the noise of the floor is at most a tenth of what
// leaks in a second; with more noise it takes longer.
const (
	span     = 4 * time.Second
	minSpan  = 3400 * time.Millisecond // two observations a second, with some jitter
	confirm  = 400 * time.Millisecond
	cellSpan = span / 32 // closer observations are merged into one cell
	maxCells = 33
	fewest   = 8 // intervals; with fewer cells there is no verdict
	most     = 16
	straight = 0.96 // R²
	memory   = 30   // s
	warmUp   = 3    // iterations

	// bend is the longest level period at either end of a window of growth that leaves it straight. The rate is computed from the
	// cells further in, so that it covers only the growth.
	bend = 1100 * time.Millisecond
)

// Slope finds live bytes that grow with the iterations. The zero value is ready for use; Reset it for each new case. It is not safe
// for concurrent use.
type Slope struct {
	WarmUp int // initial iterations of a case that are ignored; 0 means 3

	first   int // iteration of the case's first observation
	started bool
	cells   []cell  // in the window, oldest first
	past    []level // floors of the seconds before the window
	grown   trail   // cells of all the growth, for the rate
	verdict Verdict
	onset   int64     // floor where the found leak began
	since   time.Time // when the window began to look like a leak; zero if it does not
	from    int64     // floor where that growth began
	reason  string
}

// cell is the minimum live bytes over a short interval, and its first and last iterations.
type cell struct {
	begin, end       time.Time
	first, iteration int
	live             int64
}

// level is the minimum live bytes over one second that has left the window.
type level struct {
	begin time.Time
	live  int64
}

// Reset starts a new case, named by reason: "case 3: n=1024".
func (s *Slope) Reset(reason string) {
	*s = Slope{WarmUp: s.WarmUp, cells: s.cells[:0], past: s.past[:0], grown: s.grown[:0], reason: reason}
}

// Observe adds the live bytes after an iteration, or at any moment during it, and returns the verdict so far. An observation whose
// time or iteration goes backward is dropped.
func (s *Slope) Observe(t time.Time, iteration int, live int64) Verdict {
	if !s.started {
		s.started, s.first = true, iteration
	}
	if iteration-s.first < s.warmUp() {
		return s.Verdict()
	}
	if closed := s.add(t, iteration, live); closed {
		s.judge()
	}
	if s.verdict.Leaking && live <= s.onset {
		s.grown = s.grown[:0]
		s.verdict = Verdict{Cause: "live bytes returned to their starting level" + s.of()}
	}
	return s.Verdict()
}

// Verdict returns the latest verdict.
func (s *Slope) Verdict() Verdict {
	if s.verdict.Cause == "" {
		s.verdict.Cause = fmt.Sprintf("needs %.0f s of iterations after warm-up%s", span.Seconds(), s.of())
	}
	return s.verdict
}

func (s *Slope) of() string {
	if s.reason == "" {
		return ""
	}
	return " (" + s.reason + ")"
}

func (s *Slope) warmUp() int {
	if s.WarmUp > 0 {
		return s.WarmUp
	}
	return warmUp
}

// add merges an observation into the newest cell or begins a new one; closed reports that a cell was completed. A cell ends when its
// time is up and a new iteration begins, so that one long iteration is one point.
func (s *Slope) add(t time.Time, iteration int, live int64) (closed bool) {
	n := len(s.cells)
	if n > 0 {
		c := &s.cells[n-1]
		if t.Before(c.end) || iteration < c.iteration {
			return false
		}
		if t.Sub(c.begin) < cellSpan || iteration == c.iteration {
			c.end, c.iteration, c.live = t, iteration, min(c.live, live)
			return false
		}
	}
	s.cells = append(s.cells, cell{begin: t, end: t, first: iteration, iteration: iteration, live: live})
	s.trim(t)
	return true
}

// trim removes cells from the window once it is long enough without them.
func (s *Slope) trim(now time.Time) {
	drop := 0
	for len(s.cells)-drop > fewest && (now.Sub(s.cells[drop].begin) > span || len(s.cells)-drop > maxCells) {
		s.remember(s.cells[drop])
		drop++
	}
	if drop > 0 {
		s.cells = s.cells[:copy(s.cells, s.cells[drop:])]
	}
}

// remember adds a cell that left the window to the past levels.
func (s *Slope) remember(c cell) {
	n := len(s.past)
	if n > 0 && c.begin.Sub(s.past[n-1].begin) < time.Second {
		s.past[n-1].live = min(s.past[n-1].live, c.live)
		return
	}
	if n > memory {
		s.past = s.past[:copy(s.past, s.past[1:])]
	}
	s.past = append(s.past, level{begin: c.begin, live: c.live})
}

// highest returns the highest past level, except the newest, whose second is not over.
func (s *Slope) highest() int64 {
	highest := int64(math.MinInt64)
	for i := 0; i < len(s.past)-1; i++ {
		highest = max(highest, s.past[i].live)
	}
	return highest
}

// judge updates the verdict from the window.
func (s *Slope) judge() {
	n := len(s.cells)
	if n < fewest || s.cells[n-1].end.Sub(s.cells[0].begin) < minSpan {
		return
	}
	w, now := windowOf(s.cells), s.cells[n-1].end
	s.follow(&w, now)
	switch {
	case !s.since.IsZero() && now.Sub(s.since) >= confirm:
		if !s.verdict.Leaking {
			s.onset = s.from
		}
		s.verdict.Leaking, s.verdict.Bytes = true, int64(w.floor[w.groups-1])-s.onset
		if s.due() {
			s.state()
		}
	case s.verdict.Leaking:
		s.verdict.Bytes = int64(w.floor[w.groups-1]) - s.onset
	default:
		s.verdict = Verdict{Cause: "live bytes do not grow steadily" + s.of()}
	}
}

// follow records when the window starts and stops looking like a leak, and keeps the cells of the growth.
func (s *Slope) follow(w *window, now time.Time) {
	if !s.grows(w) {
		s.since = time.Time{}
		if !s.verdict.Leaking {
			s.grown = s.grown[:0]
		}
		return
	}
	if s.since.IsZero() {
		s.since, s.from = now, int64(w.floor[0])
	}
	for _, c := range s.cells {
		if c.begin.Sub(s.cells[0].begin) >= bend && now.Sub(c.begin) >= bend {
			s.grown.add(c)
		}
	}
}

// grows reports whether the window looks like a leak.
func (s *Slope) grows(w *window) bool {
	return w.line.R2 >= straight && w.line.Slope > 0 && w.floor[w.groups/2] > float64(s.highest())
}

// due reports whether the rate must be stated again, because it covers so much less than is known by now. It is rarely stated, so that
// every display of a leak shows the same rate.
func (s *Slope) due() bool {
	if s.verdict.Fit.Begin.IsZero() {
		return true
	}
	known := s.cells[len(s.cells)-1].end.Sub(s.verdict.Fit.Begin)
	return known >= 3*s.verdict.Fit.End.Sub(s.verdict.Fit.Begin)/2
}

// End states the rate of a leak for the last time, from all of its growth, and returns the verdict.
func (s *Slope) End() Verdict {
	if s.verdict.Leaking {
		s.state()
	}
	return s.Verdict()
}

// state puts the rate of all growth into the verdict.
func (s *Slope) state() {
	cells := s.growth()
	switch {
	case len(cells) >= fewest:
	case s.since.IsZero():
		return // the growth has ended, and the stated rate stands
	default:
		cells = s.cells
	}
	f := fit(cells)
	s.verdict.Fit = f
	s.verdict.Cause = fmt.Sprintf("live bytes grow by %s, %s per iteration, over %.1f s%s",
		f.BySecond(), si.Bytes(f.PerIteration.Slope), f.Seconds(), s.of())
}
