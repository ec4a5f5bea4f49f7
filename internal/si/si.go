// Package si writes numbers for people: three significant digits, with the SI prefix that suits them.
package si

import (
	"math"
	"strconv"
)

// Unknown is what people see in the place of a number that is not known.
const Unknown = "–"

// Format writes a value with the prefix that suits it: "148 GFLOP/s".
func Format(v float64, unit string) string {
	factor, prefix := Prefix(v)
	return scaled(v, unit, factor, prefix)
}

// Range writes a value and how far its interval reaches, all with one prefix: "193 (190 to 195) GFLOP/s". An interval
// that is none is left out.
func Range(v, lo, hi float64, unit string) string {
	if lo == hi || !finite(lo) || !finite(hi) || !finite(v) {
		return Format(v, unit)
	}
	factor, prefix := Prefix(v)
	if unit == "s" && factor > 1 {
		factor, prefix = 1, ""
	}
	return With(Digits(v/factor)+" ("+Digits(lo/factor)+" to "+Digits(hi/factor)+")", prefixed(prefix, unit))
}

// Time writes seconds: "1.23 ms".
func Time(seconds float64) string {
	if seconds != 0 && math.Abs(seconds) < 999.5e-12 {
		return scaled(seconds, "s", 1e-12, "p")
	}
	if math.Abs(seconds) >= 1 { // never kiloseconds
		return With(Digits(seconds), "s")
	}
	return Format(seconds, "s")
}

// Bytes writes bytes in powers of 1000: "4.19 MB".
func Bytes(v float64) string {
	if math.Abs(v) < 999.5 && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) + " B"
	}
	return Format(v, "B")
}

// Ratio writes a ratio: "1.42×".
func Ratio(v float64) string {
	if !finite(v) {
		return Unknown
	}
	return Digits(v) + "×"
}

// Digits writes three significant digits without an exponent where that is readable. The minus is a hyphen: many
// fonts, the window's among them, lack the true one.
func Digits(v float64) string {
	if !finite(v) {
		return infinite(v)
	}
	if v < 0 {
		return "-" + Digits(-v)
	}
	switch {
	case v == 0:
		return "0"
	case v >= 1e6 || v < 1e-4:
		return strconv.FormatFloat(v, 'e', 2, 64)
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(v))), 64)
}

// Prefix is the one that leaves 1 to 3 digits before the point, after rounding to three digits, and its factor.
func Prefix(v float64) (factor float64, prefix string) {
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

// Count writes a whole number with spaces between thousands that do not break: "65 536".
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}

// With puts a unit behind a number; Unknown has none.
func With(number, unit string) string {
	if unit == "" || number == Unknown {
		return number
	}
	return number + " " + unit
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func infinite(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "infinite"
	case math.IsInf(v, -1):
		return "-infinite"
	}
	return Unknown
}

func scaled(v float64, unit string, factor float64, prefix string) string {
	if !finite(v) {
		return infinite(v)
	}
	return With(Digits(v/factor), prefixed(prefix, unit))
}

// prefixed is a unit with its prefix, which stands apart from a word: "k items/s".
func prefixed(prefix, unit string) string {
	const least = 3 // letters of a word; symbols such as dB have fewer
	letters := 0
	for letters < len(unit) && 'a' <= unit[letters] && unit[letters] <= 'z' {
		letters++
	}
	if prefix != "" && letters >= least {
		return prefix + " " + unit
	}
	return prefix + unit
}
