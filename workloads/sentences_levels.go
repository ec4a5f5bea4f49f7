package workloads

import (
	"fmt"
	"math"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// The sentences for levels, costs of variants, shares of a peak and slopes.

func (f *Facts) levels() string {
	parts := make([]string, len(f.Leaders))
	for i, l := range f.Leaders {
		parts[i] = fmt.Sprintf("%s from %s to %s", f.value(l.Value), f.at(l.From), f.at(l.To))
	}
	text := f.Subject.Name + ": " + strings.Join(parts, "; ") + "."
	return strings.TrimSpace(text + " " + f.Reason)
}

func (f *Facts) costs() string {
	parts := make([]string, len(f.Judged))
	for i := range f.Judged {
		parts[i] = f.Judged[i].Variant + ": " + f.Judged[i].cost()
		for _, r := range f.Judged[i].Besides {
			parts[i] += strings.TrimRight(", "+si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit)+" "+r.Per, " ")
		}
	}
	return fmt.Sprintf("%s at %s, against %s, %s: %s.", f.Subject.Name, f.at(f.Place.At), f.Subject.Baseline, f.value(f.Value), strings.Join(parts, "; "))
}

// cost is the speed in words: "6.30× slower (6.20–6.40)".
func (c *Judged) cost() string {
	switch c.Verdict {
	case stats.Same:
		return "the same"
	case stats.Faster, stats.Slower:
		return si.Change(c.Speed.Median, c.Speed.Lo, c.Speed.Hi)
	}
	return noDifference(c.Speed) + " (" + endsText(c.Speed) + ")"
}

func (f *Facts) share() string {
	text := fmt.Sprintf("%s at %s: the best measured is %s, %s", f.Subject.Name, f.at(f.Place.At), f.Subject.Way, f.value(f.Value))
	if f.Limit > 0 {
		v := f.Value
		of := stats.Interval{Median: v.Median / f.Limit, Lo: v.Lo / f.Limit, Hi: v.Hi / f.Limit}
		text += fmt.Sprintf(", which is %s of the specified %s", percent(of), si.Format(f.Limit, f.Unit))
	}
	for i := range f.Judged {
		text += fmt.Sprintf("; %s reaches %s of it", f.Judged[i].Variant, percent(f.Judged[i].Speed))
	}
	text += "."
	if f.Limit <= 0 && f.Reason != "" {
		text += " Share of the specified bandwidth not available: " + f.Reason + "."
	}
	return text
}

// peak reports the highest rate: "f32 arithmetic: at most 148 GFLOP/s, by multiply-add; product reaches 91 % of it."
func (f *Facts) peak() string {
	text := fmt.Sprintf("%s: up to %s, with %s", f.Subject.Name, f.value(f.Value), f.Subject.Way)
	for i := range f.Judged {
		text += fmt.Sprintf("; %s reaches %s of it", f.Judged[i].Variant, percent(f.Judged[i].Speed))
	}
	return text + "."
}

func (f *Facts) slope() string {
	text := fmt.Sprintf("%s: each additional %s costs %s, from %s to %s; %s takes %s", f.Subject.Name, singular(f.Axis.Unit), f.value(f.Value),
		plain(f.Holds.From), f.at(f.Holds.To), f.at(f.Best.At), f.value(f.Best.Value))
	for i, r := range f.Readings {
		amount := si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit)
		switch {
		case r.Apart:
			text += "; " + r.Per + " " + amount
		case i == 0:
			text += ": " + amount + " " + r.Per
		default:
			text += ", " + amount + " " + r.Per
		}
	}
	return strings.TrimSpace(text + ". " + f.Reason)
}

// growth reports what each step adds: "memory grows by 2.36 MB a request over 33.6 MB that all share, from 1 to 8 requests (R²
// 1.0000)".
func (f *Facts) growth() string {
	base, fit := f.Readings[0], f.Readings[1]
	return fmt.Sprintf("%s: %s %s %s, on top of %s, from %s (R² %.4f).", f.Subject.Name, f.Subject.Way, si.Format(f.Value.Median, f.Unit), f.Subject.Where,
		si.Format(base.Value.Median, base.Unit), f.span(), fit.Value.Median)
}

func (f *Facts) settled() string {
	about, steps := fmt.Sprintf("%s, %s: ", f.Subject.Name, f.Subject.Way), si.Counted(f.Holds.Of, "step")
	if len(f.Readings) == 0 {
		return about + fmt.Sprintf("no batch in %s was within %s.", steps, f.Reason)
	}
	rate := f.Readings[0]
	there := fmt.Sprintf("%s (%s, %s)", f.at(f.Place.At), f.value(f.Value), strings.TrimSpace(si.Range(rate.Value.Median, rate.Value.Lo, rate.Value.Hi, rate.Unit)))
	switch {
	case f.AtEdge && f.Holds.Count == 0:
		return about + fmt.Sprintf("does not settle: none of %s broke %s. The largest batch tried is %s.", steps, f.Reason, there)
	case f.AtEdge:
		return about + fmt.Sprintf("does not settle: %d of %s broke %s. The largest within it is %s.", f.Holds.Count, steps, f.Reason, there)
	}
	return about + fmt.Sprintf("settles on %s after %s, %d of which broke %s.", there, steps, f.Holds.Count, f.Reason)
}

func (f *Facts) fits() string {
	if f.Reason != "" { // the budget is not the limit
		return f.noted()
	}
	budget, needs := si.Bytes(f.Limit), si.Bytes(f.Best.Value.Median-f.Limit)
	none := math.IsNaN(f.Place.At)
	switch {
	case none:
		return fmt.Sprintf("%s: does not fit into %s: %s exceeds that by %s.", f.Subject.Name, budget, f.at(f.Best.At), needs)
	case f.Best.At == 0:
		return fmt.Sprintf("%s: fits into %s up to %s, the limit of this sweep, which takes %s.", f.Subject.Name, budget, f.at(f.Place.At), f.value(f.Value))
	}
	return fmt.Sprintf("%s: fits into %s up to %s, which takes %s; %s exceeds the limit by %s.", f.Subject.Name, budget, f.at(f.Place.At), f.value(f.Value), f.at(f.Best.At), needs)
}

func (f *Facts) conditions() string {
	parts := make([]string, len(f.Readings))
	for i, r := range f.Readings {
		parts[i] = fmt.Sprintf("%s from %s to %s", r.Per, si.Format(r.Value.Lo, r.Unit), si.Format(r.Value.Hi, r.Unit))
	}
	text := fmt.Sprintf("%s, first third of the series to the last: %s", f.Subject.Name, strings.Join(parts, ", "))
	if f.Unit == perMinute {
		text += fmt.Sprintf("; Assay’s memory changed by %s", f.value(f.Value))
	}
	if f.Holds.Count > 0 {
		return text + fmt.Sprintf("; the clock was throttled in %d of %s.", f.Holds.Count, si.Counted(f.Holds.Of, "window"))
	}
	return text + "."
}
