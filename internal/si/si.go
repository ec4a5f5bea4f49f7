// Package si formats numbers for people: three significant digits, with a suitable SI prefix.
package si

import (
	"fmt"
	"math"
	"strconv"
)

// Unknown is shown in place of an unknown number.
const Unknown = "–"

// Format formats a value in SI units by the rules of its unit: "148 GFLOP/s", "512 B", "71.5 °C", "1.42×".
func Format(v float64, unit string) string {
	u := Find(unit)
	return u.format(v, v)
}

// format writes v with the prefix that suits the value like.
func (u *Unit) format(v, like float64) string {
	exp := u.Exponent(like)
	switch {
	case !finite(v):
		return infinite(v)
	case u.Kind == Factor:
		return Digits(v) + u.Symbol
	case u.Whole && exp == 0 && v == math.Trunc(v):
		return With(strconv.FormatFloat(v, 'f', 0, 64), u.Name(exp))
	}
	return With(Digits(v/u.Power(exp)), u.Name(exp))
}

// Range formats a value and its interval, all with the same prefix: "193 (190 to 195) GFLOP/s". An interval without bounds is omitted.
func Range(v, lo, hi float64, unit string) string {
	if lo == hi || !finite(lo) || !finite(hi) || !finite(v) {
		return Format(v, unit)
	}
	u := Find(unit)
	exp := u.Exponent(v)
	power := u.Power(exp)
	return With(Digits(v/power)+" ("+Digits(lo/power)+" to "+Digits(hi/power)+")", u.Name(exp))
}

// Time writes seconds: "1.23 ms".
func Time(seconds float64) string { return Format(seconds, "s") }

// Duration formats a time in words: "12 s", "3 min 20 s".
func Duration(seconds float64) string {
	switch s := math.Round(seconds); {
	case seconds < 1:
		return "less than 1 s"
	case s < 90:
		return fmt.Sprintf("%.0f s", s)
	case s < 90*60:
		return fmt.Sprintf("%.0f min %02.0f s", math.Floor(s/60), math.Mod(s, 60))
	default:
		return fmt.Sprintf("%.0f h %02.0f min", math.Floor(s/3600), math.Floor(math.Mod(s, 3600)/60))
	}
}

// Bytes writes bytes in powers of 1000: "4.19 MB".
func Bytes(v float64) string { return Format(v, "B") }

// Ratio writes a ratio: "1.42×".
func Ratio(v float64) string {
	if !finite(v) {
		return Unknown
	}
	return Format(v, "×")
}

// Change describes a ratio of speeds, with its interval if that has two ends: "1.22× slower (1.01–1.52)". It is empty if the ratio is
// not known.
func Change(ratio, lo, hi float64) string { return ChangeFrom(ratio, lo, hi, "") }

// ChangeFrom is Change that names what it is relative to: "1.22× slower than f32 (1.01–1.52)".
func ChangeFrom(ratio, lo, hi float64, base string) string {
	if !finite(ratio) || ratio <= 0 {
		return ""
	}
	way := " faster"
	if ratio < 1 {
		way, ratio, lo, hi = " slower", 1/ratio, 1/hi, 1/lo
	}
	text := Ratio(ratio)
	switch same := text == Ratio(1); {
	case same && base != "":
		text = "as fast as " + base
	case !same && base != "":
		text += way + " than " + base
	case !same:
		text += way
	}
	if finite(lo) && finite(hi) && lo > 0 && lo != hi {
		text += " (" + Digits(lo) + "–" + Digits(hi) + ")"
	}
	return text
}

// Digits formats three significant digits, without an exponent if that is readable. The minus is a hyphen: many fonts, including the
// window's, lack the true one.
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

// Count writes a whole number with commas between thousands: "65,536".
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted formats a number with its noun: "1 result", "14 results".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// With puts a unit after a number; Unknown has none.
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
