package stats

// Fitted is a least-squares line.
type Fitted struct {
	Slope, Intercept float64
	R2               float64 // share of the variance of y that it explains; 1 if y does not vary
}

// Line fits y over x by least squares. Without spread in x the slope is 0.
func Line(x, y []float64) Fitted {
	n := float64(len(x))
	var meanX, meanY float64
	for i := range x {
		meanX += x[i] / n
		meanY += y[i] / n
	}
	var sxx, sxy, syy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	l := Fitted{Intercept: meanY, R2: 1}
	if sxx > 0 {
		l.Slope = sxy / sxx
		l.Intercept = meanY - l.Slope*meanX
	}
	if syy > 0 {
		l.R2 = min(1, l.Slope*sxy/syy)
	}
	return l
}
