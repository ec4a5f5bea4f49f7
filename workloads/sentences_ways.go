package workloads

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Sentences that compare two variants along an axis.

// about begins a sentence that compares two ways.
func (f *Facts) about() string {
	return fmt.Sprintf("%s: %s %s ", f.Subject.Name, f.Subject.Way, f.way("is", "are"))
}

// way picks the verb form for the way: "two passes" are plural.
func (f *Facts) way(singular, plural string) string {
	for _, several := range []string{"two ", "eight ", "many ", "separate "} {
		if strings.HasPrefix(f.Subject.Way, several) {
			return plural
		}
	}
	return singular
}

// span writes the values from the first to the last: "10 to 1000 elements".
func (f *Facts) span() string {
	return plain(f.Holds.From) + " to " + WithUnit(plain(f.Holds.To), f.Axis.Unit)
}

// alone is the value if only one was measured.
func (f *Facts) alone() (text string, is bool) {
	if f.Holds.From != f.Holds.To {
		return "", false
	}
	return "at " + f.at(f.Holds.From) + ", the only " + f.sizes(), true
}

// sizes are the measured values.
func (f *Facts) sizes() string {
	switch {
	case f.Left:
		return "size with an interval"
	case f.Partial:
		return "size it supports"
	}
	return "size measured"
}

// differs reports where a way is faster, or slower, and the maximum difference.
func (f *Facts) differs(how, most string, throughout bool) string {
	text, there := f.about()+how+" than "+f.Subject.Baseline+" ", f.value(f.Best.Value)
	alone, is := f.alone()
	switch {
	case throughout && is:
		return text + alone + ": " + there
	case throughout:
		text += "at every " + f.sizes() + ", " + f.span()
	case f.Holds.Count == 1:
		return text + fmt.Sprintf("at %s: %s", f.at(f.Best.At), there)
	case f.Holds.Count == f.Holds.Of:
		text += "from " + f.span()
	default:
		text += fmt.Sprintf("at %d of the %d sizes from %s", f.Holds.Count, f.Holds.Of, f.span())
	}
	return text + fmt.Sprintf("%s %s at %s", most, there, plain(f.Best.At))
}

func (f *Facts) faster(throughout bool) string { return f.differs("faster", ", up to", throughout) }

func (f *Facts) slower(throughout bool) string {
	return f.differs("slower", ": at best", throughout) + "." + f.spared()
}

func (f *Facts) pays() string { return f.faster(true) + "." + f.spared() }

func (f *Facts) paysInPart() string {
	text := f.faster(false)
	if !math.IsNaN(f.Place.At) {
		none := "no gain was measurable"
		if gained(ratiosOf(f.Unsure)...) {
			none = "no gain of " + floorText() + " is confirmed"
		}
		text += "; from " + plain(f.Place.At) + " up, " + none
	}
	return text + f.slowerAt() + "." + f.spared()
}

func (f *Facts) crossover() string {
	return f.faster(false) + fmt.Sprintf("; the gain ends between %s and %s", plain(f.Place.Lo), plain(f.Place.Hi)) + f.slowerAt() + "." + f.spared()
}

// slowerAt reports where a way that is faster elsewhere is slower: "; slower at 10 and 100, at worst 0.500× (0.480× to 0.520×) at 10".
func (f *Facts) slowerAt() string {
	if len(f.Slower) == 0 {
		return ""
	}
	worst := slices.MinFunc(f.Slower, func(a, b Extreme) int { return cmp.Compare(a.Value.Median, b.Value.Median) })
	text, there := "; slower at "+placesOf(f.Slower), f.value(worst.Value)
	if len(f.Slower) == 1 {
		return text + ": " + there
	}
	return text + ", at worst " + there + " at " + plain(worst.At)
}

func (f *Facts) neverPays() string { return f.slower(true) }

func (f *Facts) slowerInPart() string {
	return f.slower(false) + " At " + placesOf(f.Unsure) + " there is " + f.undecided() + "."
}

// placesOf lists positions of values: "1 and 1000".
func placesOf(list []Extreme) string {
	const most = 4
	if len(list) > most {
		return si.Counted(len(list), "other size")
	}
	values := make([]string, len(list))
	for i := range list {
		values[i] = plain(list[i].At)
	}
	last := len(values) - 1
	if last == 0 {
		return values[0]
	}
	return strings.Join(values[:last], ", ") + " and " + values[last]
}

// undecided says that no difference is shown at any of Unsure.
func (f *Facts) undecided() string { return noDifference(ratiosOf(f.Unsure)...) }

func ratiosOf(list []Extreme) []stats.Interval {
	ratios := make([]stats.Interval, len(list))
	for i := range list {
		ratios[i] = list[i].Value
	}
	return ratios
}

func (f *Facts) unclear() string {
	text := fmt.Sprintf("%s: %s %s %s from %s ", f.Subject.Name, f.Subject.Way, f.way("shows", "show"), f.undecided(), f.Subject.Baseline)
	if alone, is := f.alone(); is {
		return text + alone + ": " + si.Ratio(f.Best.Value.Median) + " (" + endsText(f.Best.Value) + ")."
	}
	return text + "at " + f.span() + "."
}
