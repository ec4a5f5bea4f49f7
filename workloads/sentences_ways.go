package workloads

import (
	"fmt"
	"math"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Sentences that compare two ways along an axis.

// about begins a sentence that compares two ways.
func (f *Facts) about() string {
	return fmt.Sprintf("%s: %s %s ", f.Subject.Name, f.Subject.Way, f.way("is", "are"))
}

// way picks the form that agrees with the way: "two passes" are several.
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

// alone is the value where only one was measured.
func (f *Facts) alone() (text string, is bool) {
	if f.Holds.From != f.Holds.To {
		return "", false
	}
	return "at " + f.at(f.Holds.From) + ", the only " + f.sizes(), true
}

// sizes are those that were measured.
func (f *Facts) sizes() string {
	switch {
	case f.Left:
		return "size with an interval"
	case f.Partial:
		return "size that it supports"
	}
	return "size measured"
}

// differs says where a way is faster, or slower, and by how much at most.
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
		if gained(f.Unsure) {
			none = "no gain of " + floorText() + " is certain"
		}
		text += "; from " + plain(f.Place.At) + " on " + none
	}
	return text + "." + f.spared()
}

func (f *Facts) crossover() string {
	return f.faster(false) + fmt.Sprintf("; the gain ends between %s and %s.", plain(f.Place.Lo), plain(f.Place.Hi)) + f.spared()
}

func (f *Facts) neverPays() string { return f.slower(true) }

func (f *Facts) slowerInPart() string {
	return f.slower(false) + " At " + f.unsureAt() + " there is " + f.undecided() + "."
}

// unsureAt writes the values at which neither way is shown to be faster: "1 and 1000".
func (f *Facts) unsureAt() string {
	const most = 4
	if len(f.Unsure) > most {
		return si.Counted(len(f.Unsure), "other size")
	}
	values := make([]string, len(f.Unsure))
	for i := range f.Unsure {
		values[i] = plain(f.Unsure[i].At)
	}
	last := len(values) - 1
	if last == 0 {
		return values[0]
	}
	return strings.Join(values[:last], ", ") + " and " + values[last]
}

// undecided says that no difference is shown at any of Unsure.
func (f *Facts) undecided() string {
	var ratios []stats.Interval
	for _, e := range f.Unsure {
		ratios = append(ratios, e.Value)
	}
	return noDifference(ratios...)
}

func (f *Facts) unclear() string {
	text := fmt.Sprintf("%s: %s %s %s from %s ", f.Subject.Name, f.Subject.Way, f.way("shows", "show"), f.undecided(), f.Subject.Baseline)
	if alone, is := f.alone(); is {
		return text + alone + ": " + f.value(f.Best.Value) + "."
	}
	return text + "at " + f.span() + "."
}
