package memorypage

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/internal/si"
	"assay/ui/view"
)

// parseCount reads a whole number within limits.
func parseCount(s string, lo, hi int) (int, error) {
	s = strings.TrimSpace(s)
	n, err := strconv.Atoi(si.Typed(s))
	limits := fmt.Sprintf("from %s to %s", grouped(lo), grouped(hi))
	switch {
	case s == "":
		return 0, errors.New("no number. Enter one " + limits)
	case err != nil:
		return 0, fmt.Errorf("“%s” is not a whole number. Enter one %s", s, limits)
	case n < lo || n > hi:
		return 0, fmt.Errorf("%s is out of range. Enter a whole number %s", grouped(n), limits)
	}
	return n, nil
}

// sizeText formats a size for a field: exact, in the largest unit that keeps it short, decimal if possible.
func sizeText(bytes int64) string {
	for _, u := range []si.Unit{si.Find("B"), si.Find("iB")} {
		for exp := u.Highest; exp > 0; exp-- {
			v := float64(bytes) / u.Power(exp)
			if s := strconv.FormatFloat(v, 'f', -1, 64); math.Abs(v) >= 1 && len(s) <= 7 {
				return s + " " + u.Name(exp)
			}
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// shortSize formats a size for a field too narrow for a long number of bytes, which is cut to three digits.
func shortSize(bytes int64) string {
	if s := sizeText(bytes); !strings.HasSuffix(s, " B") {
		return s
	}
	return sizeText(threeDigits(bytes))
}

// threeDigits truncates a number to three digits.
func threeDigits(n int64) int64 {
	power := int64(1)
	for n/power >= 1000 {
		power *= 10
	}
	return n - n%power
}

// bytesText is a number of bytes for people.
func bytesText[N int | int64 | float64](bytes N) string { return view.Quantity(float64(bytes), "B") }

// classText formats the size of a class of buffers in the binary units that define and prewarm classes: "4 KiB".
func classText(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, at := float64(bytes), 0
	for v >= 1024 && at < len(units)-1 {
		v, at = v/1024, at+1
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + "\u00a0" + units[at]
}

// counted is a number with thousands separators and its noun.
func counted[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped is a whole number with thousands separators, as everywhere in the window.
func grouped[N int | int64](n N) string { return si.Count(int(n)) }
