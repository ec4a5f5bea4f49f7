package leak

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"assay/internal/si"
)

// Rate formats the slope of a verdict's line per minute, with its 95 % interval: "1.02 MB/min (95 % interval 0.984 to 1.06)". unit is
// the unit of the readings: "B", "threads".
func (v *TrendVerdict) Rate(unit string) string {
	l := v.Fit.PerSecond
	l.Slope, l.Lo, l.Hi = 60*l.Slope, 60*l.Lo, 60*l.Hi
	return l.words(unit + "/min")
}

// Words describe what a verdict found, without a subject: "grows by 1.02 MB/min (…), 9.7 MB in 9.5 min". Its times count from started.
func (v *TrendVerdict) Words(unit string, started time.Time) string {
	grown, took := Quantity(v.Grown, unit), age(v.End.Sub(v.Begin))
	switch v.Shape {
	case Growing:
		return fmt.Sprintf("grows by %s, %s in %s, and does not level off", v.Rate(unit), grown, took)
	case Slow:
		return fmt.Sprintf("grows by %s, within the tolerance of %s", v.Rate(unit), si.Format(60*v.Limits.Tolerance, unit+"/min")) + v.fallWords(unit)
	case Stepping:
		return fmt.Sprintf("grew by %s in %s, not steadily: %s", grown, took, v.stepWords(unit, started)) + v.fallWords(unit)
	case Flattening:
		return fmt.Sprintf("grows ever more slowly, like a cache that fills: %s in %s%s", grown, took, v.bendWords()) + v.fallWords(unit)
	case Cycling:
		return "rises and falls back" + v.fallWords(unit)
	case Unsteady:
		return fmt.Sprintf("grew by %s in %s%s, but not steadily enough to call it a leak: watch longer", grown, took, v.fallWords(unit))
	case Level:
		if v.Grown <= 0 {
			return "did not grow in " + took + v.fallWords(unit)
		}
		return fmt.Sprintf("does not grow: %s in %s", grown, took) + v.fallWords(unit)
	}
	return fmt.Sprintf("cannot be judged: fewer than %d readings after the warm-up", trendFewest)
}

// Quantity formats bytes with their prefix, and counts as whole numbers: "9.70 MB", "12 handles".
func Quantity(x float64, unit string) string {
	if unit == "B" {
		return si.Bytes(x)
	}
	count := strconv.FormatFloat(x, 'f', 0, 64)
	if count == "1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	return si.With(count, unit)
}

// bendWords say by how much the growth has slowed.
func (v *TrendVerdict) bendWords() string {
	switch {
	case math.IsNaN(v.Bend) || v.Bend >= 1:
		return ""
	case v.Bend <= 0.01:
		return ", and has leveled off"
	}
	return fmt.Sprintf(", at the end %.0f %% as fast as at the beginning", 100*v.Bend)
}

// fallWords say that the readings dropped, as with a garbage collector: ", fell 4 times, by up to 30.1 MB".
func (v *TrendVerdict) fallWords(unit string) string {
	switch v.Falls {
	case 0:
		return ""
	case 1:
		return ", fell once, by " + Quantity(v.Fall, unit)
	}
	return fmt.Sprintf(", fell %d times, by up to %s", v.Falls, Quantity(v.Fall, unit))
}

// stepWords list the steps and their times: "12.0 MB at 2:03, 4.10 MB at 5:10".
func (v *TrendVerdict) stepWords(unit string, started time.Time) string {
	var parts []string
	for _, s := range v.Steps {
		parts = append(parts, Quantity(s.Size, unit)+" at "+Clock(s.At.Sub(started)))
	}
	return strings.Join(parts, ", ")
}

// Clock formats a time since a start: "2:03", "1:02:03".
func Clock(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
