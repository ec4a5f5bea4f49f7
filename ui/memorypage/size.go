package memorypage

import (
	"errors"
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

// such ends what is said of a wrong size.
const such = ". Enter a size such as 64 MB or 1.5 GiB"

// parseSize reads a size such as "64 MB", "1.5GiB" or "64", which is 64 MB, as a whole number of bytes.
func parseSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	cut := len(strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	number, clear := ungrouped(strings.TrimSpace(s[:cut]))
	unit, known := unitNamed(s[cut:])
	v, err := strconv.ParseFloat(number, 64)
	switch bytes := v * unit.bytes; {
	case number == "" && known:
		return 0, errors.New("a number is missing" + such)
	case number == "":
		return 0, fmt.Errorf("“%s” is no size"+such, s)
	case !clear:
		return 0, fmt.Errorf("“%s” is not clear: a comma only parts groups of three digits. Enter 1.5 GB with a point", s)
	case errors.Is(err, strconv.ErrSyntax) || math.IsNaN(v):
		return 0, fmt.Errorf("“%s” is no size"+such, s)
	case !known:
		return 0, fmt.Errorf("“%s” is no unit of size"+such, s[cut:])
	case math.IsInf(v, 0) || bytes >= 1<<62:
		return 0, fmt.Errorf("%s is more than any memory holds"+such, s)
	case v < 0:
		return 0, fmt.Errorf("%s is less than nothing"+such, s)
	default:
		return int64(math.Round(bytes)), nil
	}
}

// ungrouped is a number without the commas between its thousands; ok is false where a comma stands elsewhere.
func ungrouped(s string) (number string, ok bool) {
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

// parseCount reads a whole number within limits.
func parseCount(s string, least, most int) (int, error) {
	s = strings.TrimSpace(s)
	number, _ := ungrouped(s)
	n, err := strconv.Atoi(number)
	limits := fmt.Sprintf("from %s to %s", grouped(least), grouped(most))
	switch {
	case s == "":
		return 0, errors.New("a number is missing. Enter a whole one " + limits)
	case err != nil:
		return 0, fmt.Errorf("“%s” is no whole number. Enter one %s", s, limits)
	case n < least || n > most:
		return 0, fmt.Errorf("%s is out of range. Enter a whole number %s", grouped(n), limits)
	}
	return n, nil
}

func unitNamed(name string) (u sizeUnit, known bool) {
	for _, u := range units() {
		if strings.EqualFold(u.name, name) {
			return u, true
		}
	}
	return sizeUnit{bytes: 1}, false
}

// sizeText is a size as a field shows it: exact, in the largest unit that keeps it short, of 1000 if any does.
func sizeText(bytes int64) string {
	for _, u := range []sizeUnit{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		v := float64(bytes) / u.bytes
		if math.Abs(v) >= 1 {
			if s := strconv.FormatFloat(v, 'f', -1, 64); len(s) <= 7 {
				return s + " " + u.name
			}
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// shortSize is a size for a field that is too narrow for a long number of bytes: that is cut to three digits.
func shortSize(bytes int64) string {
	if s := sizeText(bytes); !strings.HasSuffix(s, " B") {
		return s
	}
	return sizeText(threeDigits(bytes))
}

// threeDigits is a number cut to three digits.
func threeDigits(n int64) int64 {
	power := int64(1)
	for n/power >= 1000 {
		power *= 10
	}
	return n - n%power
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
