package leak

import (
	"fmt"
	"math"
	"time"
)

// How the slope detector looks. A clean run of ten minutes is judged thousands of times, so that a slope whose 95 %
// interval lies above zero would by itself be found in almost every run. A leak therefore has to pass more:
//
//   - Only floors count. What an iteration holds for a while (transients, caches that are emptied, a sawtooth) comes
//     back down; what leaks never does. The window of span is cut into groups equal stretches; the floor of each is
//     the least that was live in it or any time after it.
//   - The floors lie on a straight line: they explain at least straight of the variance. A step, two or three steps or
//     a ramp that ends (a pool that fills) do not; five even levels do.
//   - They rise by a like amount in both halves of the window.
//   - The floor of the window's second half lies above every level that the case had before, in stretches of a second
//     over the last memory. A slow cycle is thus told from a leak from its second turn on.
//
// A sawtooth that climbs for longer than the window without a return cannot be told from a leak in the time that a leak
// must be found in. The finding is withdrawn when the live bytes come back to where the climb began.
const (
	span     = 4 * time.Second
	minSpan  = 3400 * time.Millisecond // of observations at two a second, with some jitter
	cellSpan = span / 32               // observations closer than this are merged into one cell
	maxCells = 33
	groups   = 8
	straight = 0.96  // R² that the floors must reach
	t975     = 2.447 // quantile of Student's t, groups − 2 degrees of freedom
	memory   = 30    // s
	warmUp   = 3
)

// Slope finds live bytes that grow with the iterations. The zero value is ready; Reset it at each new case. It is for
// one goroutine.
type Slope struct {
	WarmUp int // iterations of a case that are not judged; 0 is 3

	first   int // iteration of the case's first observation
	started bool
	cells   []cell  // of the window, oldest first
	past    []level // floors of the seconds before the window
	verdict Verdict
	onset   int64 // floor where the found leak began
	reason  string
}

// cell is the least live bytes over a short stretch, and the last iteration in it.
type cell struct {
	begin, end time.Time
	iteration  int
	live       int64
}

// level is the least live bytes over one second that has left the window.
type level struct {
	begin time.Time
	live  int64
}

// Reset forgets the case; reason says what begins, "case 3: n=1024".
func (s *Slope) Reset(reason string) {
	*s = Slope{WarmUp: s.WarmUp, cells: s.cells[:0], past: s.past[:0], reason: reason}
}

// Observe takes the live bytes after an iteration, or at any moment during it, and returns the verdict so far. Times and
// iterations of a case do not go back; an observation that does is dropped.
func (s *Slope) Observe(t time.Time, iteration int, live int64) Verdict {
	if !s.started {
		s.started, s.first = true, iteration
	}
	if iteration-s.first < s.warmUp() {
		return s.waiting()
	}
	if closed := s.add(t, iteration, live); closed {
		s.judge()
	}
	return s.Verdict()
}

// Verdict is the latest verdict.
func (s *Slope) Verdict() Verdict {
	if s.verdict.Cause == "" {
		return s.waiting()
	}
	return s.verdict
}

func (s *Slope) waiting() Verdict {
	return Verdict{Cause: fmt.Sprintf("needs %v of iterations after warm-up%s", span, s.of())}
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

// add merges an observation into the newest cell or begins one; closed says that a cell has become complete. A cell
// lasts until its time is up and the iteration has moved on, so that one long iteration is one point.
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
	s.cells = append(s.cells, cell{begin: t, end: t, iteration: iteration, live: live})
	s.trim(t)
	return true
}

// trim lets cells leave the window once it is long enough without them.
func (s *Slope) trim(now time.Time) {
	drop := 0
	for len(s.cells)-drop > groups && (now.Sub(s.cells[drop].begin) > span || len(s.cells)-drop > maxCells) {
		s.remember(s.cells[drop])
		drop++
	}
	if drop > 0 {
		s.cells = s.cells[:copy(s.cells, s.cells[drop:])]
	}
}

// remember adds a cell that has left the window to the levels of the past.
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

// highest is the highest level of the past; the newest is left out, because its second is not over.
func (s *Slope) highest() int64 {
	highest := int64(math.MinInt64)
	for i := 0; i < len(s.past)-1; i++ {
		highest = max(highest, s.past[i].live)
	}
	return highest
}

// judge brings the verdict up to date with the window.
func (s *Slope) judge() {
	n := len(s.cells)
	if n < groups || s.cells[n-1].end.Sub(s.cells[0].begin) < minSpan {
		return
	}
	w := s.window()
	if s.verdict.Leaking && s.cells[n-1].live <= s.onset {
		s.verdict = Verdict{}
	}
	found := w.line.r2 >= straight && w.line.lo > 0 && w.floor[groups/2] > float64(s.highest())
	switch {
	case found:
		if !s.verdict.Leaking {
			s.onset = int64(w.floor[0])
		}
		s.verdict = s.leaking(w)
	case s.verdict.Leaking:
		s.verdict.Bytes = int64(w.floor[groups-1]) - s.onset
	default:
		s.verdict = w.verdict()
		s.verdict.Cause = fmt.Sprintf("live bytes do not grow steadily%s", s.of())
	}
}

// window is the floors of the groups and the line through them.
type window struct {
	floor   [groups]float64 // B
	line    fit             // B per iteration
	seconds fit             // B/s
}

// window takes the floors from the right, so that a stretch that never touched its floor gets that of a later one.
func (s *Slope) window() window {
	var w window
	var iterations, seconds [groups]float64
	n := len(s.cells)
	floor := int64(math.MaxInt64)
	for g := groups - 1; g >= 0; g-- {
		for _, c := range s.cells[g*n/groups : (g+1)*n/groups] {
			floor = min(floor, c.live)
		}
		last := s.cells[(g+1)*n/groups-1]
		w.floor[g] = float64(floor)
		iterations[g] = float64(last.iteration - s.cells[0].iteration)
		seconds[g] = last.end.Sub(s.cells[0].begin).Seconds()
	}
	w.line, w.seconds = fitLine(iterations, w.floor), fitLine(seconds, w.floor)
	return w
}

func (w *window) verdict() Verdict {
	return Verdict{
		SlopePerIteration: w.line.slope, SlopeLo: w.line.lo, SlopeHi: w.line.hi,
		PerSecond: w.seconds.slope, PerSecondLo: w.seconds.lo, PerSecondHi: w.seconds.hi,
	}
}

func (s *Slope) leaking(w window) Verdict {
	v := w.verdict()
	v.Leaking, v.Bytes = true, int64(w.floor[groups-1])-s.onset
	v.Cause = fmt.Sprintf("live bytes grow by %s per iteration (95 %% interval %s to %s), %s/s%s",
		Bytes(v.SlopePerIteration), Bytes(v.SlopeLo), Bytes(v.SlopeHi), Bytes(v.PerSecond), s.of())
	return v
}

// fit is a line by least squares: its slope, the 95 % interval of that, and the share of the variance that it explains.
type fit struct{ slope, lo, hi, r2 float64 }

// fitLine fits y over x. Without spread in x or y there is no line, and all is 0.
func fitLine(x, y [groups]float64) fit {
	var mx, my float64
	for i := range x {
		mx += x[i] / groups
		my += y[i] / groups
	}
	var sxx, sxy, syy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	if sxx == 0 || syy == 0 {
		return fit{}
	}
	slope := sxy / sxx
	residual := max(0, syy-slope*sxy)
	half := t975 * math.Sqrt(residual/(groups-2)/sxx)
	return fit{slope: slope, lo: slope - half, hi: slope + half, r2: 1 - residual/syy}
}
