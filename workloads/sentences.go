package workloads

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Sentence words a finding; empty for a kind without a sentence.
func (f *Finding) Sentence() string {
	k := kindOf(f.Kind)
	if k == nil {
		return ""
	}
	return k.say(f)
}

// plain writes a value of an axis.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// at writes a value of the axis in a sentence: "a batch of 8", "64 rows".
func (f *Facts) at(v float64) string {
	if f.Axis.Phrase != "" {
		return fmt.Sprintf(f.Axis.Phrase, plain(v))
	}
	return WithUnit(plain(v), f.Axis.Unit)
}

// value writes a value with its interval.
func (f *Facts) value(i stats.Interval) string {
	if f.Unit == "" {
		return ratioText(i)
	}
	return si.Range(i.Median, i.Lo, i.Hi, f.Unit)
}

// verb picks the form that agrees with the subject.
func (f *Facts) verb(singular, plural string) string {
	if f.Subject.Plural {
		return plural
	}
	return singular
}

func (f *Facts) knee() string {
	text := fmt.Sprintf("%s %s at least %.0f %% of %s best throughput from %s on", f.Subject.Name, f.verb("reaches", "reach"),
		100*f.Limit, f.verb("its", "their"), f.at(f.Place.At))
	var there []string
	for _, r := range f.Readings {
		there = append(there, strings.TrimSpace(si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit)+" "+r.Per))
	}
	if len(there) > 0 {
		text += ", there with " + strings.Join(there, " and ")
	}
	return text + fmt.Sprintf("; the best is %s, at %s.", f.value(f.Best.Value), f.at(f.Best.At))
}

func (f *Facts) best() string {
	text := fmt.Sprintf("%s %s at %s best, %s, at %s: ", f.Subject.Name, f.verb("is", "are"), f.verb("its", "their"),
		f.value(f.Best.Value), f.at(f.Best.At))
	share := fmt.Sprintf("%.0f %% of that", 100*f.Limit)
	open := ""
	if f.Doubt != nil {
		open = fmt.Sprintf("cannot be told: at %s the interval, %s, spans it.", f.at(f.Doubt.At), f.value(f.Doubt.Value))
	}
	switch {
	case f.Holds.Count == 1 && f.Doubt == nil:
		return text + "no other size reaches " + share + "."
	case f.Holds.Count == 1:
		return text + "whether another size reaches " + share + " " + open
	}
	text += fmt.Sprintf("%d of %d sizes reach %s, ", f.Holds.Count, f.Holds.Of, share)
	if f.Doubt == nil {
		return text + "but larger ones fall below it again."
	}
	return text + "and whether larger ones fall below it again " + open
}

// about begins a sentence that compares two ways.
func (f *Facts) about() string { return fmt.Sprintf("%s: %s is ", f.Subject.Name, f.Subject.Way) }

// span writes the values from the first to the last: "10 to 1000 elements".
func (f *Facts) span() string {
	return plain(f.Holds.From) + " to " + WithUnit(plain(f.Holds.To), f.Axis.Unit)
}

// faster says where a way is faster, and by how much at most.
func (f *Facts) faster(throughout bool) string {
	text, gain := f.about()+"faster than "+f.Subject.Baseline+" ", f.value(f.Best.Value)
	switch {
	case throughout:
		text += "at every size measured, " + f.span()
	case f.Holds.Count == 1:
		return text + fmt.Sprintf("at %s: %s", f.at(f.Best.At), gain)
	case f.Holds.Count == f.Holds.Of:
		text += "from " + f.span()
	default:
		text += fmt.Sprintf("at %d of the %d sizes from %s", f.Holds.Count, f.Holds.Of, f.span())
	}
	return text + fmt.Sprintf(", up to %s at %s", gain, plain(f.Best.At))
}

func (f *Facts) pays() string { return f.faster(true) + "." }

func (f *Facts) paysInPart() string {
	text := f.faster(false)
	if !math.IsNaN(f.Place.At) {
		text += "; it is no longer shown to be faster from " + plain(f.Place.At) + " on"
	}
	return text + "."
}

func (f *Facts) crossover() string {
	return f.faster(false) + fmt.Sprintf("; it stops paying between %s and %s.", plain(f.Place.Lo), plain(f.Place.Hi))
}

func (f *Facts) neverPays() string {
	return f.about() + fmt.Sprintf("slower than %s at every size measured, %s: at best %s at %s.", f.Subject.Baseline, f.span(),
		f.value(f.Best.Value), plain(f.Best.At))
}

func (f *Facts) unclear() string {
	return f.about() + fmt.Sprintf("not shown to be faster than %s at any size measured, %s.", f.Subject.Baseline, f.span())
}

func (f *Facts) steady() string {
	return fmt.Sprintf("%s %s steady over %s: the last third runs at %s the rate of the first.", f.Subject.Name, f.verb("is", "are"),
		si.Time(f.Holds.To-f.Holds.From), f.value(f.Value))
}

func (f *Facts) varies() string {
	return fmt.Sprintf("%s %s too much over %s to judge drift: the last third runs at %s the rate of the first.", f.Subject.Name,
		f.verb("varies", "vary"), si.Time(f.Holds.To-f.Holds.From), f.value(f.Value))
}

func (f *Facts) drift() string {
	return fmt.Sprintf("%s %s over %s: the last third runs at %s the rate of the first.", f.Subject.Name, f.verb("drifts", "drift"),
		si.Time(f.Holds.To-f.Holds.From), f.value(f.Value))
}

func (f *Facts) total() string {
	text := f.Subject.Name
	for i, way := range []string{f.Subject.Baseline, f.Subject.Way} {
		r := f.Readings[i]
		text += fmt.Sprintf("%s %s %s", map[bool]string{false: " takes", true: " and"}[i > 0], si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit), way)
	}
	return text + fmt.Sprintf(": %s the speed.", f.value(f.Value))
}

func (f *Facts) smallest(variant string) string {
	if f.Nearest != "" {
		return fmt.Sprintf("%s: no format measured that is smaller than %s keeps %g dB SNR; %s comes nearest with %s.", f.Subject.Name,
			f.Subject.Baseline, f.Limit, f.Nearest, decibels(f.Quality))
	}
	text := fmt.Sprintf("%s: %s is the smallest format measured that keeps %g dB SNR, with %s at %.3g bits a weight", f.Subject.Name,
		variant, f.Limit, decibels(f.Quality), f.PerItem)
	if f.Shrinks > 0 {
		text += fmt.Sprintf(" (%.3g times smaller than %s)", f.Shrinks, f.Subject.Baseline)
	}
	return text + "."
}

func (f *Facts) fastest(variant string) string {
	if variant == f.Subject.Baseline {
		return fmt.Sprintf("%s: no format measured that keeps %g dB SNR is shown to be faster than %s %s.", f.Subject.Name, f.Limit,
			f.Subject.Baseline, f.Subject.Where)
	}
	return fmt.Sprintf("%s: %s is the fastest format measured that keeps %g dB SNR: %s the speed of %s %s, with %s.", f.Subject.Name,
		variant, f.Limit, f.value(f.Value), f.Subject.Baseline, f.Subject.Where, decibels(f.Quality))
}

// decibels words an SNR; −∞ means weights that became infinite.
func decibels(snr float64) string {
	switch {
	case math.IsInf(snr, 1):
		return "exact"
	case math.IsInf(snr, -1):
		return "weights beyond its range"
	}
	return fmt.Sprintf("%.1f dB", snr)
}

// ratioText writes a speed-up with its interval: "1.42× (1.38× to 1.45×)". A small speed-up has one more digit, so that
// its lower end does not read as 1.
func ratioText(s stats.Interval) string {
	if s.Lo < 1.005 {
		return fmt.Sprintf("%.3f× (%.3f× to %.3f×)", s.Median, s.Lo, s.Hi)
	}
	return fmt.Sprintf("%.2f× (%.2f× to %.2f×)", s.Median, s.Lo, s.Hi)
}
