package leak

import (
	"fmt"
	"math"
	"time"
)

// Fit is the line of a Slope's verdict: through the floors of its window, which covers at most the last seconds.
type Fit struct {
	Begin, End                    time.Time // of the window
	FirstIteration, LastIteration int
	PerIteration                  Line // over iterations after FirstIteration
	PerSecond                     Line // over seconds after Begin
}

// Fit is the line through the current window; why says why there is none yet.
func (s *Slope) Fit() (f Fit, why string) {
	n := len(s.cells)
	if n < fewest || s.cells[n-1].end.Sub(s.cells[0].begin) < minSpan {
		return Fit{}, fmt.Sprintf("needs %.0f s of iterations after warm-up%s", span.Seconds(), s.of())
	}
	w := s.window()
	first, last := s.cells[0], s.cells[n-1]
	return Fit{
		Begin: first.begin, End: last.end, FirstIteration: first.first, LastIteration: last.iteration,
		PerIteration: w.line, PerSecond: w.seconds,
	}, ""
}

// Line is a least-squares line through floors, which are correlated: it has no confidence interval. Without spread in y
// it is flat.
type Line struct {
	Slope   float64 // of y per x
	R2      float64 // share of the variance that it explains; 0 if there is no variance
	Scatter float64 // maximum distance of a fitted point from the line, in y

	points int
	meanX  float64
	meanY  float64
}

// At is the line at x, and the range in which the fitted points lie around it.
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

// fitLine fits y over x. Without spread in x or y the slope is 0.
func fitLine(x, y []float64) Line {
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
	return l
}

// Quality is R² as text. It is truncated, not rounded: only a perfect fit reads as 1.
func (l Line) Quality() string {
	return fmt.Sprintf("R² %.4g", math.Floor(l.R2*1000)/1000)
}
