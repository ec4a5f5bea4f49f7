package report

import (
	"math"
	"strconv"

	"assay/internal/si"
	"assay/internal/stats"
)

// FormatInterval formats a median in seconds with the half width of its interval: "1.23 ms ± 0.8 %".
func FormatInterval(i stats.Interval) string {
	spread := FormatSpread(i)
	if spread == si.Unknown {
		return si.Time(i.Median)
	}
	return si.Time(i.Median) + " ± " + spread
}

// FormatSpread returns half the width of an interval relative to its median: "0.8 %".
func FormatSpread(i stats.Interval) string {
	if half := formatHalf(i.Width() / 2); half != si.Unknown {
		return half + " %"
	}
	return si.Unknown
}

// formatHalf formats a fraction in hundredths: "0.8".
func formatHalf(half float64) string {
	half *= 100
	switch {
	case !finite(half):
		return si.Unknown
	case half < 0.05:
		return "<0.1"
	case half < 10:
		return strconv.FormatFloat(half, 'f', 1, 64)
	}
	return strconv.FormatFloat(half, 'f', 0, 64)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
