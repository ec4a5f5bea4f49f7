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

// plain formats a value of an axis, grouping digits by thousands if there are five or more.
func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) >= 1e4 && math.Abs(v) < 1e15 {
		return si.Count(int(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// at formats a value of the axis for a sentence: "a batch of 8", "64 rows".
func (f *Facts) at(v float64) string {
	if f.Axis.Phrase != "" {
		return strings.ReplaceAll(f.Axis.Phrase, "%s", plain(v))
	}
	return amountOf(v, f.Axis.Unit)
}

// stretch formats a range of values: "64 to 128 rows", "size 64 to 128".
func (f *Facts) stretch(from, to float64) string {
	if f.Axis.Phrase != "" {
		return f.at(from) + " to " + plain(to)
	}
	return plain(from) + " to " + f.at(to)
}

// amountOf writes a value in the unit of its axis; a size in the unit that suits it, "256 MiB".
func amountOf(v float64, unit string) string {
	if size := si.Size(unit); size > 0 {
		return si.Format(v*size, "iB")
	}
	return WithUnit(plain(v), unit)
}

// value writes a value with its interval.
func (f *Facts) value(i stats.Interval) string {
	if f.Unit == "" {
		return ratioText(i)
	}
	return si.Range(i.Median, i.Lo, i.Hi, f.Unit)
}

// change is Value, a ratio of speeds, in words: "1.80× faster than f32 (1.70–1.98)".
func (f *Facts) change(base string) string {
	return si.ChangeFrom(f.Value.Median, f.Value.Lo, f.Value.Hi, base)
}

// verb picks the form that agrees with the subject.
func (f *Facts) verb(singular, plural string) string {
	if f.Subject.Plural {
		return plural
	}
	return singular
}

// orMore is a value of the axis and all above it: "a batch of 64 or larger", "256 rows or more".
func (f *Facts) orMore(v float64) string {
	if f.Axis.Phrase != "" {
		return f.at(v) + " or larger"
	}
	return f.at(v) + " or more"
}

func (f *Facts) knee() string {
	var there []string
	for _, r := range f.Readings {
		there = append(there, strings.TrimSpace(si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit)+" "+r.Per))
	}
	text := fmt.Sprintf("%s: use %s: ", f.Subject.Name, f.orMore(f.Place.At))
	if len(there) > 0 {
		text += strings.Join(there, " and ") + ", "
	}
	text += fmt.Sprintf("at least %.0f %% of the best throughput, %s at %s.", 100*f.Limit, f.value(f.Best.Value), f.at(f.Best.At))
	if f.Place.At == f.Holds.From {
		text += " Every measured size reaches it."
	}
	return text
}

func (f *Facts) best() string {
	text := fmt.Sprintf("%s: use %s", f.Subject.Name, f.at(f.Place.At))
	if f.Place.Lo < f.Place.Hi {
		text = fmt.Sprintf("%s: use %s to %s (no measurable difference)", f.Subject.Name, plain(f.Place.Lo), f.at(f.Place.Hi))
	}
	return text + fmt.Sprintf(". The best throughput is %s at %s; larger ones fall below %.0f %% of it.", f.value(f.Best.Value), f.at(f.Best.At), 100*f.Limit)
}

func (f *Facts) beside() string {
	t := f.Readings[0].Value
	return fmt.Sprintf("%s, %s: %s on this machine, %s. %s", f.Subject.Name, f.Subject.Way, si.Range(t.Median, t.Lo, t.Hi, "s"),
		f.against(f.Subject.Baseline), f.Reason)
}

// against is Value, a ratio of speeds, in words, or that no difference is shown.
func (f *Facts) against(base string) string {
	if v := difference().Judge(f.Value); v == stats.Faster || v == stats.Slower {
		return f.change(base)
	}
	return fmt.Sprintf("%s from %s (%s)", noDifference(f.Value), base, endsText(f.Value))
}

func (f *Facts) trade() string {
	base, way := f.Readings[0], f.Readings[1]
	beside := "instead of " + base.amount()
	if way.amount() == base.amount() {
		beside = "just as with " + f.Subject.Baseline
	}
	text := fmt.Sprintf("%s: with %s, %s %s %s", f.Subject.Name, f.Subject.Way, way.amount(), way.Per, beside)
	if len(f.Readings) == 2 {
		return text + ". No conclusion about the time of " + f.Subject.Where + ": " + f.lacking()
	}
	took, more := f.Readings[2].Value, f.Readings[3].Value
	text += fmt.Sprintf("; %s takes %s, ", f.Subject.Where, si.Range(took.Median, took.Lo, took.Hi, "s"))
	direction := "more"
	switch difference().Judge(f.Value) {
	case stats.Slower:
	case stats.Faster:
		direction, more = "less", stats.Interval{Median: -more.Median, Lo: -more.Hi, Hi: -more.Lo}
	default:
		return text + f.against(f.Subject.Baseline) + "."
	}
	return text + fmt.Sprintf("%s %s than with %s, %s.", si.Range(more.Median, more.Lo, more.Hi, "s"), direction, f.Subject.Baseline, f.change(""))
}

// amount writes a reading that has no interval: "2.00 MB", "15 buffers".
func (r *Reading) amount() string {
	if n := r.Value.Median; n == math.Trunc(n) && r.Unit != "B" && r.Unit != "ratio" {
		return WithUnit(si.Count(int(n)), r.Unit)
	}
	return si.Format(r.Value.Median, r.Unit)
}

func (f *Facts) rising() string {
	return fmt.Sprintf("%s: still rising at %s, the largest measured, with %s, %s that at %s. %s", f.Subject.Name,
		f.at(f.Place.At), f.value(f.Value), si.Ratio(f.Limit), plain(f.Best.At), f.larger())
}

// larger says how to measure larger values, or that none can be.
func (f *Facts) larger() string {
	switch {
	case f.AtLimit:
		return plain(f.Holds.To) + " is the limit of this sweep."
	case f.Extend.Param != "":
		return "Extend the sweep to " + plain(float64(f.Extend.To)) + "."
	}
	return "Measure larger ones."
}

func (f *Facts) within() string {
	limit := si.Time(f.Limit)
	if f.Holds.Count == 0 {
		return fmt.Sprintf("%s: no measured size was reliably within %s: %s at %s.", f.Subject.Name, limit, f.value(f.Best.Value), f.at(f.Best.At))
	}
	var there []string
	for _, r := range f.Readings {
		there = append(there, strings.TrimSpace(si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit)+" "+r.Per))
	}
	text := fmt.Sprintf("%s: use at most %s to stay within %s", f.Subject.Name, f.at(f.Place.At), limit)
	if len(there) > 0 {
		text += ": " + strings.Join(there, " and ")
	}
	if f.AtEdge {
		return text + ". That is the largest measured. " + f.larger()
	}
	return text + "."
}

func (f *Facts) none() string {
	about := f.Subject.Name
	if f.Subject.Way != "" && f.Subject.Baseline != "" { // there may be several findings about one subject
		about += ", " + f.Subject.Way + " against " + f.Subject.Baseline
	} else if f.Subject.Where == "" && f.Subject.Way != "" { // the way is a search method
		about += ", " + f.Subject.Way
	}
	return strings.TrimSpace(about + ": no conclusion. " + f.lacking() + " " + f.Reason)
}

// lacking says why there is no conclusion.
func (f *Facts) lacking() string {
	l := f.Lack
	switch v := l.At.Value; {
	case l.Disturbed > 0:
		return fmt.Sprintf("%d of %s disturbed: measure again on a quiet machine.", l.Disturbed, si.Counted(l.Of, "result"))
	case l.Unmeasured == Energy:
		return "One limit is on energy, which was not measured: run with --energy auto where there is an energy counter."
	case l.Unmeasured != "":
		return fmt.Sprintf("One limit is on %s, which was not measured.", l.Unmeasured)
	case l.Untimed != "":
		return l.Untimed + " has no time to compare with."
	case l.Few == 1:
		return "One sample is too few for an interval: measure longer."
	case l.Count > 0:
		return fmt.Sprintf("%s, so correlated that they count as %d, are too few for an interval: measure longer.", si.Counted(l.Few, "sample"), l.Count)
	case l.Few > 1:
		return si.Counted(l.Few, "sample") + " are too few for an interval: measure longer."
	case !v.Bounded():
		return fmt.Sprintf("The samples at %s, %s, are too few for an interval: measure longer.", f.at(l.At.At), f.value(v))
	}
	return fmt.Sprintf("The interval at %s, %s, is too wide: measure longer, or on a quiet machine.", f.at(l.At.At), f.value(l.At.Value))
}

func (f *Facts) leaders() string {
	parts := make([]string, len(f.Leaders))
	for i, l := range f.Leaders {
		parts[i] = l.Variant + " at " + f.at(l.To) + ", "
		if l.From < l.To {
			parts[i] = l.Variant + " from " + f.stretch(l.From, l.To) + ", "
		}
		switch {
		case l.Little:
			parts[i] += "with no confirmed difference of " + floorText() + ", "
		case strings.Contains(l.Variant, " or "):
			parts[i] += "with no measurable difference, "
		}
		parts[i] += f.value(l.Value)
		if l.From < l.To {
			parts[i] += " at " + plain(l.To)
		}
	}
	return fmt.Sprintf("%s: the fastest is %s.", f.Subject.Name, strings.Join(parts, "; "))
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
	return fmt.Sprintf("%s %s over %s: the last third is %s.", f.Subject.Name, f.verb("drifts", "drift"),
		si.Time(f.Holds.To-f.Holds.From), f.change("the first"))
}

func (f *Facts) total() string {
	text := f.Subject.Name
	for i, way := range []string{f.Subject.Baseline, f.Subject.Way} {
		r := f.Readings[i]
		text += fmt.Sprintf("%s %s %s", map[bool]string{false: " takes", true: " and"}[i > 0], si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit), way)
	}
	if v := difference().Judge(f.Value); v == stats.Faster || v == stats.Slower {
		return text + ": " + f.change("") + "."
	}
	return text + fmt.Sprintf(": %s (%s).", noDifference(f.Value), endsText(f.Value))
}

func (f *Facts) smallest(variant string) string {
	if variant == "" {
		return fmt.Sprintf("%s: no measured format %s.", f.Subject.Name, f.limits())
	}
	if f.Nearest != "" {
		return fmt.Sprintf("%s: no measured format smaller than %s %s; %s comes closest, with %s.", f.Subject.Name,
			f.Subject.Baseline, f.limits(), f.Nearest, decibels(f.Quality))
	}
	text := fmt.Sprintf("%s: %s is the smallest measured format that %s, with %s at %.3g bits per weight", f.Subject.Name,
		variant, f.limits(), decibels(f.Quality), f.PerItem)
	if f.Shrinks > 0 {
		text += " (" + sizeText(f.Shrinks, f.Subject.Baseline) + ")"
	}
	return text + "."
}

func (f *Facts) fastest(variant string) string {
	if variant == f.Subject.Baseline {
		was := "was measurably faster"
		if gained(f.Compared...) {
			was = "is shown to be " + floorText() + " faster"
		}
		return fmt.Sprintf("%s: no format that %s %s than %s %s.", f.Subject.Name, f.limits(), was, f.Subject.Baseline, f.Subject.Where)
	}
	return fmt.Sprintf("%s: %s is the fastest measured format that %s: %s %s, with %s.", f.Subject.Name,
		variant, f.limits(), f.change(f.Subject.Baseline), f.Subject.Where, decibels(f.Quality))
}

func (f *Facts) advice() string {
	words := make([]string, len(f.Judged))
	for i := range f.Judged {
		words[i] = f.Judged[i].text(f)
	}
	return fmt.Sprintf("%s, against %s %s: %s. Decibels are the SNR of the weights.", f.Subject.Name, f.Subject.Baseline, f.Subject.Where, strings.Join(words, "; "))
}

// text is the verdict in words: "int8 block 256: same speed, 41.0 dB, 3.9× smaller".
func (c *Judged) text(of *Facts) string {
	if !c.Enough {
		return fmt.Sprintf("%s: no, %s (target %g dB)", c.Variant, decibels(c.Quality), of.Limit)
	}
	if c.Beyond != nil {
		return fmt.Sprintf("%s: no, not within %s", c.Variant, kindOfBound(*c.Beyond).say(c.Beyond.At, of.Subject.Baseline))
	}
	text := c.Variant + ": "
	switch c.Verdict {
	case stats.Faster:
		text += "yes, " + si.Ratio(c.Speed.Median) + " faster"
	case stats.Slower:
		text += "no, " + si.Ratio(1/c.Speed.Median) + " slower"
	case stats.Same:
		text += "same speed"
	default:
		text += noDifference(c.Speed) + " in speed (" + endsText(c.Speed) + ")"
	}
	text += ", " + decibels(c.Quality)
	if c.Shrinks > 0 {
		text += ", " + sizeText(c.Shrinks, "")
	}
	return text
}

// sizeText says how many times smaller than a baseline something is, or larger; base is its name, empty: it is not said.
func sizeText(shrinks float64, base string) string {
	text, than := si.Ratio(shrinks)+" smaller", " than "
	switch {
	case si.Ratio(shrinks) == si.Ratio(1):
		text, than = "as large", " as "
	case shrinks < 1:
		text = si.Ratio(1/shrinks) + " larger"
	}
	if base == "" {
		return text
	}
	return text + than + base
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

// ratioText formats a ratio with its interval, with the same digits as tables: "1.42× (1.38× to 1.45×)".
func ratioText(s stats.Interval) string {
	return fmt.Sprintf("%s (%s to %s)", si.Ratio(s.Median), si.Ratio(s.Lo), si.Ratio(s.Hi))
}

func (f *Facts) stage(variant string) string {
	alone := f.Readings[0].Value
	text := fmt.Sprintf("%s: the largest stage is %q, %s of the whole", f.Subject.Name, variant, percent(f.Value))
	if f.Nearest != "" {
		text = fmt.Sprintf("%s: the largest stages are %q and %s, with no measurable difference: each %s of the whole", f.Subject.Name,
			variant, f.Nearest, percent(f.Value))
	}
	text += fmt.Sprintf("; timed separately, the stages add up to %s of it", percent(alone))
	switch {
	case alone.Hi < 1:
		text += ", so the whole takes longer than its parts"
	case alone.Lo > 1:
		text += ", so the whole is faster than its parts"
	}
	return text + "."
}

// percent formats a part of a whole with its interval, if it has one: "34 % (33 % to 36 %)".
func percent(s stats.Interval) string {
	if !s.Bounded() {
		return fmt.Sprintf("%.0f %%", 100*s.Median)
	}
	return fmt.Sprintf("%.0f %% (%.0f %% to %.0f %%)", 100*s.Median, 100*s.Lo, 100*s.Hi)
}
