package workloads

import (
	"fmt"
	"math"
	"strings"
)

// Sentences that compare two ways along an axis.

// about begins a sentence that compares two ways.
func (f *Facts) about() string {
	return fmt.Sprintf("%s: %s %s ", f.Subject.Name, f.Subject.Way, f.way("is", "are"))
}

// way picks the form that agrees with the way: "two passes" are several.
func (f *Facts) way(singular, plural string) string {
	for _, several := range []string{"two ", "many ", "separate "} {
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

// faster says where a way is faster, and by how much at most.
func (f *Facts) faster(throughout bool) string {
	text, gain := f.about()+"faster than "+f.Subject.Baseline+" ", f.value(f.Best.Value)
	alone, is := f.alone()
	switch {
	case throughout && is:
		return text + alone + ": " + gain
	case throughout:
		text += "at every " + f.sizes() + ", " + f.span()
	case f.Holds.Count == 1:
		return text + fmt.Sprintf("at %s: %s", f.at(f.Best.At), gain)
	case f.Holds.Count == f.Holds.Of:
		text += "from " + f.span()
	default:
		text += fmt.Sprintf("at %d of the %d sizes from %s", f.Holds.Count, f.Holds.Of, f.span())
	}
	return text + fmt.Sprintf(", up to %s at %s", gain, plain(f.Best.At))
}

func (f *Facts) pays() string { return f.faster(true) + "." + f.spared() }

func (f *Facts) paysInPart() string {
	text := f.faster(false)
	if !math.IsNaN(f.Place.At) {
		text += "; from " + plain(f.Place.At) + " on no gain was measurable"
	}
	return text + "." + f.spared()
}

func (f *Facts) crossover() string {
	return f.faster(false) + fmt.Sprintf("; the gain ends between %s and %s.", plain(f.Place.Lo), plain(f.Place.Hi)) + f.spared()
}

func (f *Facts) neverPays() string {
	if alone, is := f.alone(); is {
		return f.about() + "slower than " + f.Subject.Baseline + " " + alone + ": " + f.value(f.Best.Value) + "." + f.spared()
	}
	return f.about() + fmt.Sprintf("slower than %s at every %s, %s: at best %s at %s.", f.Subject.Baseline, f.sizes(), f.span(),
		f.value(f.Best.Value), plain(f.Best.At)) + f.spared()
}

func (f *Facts) unclear() string {
	if alone, is := f.alone(); is {
		return fmt.Sprintf("%s: %s %s not measurably faster than %s %s.", f.Subject.Name, f.Subject.Way, f.way("was", "were"), f.Subject.Baseline, alone)
	}
	return fmt.Sprintf("%s: %s %s not measurably faster than %s at %s.", f.Subject.Name, f.Subject.Way, f.way("was", "were"), f.Subject.Baseline, f.span())
}
