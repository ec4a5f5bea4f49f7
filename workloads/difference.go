package workloads

import (
	"fmt"
	"slices"
	"strconv"

	"assay/internal/si"
	"assay/internal/stats"
)

// difference is the rule by which findings distinguish variants.
func difference() stats.Rule { return stats.Rule{Floor: stats.InTurns} }

// NoDifference says, as findings do, that a ratio of speeds shows neither faster nor slower; empty if it shows one.
func NoDifference(ratio stats.Interval) string {
	if v := difference().Judge(ratio); v == stats.Faster || v == stats.Slower {
		return ""
	}
	return noDifference(ratio)
}

// floorText says which differences count under the rule.
func floorText() string { return fmt.Sprintf("more than %.0f %%", 100*stats.InTurns) }

// noDifference says that the rule finds none, although the intervals may show a slight one.
func noDifference(ratios ...stats.Interval) string {
	if slices.ContainsFunc(ratios, shown) {
		return "no confirmed difference of " + floorText()
	}
	return "no measurable difference"
}

// shown reports whether an interval lies on one side of 1, however slightly.
func shown(ratio stats.Interval) bool { return ratio.Lo > 1 || ratio.Hi < 1 }

// gained reports whether one of the intervals lies above 1, however slightly.
func gained(ratios ...stats.Interval) bool {
	return slices.ContainsFunc(ratios, func(ratio stats.Interval) bool { return ratio.Lo > 1 })
}

// endsText formats the ends of a ratio's interval; if it excludes 1, with enough digits to show that: "1.005× to 1.04×".
func endsText(ratio stats.Interval) string {
	text := si.Ratio
	if shown(ratio) {
		text = apartText
	}
	return text(ratio.Lo) + " to " + text(ratio.Hi)
}

// apartText formats a ratio with three significant digits, or with as many more as distinguish it from 1.
func apartText(ratio float64) string {
	const most = 9 // anything finer is rounding error
	text, one := si.Ratio(ratio), si.Ratio(1)
	for places := 3; text == one && ratio != 1 && places <= most; places++ {
		one = strconv.FormatFloat(1, 'f', places, 64) + "×"
		text = strconv.FormatFloat(ratio, 'f', places, 64) + "×"
	}
	return text
}
