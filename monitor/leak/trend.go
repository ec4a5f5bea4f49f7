package leak

import (
	"cmp"
	"math"
	"time"
)

// How the trend of another program is judged. A Slope sees every iteration of a workload and decides within seconds. Of
// another program only the size is known, at intervals, and much normal behavior looks like a leak for a while: programs
// load, warm up, fill caches, and collect garbage once a minute. So a Trend is judged over minutes, using the same floors
// and the same line, and a leak has to pass these tests:
//
//   - Excluded: the warm-up, and the end of a program that has ended, which releases its memory. The caller does that.
//   - Straight: the floors of all the time, or of a stretch up to now of half the time or more, lie on a line whose slope
//     exceeds the tolerance. A stretch has to be straighter, since there are several to choose from.
//   - Not in steps: without the three largest steps of the floors, a third of the growth is left. Fewer than five even
//     steps are reported as steps.
//   - Not flattening: a cache that fills, or a table that grows with a logarithm, grows more and more slowly. The floors are
//     fitted by a parabola, whose slope must not fall below trendBend of its start over the time watched.
//   - Not a cycle: the floors end up above all earlier levels from which memory dropped. A level that the growth would take
//     more than twice the time watched to reach is not part of its cycle, if memory dropped only once, as after loading.
//
// Limits. A cache that needs more time to fill than was watched looks like a leak, as does a cycle as long as the watch.
// Rare steps, fewer than five in the time watched, are not called a leak.
const (
	trendCells  = 512
	trendFewest = 32 // cells
	stretches   = 8  // parts of the watched time: a stretch may leave out 0 to 4 of them
	trendFine   = 48 // floors, among which steps and bends are sought

	trendStraight = 0.94 // R² over all the time
	trendSure     = 0.97 // R² of a stretch, or over all the time if it bends, or if a random walk might do the same
	trendSteps    = 3    // largest steps that are set aside
	trendRest     = 0.3  // share of the growth that must be left
	trendBend     = 0.68 // slope at the end ÷ slope at the beginning
	trendBent     = 0.25 // share of the scatter about the line that the parabola must explain
	trendRested   = 0.4  // bend below which it need not
	trendReach    = 2.0  // multiple of the watched time
)

// Trend judges one reading of a program over time. The zero value is ready for use; it is not safe for concurrent use.
type Trend struct {
	width time.Duration // per cell
	cells []cell
}

// Limits are the growth of a Trend that does not count as a leak.
type Limits struct {
	Tolerance float64 // growth per second
	Least     float64 // total growth
}

// Shape is how a Trend's readings behave over time.
type Shape uint8

// Shapes. Only Growing is a leak.
const (
	Unjudged   Shape = iota // too few readings
	Level                   // no growth that is certain
	Slow                    // grows, within the tolerance
	Stepping                // grew in a few steps
	Flattening              // grows more and more slowly
	Cycling                 // rises and falls back
	Unsteady                // has grown, but not steadily
	Growing                 // grows steadily: a leak
)

// Leaking reports whether the shape is a leak.
func (s Shape) Leaking() bool { return s == Growing }

// Step is a sudden rise.
type Step struct {
	At   time.Time
	Size float64
}

// TrendVerdict is the conclusion from a Trend's readings.
type TrendVerdict struct {
	Shape  Shape
	Begin  time.Time // start of the judged period
	End    time.Time
	Grown  float64 // from the first floor to the last
	Fit    Fit     // for the decisive stretch; if it is not a leak, for everything that was judged
	Steps  []Step  // the largest rises of the floors, in order of time, if Shape is Stepping
	Falls  int     // how often the readings dropped by more than half of their range
	Fall   float64 // the largest of these drops
	Bend   float64 // slope at the end ÷ slope at the beginning, over Fit's stretch; NaN if it does not grow
	Limits Limits
}

// Observe adds a reading. Readings that go back in time are dropped.
func (t *Trend) Observe(at time.Time, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	v := int64(math.Round(value))
	n := len(t.cells)
	switch {
	case n > 0 && at.Before(t.cells[n-1].end):
		return
	case n > 0 && at.Sub(t.cells[n-1].begin) < t.width:
		c := &t.cells[n-1]
		c.end, c.iteration, c.live = at, c.iteration+1, min(c.live, v)
		return
	case n == trendCells:
		t.halve()
	}
	i := 0
	if n := len(t.cells); n > 0 {
		i = t.cells[n-1].iteration + 1
	}
	t.cells = append(t.cells, cell{begin: at, end: at, first: i, iteration: i, live: v})
}

// halve merges every two cells.
func (t *Trend) halve() {
	n := len(t.cells)
	for i := range n / 2 {
		t.cells[i] = t.cells[2*i].with(t.cells[2*i+1])
	}
	t.cells = t.cells[:n/2]
	t.width = max(2*t.width, t.cells[n/2-1].end.Sub(t.cells[0].begin)/time.Duration(n/2))
}

// Span returns the time from the first reading to the last.
func (t *Trend) Span() time.Duration {
	if len(t.cells) == 0 {
		return 0
	}
	return t.cells[len(t.cells)-1].end.Sub(t.cells[0].begin)
}

// Judge returns the verdict on the readings between two times.
func (t *Trend) Judge(from, to time.Time, l Limits) TrendVerdict {
	cells := between(t.cells, from, to)
	if len(cells) < trendFewest {
		return TrendVerdict{Limits: l, Bend: math.NaN()}
	}
	last := cells[len(cells)-1].end
	watched := last.Sub(cells[0].begin)
	var whole TrendVerdict
	for i := range stretches/2 + 1 {
		begin := cells[0].begin.Add(watched * time.Duration(i) / stretches)
		part := between(cells, begin, last)
		if len(part) < trendFewest {
			break
		}
		v := stretchOf(cells[:len(cells)-len(part)], part, watched, l)
		if i == 0 {
			whole = v
		}
		if v.Shape.Leaking() {
			return v
		}
	}
	whole.Falls, whole.Fall = falls(cells, l.Least)
	return whole
}

// between returns the cells between two times.
func between(cells []cell, from, to time.Time) []cell {
	for len(cells) > 0 && cells[0].begin.Before(from) {
		cells = cells[1:]
	}
	for len(cells) > 0 && cells[len(cells)-1].end.After(to) {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// stretchOf returns the verdict on a stretch, after earlier cells, of a watch of the given length.
func stretchOf(earlier, cells []cell, watched time.Duration, l Limits) TrendVerdict {
	f, fine := fit(cells), finely(cells)
	v := TrendVerdict{Begin: f.Begin, End: f.End, Fit: f, Limits: l, Grown: fine.grown(), Bend: math.NaN()}
	slope := f.PerSecond.Slope
	bend, sure := fine.bend()
	if slope > 0 {
		v.Bend = bend
	}
	steps, rest := fine.steps()
	share := watched.Seconds() / f.Seconds()
	switch {
	case v.Grown < l.Least || slope <= 0:
		v.Shape = Level
	case fine.cycles(earlier, cells, slope, watched):
		v.Shape = Cycling
	case rest < trendRest*v.Grown:
		v.Shape, v.Steps = Stepping, steps
	case math.Pow(max(0, bend), share) < trendBend && (sure > trendBent || bend < trendRested):
		v.Shape = Flattening
	case slope <= l.Tolerance:
		v.Shape = Slow
	case !isStraight(&f.PerSecond, bend, len(earlier) == 0):
		v.Shape = Unsteady
	default:
		v.Shape = Growing
	}
	return v
}

// isStraight reports whether floors with this line and bend rise in a straight line.
func isStraight(l *Line, bend float64, whole bool) bool {
	if whole && l.Lo > 0 && 0.5 <= bend && bend <= 4 {
		return l.R2 >= trendStraight
	}
	return l.R2 >= trendSure
}

// floors are minima from a given time on, evenly spaced.
type floors struct {
	at    []time.Time
	level []float64
}

// finely returns the floors of cells in enough groups to distinguish steps. The last group has none after it, and is left out.
func finely(cells []cell) floors {
	n := len(cells)
	groups := min(trendFine, n)
	var f floors
	floor := int64(math.MaxInt64)
	for g := groups - 1; g >= 0; g-- {
		first := g * n / groups
		for i := (g+1)*n/groups - 1; i >= first; i-- {
			floor = min(floor, cells[i].live)
		}
		if g < groups-1 {
			f.at, f.level = append(f.at, cells[first].begin), append(f.level, float64(floor))
		}
	}
	for i, j := 0, len(f.at)-1; i < j; i, j = i+1, j-1 {
		f.at[i], f.at[j] = f.at[j], f.at[i]
		f.level[i], f.level[j] = f.level[j], f.level[i]
	}
	return f
}

func (f *floors) grown() float64 { return f.level[len(f.level)-1] - f.level[0] }

// steps returns the largest rises, in order of time, and how much growth is left without them.
func (f *floors) steps() (steps []Step, rest float64) {
	rest = f.grown()
	taken := map[int]bool{}
	for range trendSteps {
		best := -1
		for i := 1; i < len(f.level); i++ {
			if !taken[i] && (best < 0 || f.rise(i) > f.rise(best)) {
				best = i
			}
		}
		taken[best] = true
		rest -= f.rise(best)
	}
	for i := 1; i < len(f.level); i++ {
		if taken[i] && f.rise(i) > 0.1*f.grown() {
			steps = append(steps, Step{f.at[i], f.rise(i)})
		}
	}
	return steps, rest
}

func (f *floors) rise(i int) float64 { return f.level[i] - f.level[i-1] }

// bend returns the slope at the end of a parabola through the floors, divided by the slope at its beginning: 1 is straight, 0 has come
// to rest. It is infinite if the parabola begins level. sure is the share of the scatter about a line that the parabola explains.
func (f *floors) bend() (bend, sure float64) {
	n := len(f.level)
	x := func(i int) float64 { return 2*float64(i)/float64(n-1) - 1 }
	var mean, square float64
	for i, y := range f.level {
		mean += y / float64(n)
		square += x(i) * x(i) / float64(n)
	}
	// Over −1 … 1 the polynomials x and x² − square are orthogonal: the slope is b1 + 2·b2·x.
	var s11, s1y, s22, s2y, syy float64
	for i, y := range f.level {
		y -= mean
		q := x(i)*x(i) - square
		s11, s1y = s11+x(i)*x(i), s1y+x(i)*y
		s22, s2y = s22+q*q, s2y+q*y
		syy += y * y
	}
	b1, b2 := s1y/s11, s2y/s22
	if scatter := syy - b1*s1y; scatter > 0 {
		sure = b2 * s2y / scatter
	}
	if begin := b1 - 2*b2; begin > 0 {
		return (b1 + 2*b2) / begin, sure
	}
	return math.Inf(1), sure
}

// cycles reports whether the upper half of the floors fails to exceed the earlier levels from which memory dropped.
func (f *floors) cycles(earlier, cells []cell, slope float64, watched time.Duration) bool {
	highest, falls := peaks(earlier, cells[0].live, f.grown())
	limit := f.level[len(f.level)-1] + slope*trendReach*watched.Seconds()
	if falls <= 1 && highest > limit {
		return false
	}
	return f.level[len(f.level)/2] <= highest
}

// peaks returns the highest level of cells, and how often memory dropped from a level by a large part of a growth. A level is the
// minimum of a few cells: anything shorter does not count.
func peaks(cells []cell, next int64, growth float64) (highest float64, falls int) {
	highest = math.Inf(-1)
	const few = 4
	top := math.Inf(-1) // since the last drop
	for i := range cells {
		low := int64(math.MaxInt64)
		for k := i; k < min(i+few, len(cells)); k++ {
			low = min(low, cells[k].live)
		}
		if i+few > len(cells) {
			low = min(low, next)
		}
		level := float64(low)
		if top-level > cmp.Or(growth/2, 1) {
			falls++
			top = level
		}
		top, highest = max(top, level), max(highest, level)
	}
	if top-float64(next) > cmp.Or(growth/2, 1) {
		falls++
	}
	return highest, falls
}
