package si

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SizeError is the error of a text that is not a size.
type SizeError struct{ Text, Why string }

// Error says what is wrong and what is expected.
func (e *SizeError) Error() string {
	return fmt.Sprintf("invalid size “%s”: %s. Enter bytes, or a size such as 64 MB or 1.5 GiB", e.Text, e.Why)
}

// bytesOf returns the number of bytes in a unit, whose case is ignored and whose B is optional.
func bytesOf(unit string) (bytes float64, ok bool) {
	unit = strings.TrimSuffix(strings.ToLower(unit), "b") + "b"
	for _, symbol := range []string{"B", "iB"} {
		u := Find(symbol)
		for exp := range u.Highest + 1 {
			if strings.ToLower(u.Name(exp)) == unit {
				return u.Power(exp), true
			}
		}
	}
	return 0, false
}

// ParseBytes parses a size as a whole number of bytes: "4096", "12,800 kB", "1.5GiB". A number without a unit is in bytes. Errors are
// *SizeError.
func ParseBytes(s string) (int64, error) {
	s = strings.TrimSpace(s)
	invalid := func(format string, args ...any) (int64, error) {
		return 0, &SizeError{s, fmt.Sprintf(format, args...)}
	}
	cut := len(strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	number, clear := Ungrouped(strings.TrimSpace(s[:cut]))
	factor, known := bytesOf(s[cut:])
	v, err := strconv.ParseFloat(number, 64)
	switch bytes := v * factor; {
	case number == "" && known:
		return invalid("no number")
	case number == "":
		return invalid("no number")
	case !clear:
		return invalid("a comma only separates groups of three digits, and a point the decimals")
	case v < 0:
		return invalid("negative")
	case !known:
		return invalid("unknown unit “%s”", s[cut:])
	case math.IsInf(v, 0) || bytes >= 1<<62:
		return invalid("too large")
	case err != nil || math.IsNaN(v):
		return invalid("“%s” is not a number", number)
	default:
		return int64(math.Round(bytes)), nil
	}
}

// Typed normalizes a number as people type it in a field: without spaces and thousands separators.
func Typed(s string) string {
	number, _ := Ungrouped(strings.Join(strings.Fields(s), ""))
	return number
}

// Ungrouped removes the commas between a number's thousands; ok is false if a comma is elsewhere.
func Ungrouped(s string) (number string, ok bool) {
	whole, _, _ := strings.Cut(s, ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		if i > 0 && len(g) != 3 || len(groups) > 1 && len(strings.TrimLeft(g, "+-")) == 0 {
			return s, false
		}
	}
	if strings.Contains(s[len(whole):], ",") || len(groups) > 1 && len(strings.TrimLeft(groups[0], "+-")) > 3 {
		return s, false
	}
	return strings.ReplaceAll(s, ",", ""), true
}
