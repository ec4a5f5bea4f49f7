package monitor

import (
	"math"
	"strconv"

	"assay/internal/si"
)

// String returns the reading's value with its unit scaled for people, "12.6 MB", or "not available: why". A late value is
// marked: "12.6 MB (0.7 s late)".
func (r Reading) String() string {
	text := string(r.Text)
	switch {
	case r.Status != OK:
		return "not available: " + r.Reason
	case text == "":
		text = Format(r.Value, r.Unit)
	}
	if r.Late > 0 {
		text += " (" + Format(r.Late.Seconds(), "s") + " late)"
	}
	return text
}

// Format formats an SI value for display: "93.1 %" for a ratio, "12.6 MB" for bytes (M is 1e6).
func Format(value float64, unit string) string {
	u := si.Find(unit)
	if u.Kind == si.Share {
		return share(value*100) + " %"
	}
	exp := u.Exponent(value)
	return si.With(digits(value/u.Power(exp)), u.Name(exp))
}

// digits formats three significant digits, and integers exactly.
func digits(v float64) string {
	size := math.Abs(v)
	switch {
	case v < 0:
		return "-" + digits(size)
	case size >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// share writes at most one decimal, and below 0.1 only the first nonzero digit, since no share is known more precisely.
func share(v float64) string {
	switch size := math.Abs(v); {
	case size >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 0.1:
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 1, 64)
}
