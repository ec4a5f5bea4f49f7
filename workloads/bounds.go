package workloads

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/metric"
	"assay/internal/si"
	"assay/internal/stats"
)

// Bound is a limit on a choice among formats, in addition to the SNR of the weights.
type Bound struct {
	Of metric.Name // a metric that BoundKinds has
	At float64     // in its unit
}

// boundKind is what a bound can be on.
type boundKind struct {
	of    metric.Name
	least bool // the bound is a minimum
	// read returns the worst value that the results allow, in the bound's unit; NaN: not known.
	read func(c *Candidates, r, whole *Result) float64
	say  func(at float64, baseline string) string
}

// boundKinds lists them all.
func boundKinds() []boundKind {
	share := func(of string) func(float64, string) string {
		return func(at float64, baseline string) string {
			return fmt.Sprintf("%.3g %% of %s’s %s", 100*at, baseline, of)
		}
	}
	return []boundKind{
		{
			of: OutputSNR, least: true,
			read: func(_ *Candidates, r, _ *Result) float64 { return r.Number(OutputSNR) },
			say:  func(at float64, _ string) string { return fmt.Sprintf("%g dB SNR of the output", at) },
		},
		{
			of: Footprint, read: func(c *Candidates, r, _ *Result) float64 { return 8 * c.Bytes(r) / c.Elements },
			say: func(at float64, _ string) string { return fmt.Sprintf("%.3g bits per weight", at) },
		},
		{of: Time, read: timeShare, say: share("time")},
		{of: Energy, read: energyShare, say: share("energy")},
	}
}

// timeShare returns the time of a result as a share of the baseline's, at the worse end of the interval.
func timeShare(c *Candidates, r, _ *Result) float64 {
	switch s := c.Speedup(r); {
	case r.Variant == c.Subject.Baseline:
		return 1
	case s.Bounded():
		return 1 / s.Lo
	}
	return math.NaN()
}

// energyShare returns the energy of a result as a share of the baseline's, at the worse ends of the intervals.
func energyShare(_ *Candidates, r, whole *Result) float64 {
	if whole == nil {
		return math.NaN()
	}
	if r.Variant == whole.Variant {
		return 1
	}
	a, b := r.Get(Energy), whole.Get(Energy)
	if !a.Bounded() || !b.Bounded() {
		return math.NaN()
	}
	return a.Hi / b.Lo
}

// kindOfBound is what a bound is on; nil: unknown to this version.
func kindOfBound(b Bound) *boundKind {
	kinds := boundKinds()
	if i := slices.IndexFunc(kinds, func(k boundKind) bool { return k.of == b.Of }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// exceeded returns the first bound that a result is not shown to meet; nil: it meets all.
func (c *Candidates) exceeded(r *Result) *Bound {
	const rounding = 1e-9
	whole := c.whole()
	for i, b := range c.Bounds {
		k := kindOfBound(b)
		v := k.read(c, r, whole)
		if k.least && !(v >= b.At*(1-rounding)) || !k.least && !(v <= b.At*(1+rounding)) {
			return &c.Bounds[i]
		}
	}
	return nil
}

// unknown is a bound on what was not measured; nil: all can be judged.
func (c *Candidates) unknown() *Bound {
	for i, b := range c.Bounds {
		known := func(r Result) bool {
			return r.Variant != c.Subject.Baseline && !math.IsNaN(kindOfBound(b).read(c, &r, c.whole()))
		}
		if len(c.Results) > 1 && !slices.ContainsFunc(c.Results, known) {
			return &c.Bounds[i]
		}
	}
	return nil
}

// timed reports whether a bound is on what disturbances change.
func (c *Candidates) timed() bool {
	accuracy := WeightMetrics().With(OutputMetrics()...)
	return slices.ContainsFunc(c.Bounds, func(b Bound) bool {
		m, known := accuracy.Find(b.Of)
		return !known || !m.Untimed
	})
}

// whole is the result of the lossless variant; nil: there is none.
func (c *Candidates) whole() *Result {
	for i := range c.Results {
		if c.Results[i].Variant == c.Subject.Baseline {
			return &c.Results[i]
		}
	}
	return nil
}

// fits reports whether a result is good enough and within all bounds.
func (c *Candidates) fits(r *Result) bool { return c.Quality(r) >= c.Wanted && c.exceeded(r) == nil }

// Thriftiest finds the variant that needs the least energy, if it is shown to need less than the baseline; there is none if energy was not
// measured or a result is disturbed.
func (c *Candidates) Thriftiest() []Finding {
	whole := c.whole()
	if whole == nil || !whole.Get(Energy).Bounded() || countDisturbed(c.Results) > 0 {
		return nil
	}
	var best *Result
	for i := range c.Results {
		r := &c.Results[i]
		if e := r.Get(Energy); c.fits(r) && e.Bounded() && (best == nil || e.Median < best.Get(Energy).Median) {
			best = r
		}
	}
	switch {
	case best == nil:
		return nil
	case best != whole && best.Get(Energy).Hi >= whole.Get(Energy).Lo:
		return nil
	}
	f := c.finding(KindThrifty, best)
	a, b := best.Get(Energy), whole.Get(Energy)
	f.Facts.Value = stats.Interval{Median: a.Median / b.Median, Lo: a.Lo / b.Hi, Hi: a.Hi / b.Lo}
	f.Facts.Readings = []Reading{{Value: a, Unit: "J"}}
	return []Finding{f}
}

// Exactest finds the variant with the smallest error within the bounds; there is none without bounds, since then it is the baseline.
func (c *Candidates) Exactest() []Finding {
	if len(c.Bounds) == 0 || c.unknown() != nil || c.timed() && countDisturbed(c.Results) > 0 {
		return nil
	}
	var best *Result
	for i := range c.Results {
		if r := &c.Results[i]; c.fits(r) && (best == nil || c.Quality(r) > c.Quality(best)) {
			best = r
		}
	}
	if best == nil || best.Variant == c.Subject.Baseline {
		return nil
	}
	return []Finding{c.finding(KindExact, best)}
}

// limits words what a choice satisfies: "keeps 20 dB SNR of the weights, within 4.5 bits per weight and 50 % of f32’s energy".
func (f *Facts) limits() string {
	least, most := []string{fmt.Sprintf("%g dB SNR of the weights", f.Limit)}, []string(nil)
	for _, b := range f.Bounds {
		switch k := kindOfBound(b); {
		case k == nil:
		case k.least:
			least = append(least, k.say(b.At, f.Subject.Baseline))
		default:
			most = append(most, k.say(b.At, f.Subject.Baseline))
		}
	}
	text := "keeps " + strings.Join(least, " and ")
	if len(most) > 0 {
		text += ", within " + strings.Join(most, " and ")
	}
	return text
}

func (f *Facts) thrifty(variant string) string {
	if variant == f.Subject.Baseline {
		return fmt.Sprintf("%s: no format that %s was shown to need less energy than %s.", f.Subject.Name, f.limits(), f.Subject.Baseline)
	}
	v := f.Value
	return fmt.Sprintf("%s: %s needs the least energy of the measured formats that %s: %s of %s’s, %s %s, with %s.", f.Subject.Name, variant, ended(f.limits()),
		percent(v), f.Subject.Baseline, f.Readings[0].amountOf(), f.Subject.Where, decibels(f.Quality))
}

func (f *Facts) exact(variant string) string {
	return fmt.Sprintf("%s: %s has the smallest error of the measured formats that %s: %s.", f.Subject.Name, variant, ended(f.limits()), decibels(f.Quality))
}

// ended puts the verb of a list into the plural.
func ended(limits string) string { return strings.Replace(limits, "keeps", "keep", 1) }

// amountOf writes a reading with its interval.
func (r *Reading) amountOf() string { return si.Range(r.Value.Median, r.Value.Lo, r.Value.Hi, r.Unit) }
