package leak

import (
	"fmt"
	"math"
	"slices"
	"time"

	"assay/internal/si"
	"assay/internal/stats"
)

// Fit is the single estimate of how fast live bytes grow: lines through the floors of all the growth that a Slope has found, or of its
// window if it has found none.
type Fit struct {
	Begin, End                    time.Time
	FirstIteration, LastIteration int
	PerIteration                  Line // over iterations after FirstIteration
	PerSecond                     Line // over seconds after Begin
}

// Fit returns the verdict's estimate if that is a leak, and otherwise the window's; why explains why there is none yet.
func (s *Slope) Fit() (f Fit, why string) {
	if s.verdict.Leaking {
		return s.verdict.Fit, ""
	}
	n := len(s.cells)
	if n < fewest || s.cells[n-1].end.Sub(s.cells[0].begin) < minSpan {
		return Fit{}, fmt.Sprintf("needs %.0f s of iterations after warm-up%s", span.Seconds(), s.of())
	}
	return fit(s.cells), ""
}

// BySecond formats the rate with its interval.
func (f *Fit) BySecond() string { return f.PerSecond.words("B/s") }

// ByIteration formats the growth per iteration with its interval.
func (f *Fit) ByIteration() string { return f.PerIteration.words("B") + " per iteration" }

// Seconds returns how long a period the fit covers.
func (f *Fit) Seconds() float64 { return f.End.Sub(f.Begin).Seconds() }

// fit returns the lines through at least fewest cells.
func fit(cells []cell) Fit {
	w := windowOf(cells)
	first, last := cells[0], cells[len(cells)-1]
	return Fit{
		Begin: first.begin, End: last.end, FirstIteration: first.first, LastIteration: last.iteration,
		PerIteration: w.line, PerSecond: w.seconds,
	}
}

// growth returns the cells for the rate of a leak: the cells kept and, while the growth continues, those of the window after them.
func (s *Slope) growth() []cell {
	cells := slices.Clone([]cell(s.grown))
	if s.since.IsZero() {
		return cells
	}
	for _, c := range s.cells {
		if len(cells) == 0 || c.begin.After(cells[len(cells)-1].end) {
			cells = append(cells, c)
		}
	}
	return cells
}

// Line is a least-squares line through floors. Without spread in y it is flat.
type Line struct {
	Slope   float64 // of y per x
	Lo, Hi  float64 // 95 % interval of the slope
	R2      float64 // share of the variance that it explains; 0 if there is no variance
	Scatter float64 // maximum distance of a fitted point from the line, in y

	points int
	meanX  float64
	meanY  float64
}

// Rate returns the slope with its interval.
func (l Line) Rate() stats.Interval { return stats.Interval{Median: l.Slope, Lo: l.Lo, Hi: l.Hi} }

// words format the slope in a unit with its interval: "10.2 MB/s (95 % interval 9.86 to 10.5)".
func (l Line) words(unit string) string {
	text := si.Format(l.Slope, unit)
	if l.Lo == l.Hi {
		return text
	}
	u := si.Find(unit)
	power := u.Power(u.Exponent(l.Slope))
	return fmt.Sprintf("%s (95 %% interval %s to %s)", text, si.Digits(l.Lo/power), si.Digits(l.Hi/power))
}

// At returns the line at x, and the range in which the fitted points lie around it.
func (l Line) At(x float64) (y, lo, hi float64) {
	if l.points == 0 {
		return 0, 0, 0
	}
	y = l.meanY + l.Slope*(x-l.meanX)
	return y, y - l.Scatter, y + l.Scatter
}

// BandPoint is a line and the range of its points at one x.
type BandPoint struct{ X, Y, Lo, Hi float64 }

// Band evaluates the line at n ≥ 2 points from one x to another.
func (l Line) Band(from, to float64, n int) []BandPoint {
	band := make([]BandPoint, max(n, 2))
	for i := range band {
		x := from + (to-from)*float64(i)/float64(len(band)-1)
		y, lo, hi := l.At(x)
		band[i] = BandPoint{x, y, lo, hi}
	}
	return band
}

// fitLine fits y over x. Without spread in x or y the slope is 0. step is the largest single rise of y observed.
func fitLine(x, y []float64, step float64) Line {
	n := float64(len(x))
	l := Line{points: len(x)}
	for i := range x {
		l.meanX += x[i] / n
		l.meanY += y[i] / n
	}
	var sxx, sxy, syy float64
	for i := range x {
		dx, dy := x[i]-l.meanX, y[i]-l.meanY
		sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	if sxx > 0 && syy > 0 {
		l.Slope = sxy / sxx
		l.R2 = min(1, l.Slope*sxy/syy)
	}
	for i := range x {
		height, _, _ := l.At(x[i])
		l.Scatter = max(l.Scatter, math.Abs(y[i]-height))
	}
	reach := l.reach(x, y, step)
	l.Lo, l.Hi = l.Slope-reach, l.Slope+reach
	return l
}

// reach returns half the 95 % interval of the slope. Points depend on each other, so their distances from the line say little: after a
// leak of random amounts, consecutive points deviate together. The increments from point to point are then nearly independent, and if
// only the levels are noisy, they vary more than the slope does. So the interval is Student's interval of the mean increment, widened
// by what a line loses against that mean on a random walk (a variance of 6/5), and by one step: bytes that rise in stairs are known no
// better.
func (l Line) reach(x, y []float64, step float64) float64 {
	last := len(x) - 1
	length := x[last] - x[0]
	if length <= 0 {
		return 0
	}
	variance := 0.0 // per x
	for i := range last {
		dx := x[i+1] - x[i]
		if dx <= 0 {
			continue
		}
		rest := y[i+1] - y[i] - l.Slope*dx
		variance += rest * rest / dx / float64(last-1)
	}
	return student(last-1)*math.Sqrt(1.2*variance/length) + step/length
}

// student returns the 97.5 % point of Student's distribution, to 0.2 % from 5 degrees of freedom on.
func student(freedom int) float64 {
	const z = 1.959964
	f := float64(freedom)
	return z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f) + (3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*f*f*f)
}
