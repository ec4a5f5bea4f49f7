package report

import (
	"math"
	"strconv"

	"assay/workloads/measure"
)

// Unknown is what people see in the place of a number that is not known.
const Unknown = "–"

// FormatTime writes seconds with three significant digits: "1.23 ms".
func FormatTime(seconds float64) string {
	if seconds != 0 && math.Abs(seconds) < 999.5e-12 {
		return scaled(seconds, "s", 1e-12, "p")
	}
	if math.Abs(seconds) >= 1 { // never kiloseconds
		return join(Digits(seconds), "s")
	}
	return FormatSI(seconds, "s")
}

// FormatSI writes a value with three significant digits and the SI prefix that suits it: "148 GFLOP/s".
func FormatSI(v float64, unit string) string {
	factor, prefix := prefixFor(v)
	return scaled(v, unit, factor, prefix)
}

// FormatBytes writes bytes in powers of 1000: "4.19 MB".
func FormatBytes(v float64) string {
	if math.Abs(v) < 999.5 && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) + " B"
	}
	return FormatSI(v, "B")
}

// FormatRatio writes a ratio: "1.42×".
func FormatRatio(v float64) string {
	if !finite(v) {
		return Unknown
	}
	return Digits(v) + "×"
}

// FormatInterval writes a median in seconds and how far its interval reaches: "1.23 ms ± 0.8 %".
func FormatInterval(median, lo, hi float64) string {
	spread := FormatSpread(measure.Interval{Median: median, Lo: lo, Hi: hi})
	if spread == Unknown {
		return FormatTime(median)
	}
	return FormatTime(median) + " ± " + spread
}

// FormatSpread is half the width of an interval relative to its median: "0.8 %".
func FormatSpread(i measure.Interval) string {
	half := 100 * i.Width() / 2
	switch {
	case !finite(half):
		return Unknown
	case half < 0.05:
		return "<0.1 %"
	case half < 10:
		return strconv.FormatFloat(half, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(half, 'f', 0, 64) + " %"
}

// Digits writes three significant digits without an exponent where that is readable.
func Digits(v float64) string {
	if !finite(v) {
		return infinite(v)
	}
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case size >= 1e6 || size < 1e-3:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case size >= 999.5:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case size >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(size))), 64)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func infinite(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	return Unknown
}

// prefixFor picks the SI prefix that leaves 1 to 3 digits before the point, after rounding to three digits.
func prefixFor(v float64) (factor float64, prefix string) {
	for _, p := range []struct {
		factor float64
		name   string
	}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}} {
		if math.Abs(v) >= p.factor*0.9995 {
			return p.factor, p.name
		}
	}
	if v == 0 {
		return 1, ""
	}
	return 1e-9, "n"
}

func scaled(v float64, unit string, factor float64, prefix string) string {
	if !finite(v) {
		return infinite(v)
	}
	return join(Digits(v/factor), prefix+unit)
}

func join(number, unit string) string {
	if unit == "" || number == Unknown {
		return number
	}
	return number + " " + unit
}
