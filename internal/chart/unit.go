package chart

import (
	"math"
	"strconv"

	"assay/internal/si"
)

// Unit is the unit of an axis's values, in SI base units; package si describes it.
type Unit string

// The units for which charts have special rules.
const (
	None        Unit = ""      // a plain number; thousands become k, M, …
	Bytes       Unit = "B"     // SI prefixes: kB, MB, GB
	BinaryBytes Unit = "iB"    // binary prefixes: KiB, MiB, GiB
	Seconds     Unit = "s"     // ns to s
	Ratio       Unit = "ratio" // 0.5 is shown as 50 %
	Celsius     Unit = "°C"    // no prefix
)

// exponent returns the power of the unit's base that suits values as large as v, which are not rounded: ticks are exact.
func (u Unit) exponent(v float64) int {
	v = math.Abs(v)
	if v == 0 || !finite(v) {
		return 0
	}
	unit := u.about()
	if unit.Lowest == unit.Highest || unit.Highest == 0 && v >= 1 {
		return 0
	}
	// The small excess keeps 999.9999999 from taking the lower prefix.
	e := int(math.Floor(math.Log(v*(1+1e-9)) / math.Log(unit.Base)))
	return max(unit.Lowest, min(unit.Highest, e))
}

// about describes the unit; a plain number takes prefixes in a chart, where space is limited.
func (u Unit) about() si.Unit {
	if u == None {
		return si.Find("1/s")
	}
	return si.Find(string(u))
}

// tickExponent is exponent for ticks up to v, a step apart, limited so that steps need at most three decimals.
func (u Unit) tickExponent(v, step float64) int {
	e := u.exponent(v)
	for e > 0 && step > 0 && step/u.factor(e) < 0.999e-3 {
		e--
	}
	return e
}

// factor returns what a value is divided by at an exponent.
func (u Unit) factor(exp int) float64 {
	unit := u.about()
	return unit.Power(exp)
}

// appendSymbol appends the prefixed unit: "GB/s", "MiB", "%".
func (u Unit) appendSymbol(b []byte, exp int) []byte {
	unit := u.about()
	return unit.AppendName(b, exp)
}

// Append appends v with its prefix and unit, three significant digits and whole
// numbers whole: "1.24 GB", "78.0 °C", "2 GB". A missing value is "–".
func (u Unit) Append(b []byte, v float64) []byte {
	if !finite(v) {
		return append(b, si.Unknown...)
	}
	exp := u.exponent(v)
	scaled := v / u.factor(exp)
	if a := math.Abs(scaled); u == Ratio && a >= 0.1 && a < 1e6 {
		b = appendTrimmed(b, scaled, 1) // no share is known more precisely
	} else {
		b = appendThree(b, scaled)
	}
	return u.appendBehind(b, exp)
}

// appendBehind appends the prefixed unit after a number: " GB/s", " %"; the prefix of a plain number has no space: "2k".
func (u Unit) appendBehind(b []byte, exp int) []byte {
	if u == None {
		return u.appendSymbol(b, exp)
	}
	return u.appendSymbol(append(b, ' '), exp)
}

// Format is Append into a new string.
func (u Unit) Format(v float64) string { return string(u.Append(nil, v)) }

// appendThree is like appendSignificant, but keeps the trailing zeros of a number that is not whole: they are known.
func appendThree(b []byte, v float64) []byte {
	a, decimals := math.Abs(v), 0
	switch {
	case a < 0.9995 || a >= 99.95 || math.Abs(a-math.Round(a)) < 1e-9*a:
		return appendSignificant(b, v)
	case a < 9.995:
		decimals = 2
	default:
		decimals = 1
	}
	start := len(b)
	return trueMinus(strconv.AppendFloat(b, v, 'f', decimals, 64), start)
}

// appendSignificant appends v with three significant digits, or all digits of its integer part.
func appendSignificant(b []byte, v float64) []byte {
	a := math.Abs(v)
	switch {
	case a == 0:
		return append(b, '0')
	case a >= 1e6 || a < 1e-4:
		start := len(b)
		return trueMinus(strconv.AppendFloat(b, v, 'g', 3, 64), start)
	}
	digits := 2 - int(math.Floor(math.Log10(a)))
	return appendTrimmed(b, v, max(0, min(7, digits)))
}

// appendTrimmed appends v with at most the given decimals, without trailing zeros.
func appendTrimmed(b []byte, v float64, decimals int) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, v, 'f', decimals, 64)
	if decimals > 0 {
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
		if b[len(b)-1] == '.' {
			b = b[:len(b)-1]
		}
	}
	if string(b[start:]) == "-0" {
		return append(b[:start], '0')
	}
	return trueMinus(b, start)
}

// trueMinus replaces a hyphen at b[start] by a minus sign, as wide as a digit.
func trueMinus(b []byte, start int) []byte {
	if b[start] != '-' {
		return b
	}
	b = append(b, "  "...)
	copy(b[start+3:], b[start+1:])
	copy(b[start:], "−")
	return b
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
