package si

import (
	"math"
	"strings"
)

// Kind is how numbers in a unit are formatted.
type Kind uint8

// Kinds of units.
const (
	Bare   Kind = iota // the number and the unit: "71.5 °C"
	Scaled             // with an SI prefix: "148 GFLOP/s"
	Share              // a ratio in percent: 0.5 is "50.0 %"
	Factor             // a ratio followed directly by its sign: "1.42×"
	Rate               // with a prefix and no unit, which is in the title
)

// Unit describes a unit.
type Unit struct {
	Symbol          string
	Kind            Kind
	Suffix          string // suffix for metrics and columns in it
	Lowest, Highest int    // exponents of its prefixes
	Base            float64
	Whole           bool // no fractions are shown: "512 B"
}

// units have special rules. Other rates, such as "items/s", are scaled, and any other word is bare.
var units = [...]Unit{
	{Symbol: "s", Kind: Scaled, Suffix: "_s", Lowest: -4, Base: 1000}, // people can read minutes from seconds, but not from kiloseconds
	{Symbol: "B", Kind: Scaled, Suffix: "_bytes", Highest: 6, Base: 1000, Whole: true},
	{Symbol: "iB", Kind: Scaled, Highest: 6, Base: 1024, Whole: true},
	{Symbol: "B/s", Kind: Scaled, Suffix: rateSuffix, Highest: 6, Base: 1000},
	{Symbol: "B/min", Kind: Scaled, Suffix: "_per_min", Highest: 6, Base: 1000},
	{Symbol: "FLOP", Kind: Scaled, Highest: 6, Base: 1000},
	{Symbol: "FLOP/s", Kind: Scaled, Suffix: rateSuffix, Highest: 6, Base: 1000},
	{Symbol: "1/s", Kind: Rate, Suffix: rateSuffix, Highest: 6, Base: 1000},
	{Symbol: "W", Kind: Scaled, Suffix: "_w", Lowest: -3, Highest: 6, Base: 1000},
	{Symbol: "1/J", Kind: Rate, Suffix: "_per_j", Highest: 6, Base: 1000},
	{Symbol: "FLOP/J", Kind: Scaled, Suffix: "_per_j", Highest: 6, Base: 1000},
	{Symbol: "J", Kind: Scaled, Suffix: "_j", Lowest: -4, Highest: 6, Base: 1000},
	{Symbol: "Hz", Kind: Scaled, Highest: 6, Base: 1000},
	{Symbol: "dB", Suffix: "_db"},
	{Symbol: "°C"},
	{Symbol: "K"},
	{Symbol: "%"},
	{Symbol: "pt"},
	{Symbol: "min"},
	{Symbol: "h"},
	{Symbol: "ratio", Kind: Share},
	{Symbol: "×", Kind: Factor},
}

const rateSuffix = "_per_s"

// Find returns the description of a unit, which need not be in the table.
func Find(symbol string) Unit {
	for i := range units {
		if units[i].Symbol == symbol {
			return units[i]
		}
	}
	if strings.HasSuffix(symbol, "/s") {
		return Unit{Symbol: symbol, Kind: Scaled, Suffix: rateSuffix, Highest: 6, Base: 1000}
	}
	return Unit{Symbol: symbol}
}

// minExp is the exponent of the first prefix.
const minExp = -4

var prefixes = [...]string{"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"}

// Prefix returns the SI prefix for a power of 1000, from -4 to 6.
func Prefix(exp int) string { return prefixes[exp-minExp] }

// Power returns the divisor of a value in the unit at an exponent.
func (u *Unit) Power(exp int) float64 {
	switch {
	case u.Kind == Share:
		return 0.01
	case u.Base == 1024:
		return math.Exp2(float64(10 * exp))
	}
	return math.Pow10(3 * exp)
}

// Exponent returns the power of the unit's base that leaves one to three digits before the point, after rounding to three.
func (u *Unit) Exponent(v float64) int {
	if v == 0 || !finite(v) {
		return 0
	}
	exp := u.Highest
	for exp > u.Lowest && math.Abs(v) < 0.9995*u.Power(exp) {
		exp--
	}
	return exp
}

// Name returns the unit with the prefix of an exponent: "GB", "MiB".
func (u *Unit) Name(exp int) string { return string(u.AppendName(nil, exp)) }

// AppendName appends it.
func (u *Unit) AppendName(b []byte, exp int) []byte {
	switch {
	case u.Kind == Share:
		return append(b, '%')
	case u.Kind == Rate:
		return append(b, Prefix(exp)...)
	case u.Base == 1024 && exp == 0:
		return append(b, strings.TrimPrefix(u.Symbol, "i")...)
	case u.Base == 1024 && exp == 1:
		b = append(b, 'K')
	default:
		b = append(b, Prefix(exp)...)
	}
	if exp != 0 && isWord(u.Symbol) {
		b = append(b, ' ')
	}
	return append(b, u.Symbol...)
}

// isWord reports whether a unit is a word, whose prefix is separated by a space: "k items/s". Symbols have fewer lowercase letters.
func isWord(unit string) bool {
	const least = 3
	letters := 0
	for letters < len(unit) && 'a' <= unit[letters] && unit[letters] <= 'z' {
		letters++
	}
	return letters >= least
}

// IsUnit reports whether a word is a unit, with a prefix or without.
func IsUnit(word string) bool {
	for i := range units {
		u := &units[i]
		if u.Kind == Rate || u.Kind == Factor {
			continue
		}
		for exp := u.Lowest; exp <= u.Highest; exp++ {
			if u.Name(exp) == word {
				return true
			}
		}
	}
	return false
}
