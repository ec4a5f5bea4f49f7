package memorypage

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/ui/view"
)

// units are those of a size, the usual ones first. A bare number is in MB.
func units() []sizeUnit {
	return []sizeUnit{
		{"kB", 1e3},
		{"MB", 1e6},
		{"GB", 1e9},
		{"TB", 1e12},
		{"B", 1},
		{"KiB", 1 << 10},
		{"MiB", 1 << 20},
		{"GiB", 1 << 30},
		{"TiB", 1 << 40},
		{"", 1e6},
	}
}

type sizeUnit struct {
	name  string
	bytes float64
}

// parseSize reads a size such as "64 MB", "1.5GiB" or "64", which is 64 MB, as a whole number of bytes. what names it in an
// error.
func parseSize(what, s string) (int64, error) {
	s = strings.TrimSpace(s)
	cut := len(strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	number, name := strings.TrimSpace(s[:cut]), s[cut:]
	unit, err := unitNamed(what, name)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	switch bytes := v * unit.bytes; {
	case err != nil || number == "" || math.IsNaN(v):
		return 0, fmt.Errorf("%s: %q is no size, want one such as 64 MB or 1.5 GiB", what, s)
	case v < 0:
		return 0, fmt.Errorf("%s: %s, want 0 B or more", what, s)
	case bytes >= 1<<62:
		return 0, fmt.Errorf("%s: %s is more than any memory holds", what, s)
	default:
		return int64(math.Round(bytes)), nil
	}
}

func unitNamed(what, name string) (sizeUnit, error) {
	for _, u := range units() {
		if strings.EqualFold(u.name, name) {
			return u, nil
		}
	}
	return sizeUnit{}, fmt.Errorf("%s: %q is no unit of size, want B, kB, MB, GB, or KiB, MiB, GiB", what, name)
}

// sizeText is a size as a field shows it: exact, in the largest unit of 1000 that keeps it short.
func sizeText(bytes int64) string {
	for _, u := range []sizeUnit{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		v := float64(bytes) / u.bytes
		if math.Abs(v) >= 1 {
			if s := strconv.FormatFloat(v, 'f', -1, 64); len(s) <= 7 {
				return s + " " + u.name
			}
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// bytesText is a number of bytes for people.
func bytesText[N int | int64 | float64](bytes N) string { return view.Quantity(float64(bytes), "B") }

// counted is a number with its noun, its thousands apart.
func counted[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped is a whole number with its thousands apart.
func grouped[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
