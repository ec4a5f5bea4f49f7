package leak

import (
	"fmt"
	"math"
	"time"
)

// Fit is the line that a Slope judges by: through the floors of its window, of which it knows no more than the last
// seconds.
type Fit struct {
	Begin, End                    time.Time // of the window
	FirstIteration, LastIteration int
	PerIteration                  Line // over iterations after FirstIteration
	PerSecond                     Line // over seconds after Begin
}

// Fit is the line through the window now; why says why there is none yet.
func (s *Slope) Fit() (f Fit, why string) {
	n := len(s.cells)
	if n < fewest || s.cells[n-1].end.Sub(s.cells[0].begin) < minSpan {
		return Fit{}, fmt.Sprintf("it takes %.0f s of iterations after warm-up%s", span.Seconds(), s.of())
	}
	w := s.window()
	first, last := s.cells[0], s.cells[n-1]
	return Fit{
		Begin: first.begin, End: last.end, FirstIteration: first.first, LastIteration: last.iteration,
		PerIteration: w.line, PerSecond: w.seconds,
	}, ""
}

// Line is a line by least squares. Without spread in y it is flat.
type Line struct {
	Slope  float64 // of y per x
	Lo, Hi float64 // its 95 % interval
	R2     float64 // share of the variance that it explains; 0 where there is none

	points     float64
	meanX      float64
	meanY      float64
	sxx        float64 // sum of the squares of x − meanX
	variance   float64 // of the residuals
	confidence float64 // quantile of Student's t
}

// At is the line at x and the 95 % interval of its height there, which is narrowest at the mean of what was fitted.
func (l Line) At(x float64) (y, lo, hi float64) {
	if l.points == 0 {
		return 0, 0, 0
	}
	dx := x - l.meanX
	y = l.meanY + l.Slope*dx
	square := 1 / l.points
	if l.sxx > 0 {
		square += dx * dx / l.sxx
	}
	half := l.confidence * math.Sqrt(l.variance*square)
	return y, y - half, y + half
}

// BandPoint is a line and its interval at one x.
type BandPoint struct{ X, Y, Lo, Hi float64 }

// Band is the line at n ≥ 2 places from one x to another.
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
	l := Line{points: n, confidence: t975(len(x) - 2)}
	for i := range x {
		l.meanX += x[i] / n
		l.meanY += y[i] / n
	}
	var sxy, syy float64
	for i := range x {
		dx, dy := x[i]-l.meanX, y[i]-l.meanY
		l.sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	if l.sxx == 0 || syy == 0 {
		return l
	}
	l.Slope = sxy / l.sxx
	residual := max(0, syy-l.Slope*sxy)
	l.variance = residual / (n - 2)
	half := l.confidence * math.Sqrt(l.variance/l.sxx)
	l.Lo, l.Hi, l.R2 = l.Slope-half, l.Slope+half, 1-residual/syy
	return l
}

// t975 is the 97.5 % quantile of Student's t for the two sizes of a window.
func t975(freedom int) float64 {
	if freedom == most-3 {
		return 2.160
	}
	return 2.447 // fewest − 2
}
