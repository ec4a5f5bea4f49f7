package workloads

import (
	"slices"

	"assay/internal/stats"
)

// Candidates are the variants of one case, from which to choose one that is good enough.
type Candidates struct {
	Subject  Subject // Baseline is the lossless variant
	Results  []Result
	Quality  func(r *Result) float64 // SNR in dB
	Wanted   float64
	Bounds   []Bound // besides Wanted
	Bytes    func(r *Result) float64
	Speedup  func(r *Result) stats.Interval
	Elements float64                // counted by Bytes
	Group    func(r *Result) string // variants in a group compete; the baseline's group does not count
}

func (c *Candidates) finding(kind string, r *Result) Finding {
	return Finding{Kind: kind, Result: r.ID, Case: r.Case, Variant: r.Variant, Facts: Facts{
		Subject: c.Subject, Limit: c.Wanted, Bounds: c.Bounds, Quality: c.Quality(r), Place: nowhere(), Evidence: evidence(r),
	}}
}

// smaller reports whether a is smaller than b, or of the same size and of higher quality.
func (c *Candidates) smaller(a, b *Result) bool {
	if c.Bytes(a) == c.Bytes(b) {
		return c.Quality(a) > c.Quality(b)
	}
	return c.Bytes(a) < c.Bytes(b)
}

// Smallest finds the smallest variant that is good enough; among several of that size, the one with the highest quality. If only
// the baseline is good enough, the finding names the closest of the others. There is no finding if a bound concerns something that was
// not measured or was disturbed; Advice says why.
func (c *Candidates) Smallest() []Finding {
	if c.unknown() != nil || c.timed() && countDisturbed(c.Results) > 0 {
		return nil
	}
	var best, next, whole *Result // next is the best of the lossy ones
	for i := range c.Results {
		r := &c.Results[i]
		if c.fits(r) && (best == nil || c.smaller(r, best)) {
			best = r
		}
		if r.Variant == c.Subject.Baseline {
			whole = r
		} else if next == nil || c.Quality(r) > c.Quality(next) {
			next = r
		}
	}
	if best == nil && next != nil && len(c.Bounds) > 0 {
		f := c.finding(KindSmallest, next)
		f.Result, f.Variant = "", "" // there is none
		return []Finding{f}
	}
	if best == nil || next == nil {
		return nil
	}
	f := c.finding(KindSmallest, best)
	b := c.Bytes(best)
	f.Facts.Value, f.Facts.Unit, f.Facts.PerItem = stats.Interval{Median: b, Lo: b, Hi: b}, "B", 8*b/c.Elements
	switch whole {
	case best:
		f.Facts.Nearest, f.Facts.Quality = next.Variant, c.Quality(next)
		f.Facts.Evidence = append(f.Facts.Evidence, evidence(next)...)
	case nil:
	default:
		f.Facts.Shrinks = c.Bytes(whole) / b
	}
	return []Finding{f}
}

// Fastest finds the fastest variant that is good enough, if its speedup is certain; otherwise it points at the baseline. There
// is no finding with a disturbed variant; Advice says why.
func (c *Candidates) Fastest() []Finding {
	if countDisturbed(c.Results) > 0 || c.unknown() != nil {
		return nil
	}
	var best, whole *Result
	var compared []stats.Interval
	for i := range c.Results {
		r := &c.Results[i]
		if r.Variant == c.Subject.Baseline {
			whole = r
		}
		if s := c.Speedup(r); !s.Bounded() || !c.fits(r) {
			continue
		}
		compared = append(compared, c.Speedup(r))
		if difference().Judge(c.Speedup(r)) == stats.Faster && (best == nil || c.Speedup(r).Median > c.Speedup(best).Median) {
			best = r
		}
	}
	switch {
	case len(compared) == 0 || best == nil && (whole == nil || !c.fits(whole)):
		return nil
	case best == nil:
		f := c.finding(KindFastest, whole)
		f.Facts.Compared = compared
		return []Finding{f}
	}
	f := c.finding(KindFastest, best)
	f.Facts.Value = c.Speedup(best)
	return []Finding{f}
}

// Judged is the verdict on one variant: whether to take it instead of the baseline.
type Judged struct {
	Variant string
	Speed   stats.Interval // speedup over the baseline
	Verdict stats.Verdict
	Quality float64   // SNR in dB
	Enough  bool      // the quality suffices
	Beyond  *Bound    // the bound it is not shown to meet; nil: none
	Shrinks float64   // how many times smaller than the baseline; 0: not known
	Besides []Reading // its other numbers
}

// sameSpeed is the relative speed difference that does not matter for a choice.
const sameSpeed = 0.03

// Advice chooses the best variant of each group and reports whether it is worth taking instead of the baseline. It points at
// the fastest of those that are not slower.
func (c *Candidates) Advice() []Finding {
	if n := countDisturbed(c.Results); n > 0 {
		return none(c.Subject, Lack{Disturbed: n, Of: len(c.Results)})
	}
	if b := c.unknown(); b != nil {
		return none(c.Subject, Lack{Unmeasured: b.Of})
	}
	f := Finding{Kind: KindAdvice, Facts: Facts{Subject: c.Subject, Limit: c.Wanted, Bounds: c.Bounds, Place: nowhere()}}
	var best *Result
	for _, r := range c.leaders() {
		choice := c.choice(r)
		f.Facts.Judged = append(f.Facts.Judged, choice)
		f.Facts.Evidence = append(f.Facts.Evidence, r.ID)
		if choice.Enough && choice.Beyond == nil && choice.Verdict != stats.Slower && (best == nil || choice.Speed.Median > c.Speedup(best).Median) {
			best = r
		}
	}
	if len(f.Facts.Judged) == 0 {
		return nil
	}
	if best != nil {
		f.Result, f.Case, f.Variant = best.ID, best.Case, best.Variant
		f.Facts.Evidence = slices.DeleteFunc(f.Facts.Evidence, func(id string) bool { return id == best.ID })
		f.Facts.Evidence = slices.Insert(f.Facts.Evidence, 0, best.ID)
	}
	return []Finding{f}
}

// leaders returns the best variant of each group, in the order of the groups.
func (c *Candidates) leaders() []*Result {
	var out []*Result
	for i := range c.Results {
		r := &c.Results[i]
		if r.Variant == c.Subject.Baseline || !c.Speedup(r).Bounded() {
			continue
		}
		at := slices.IndexFunc(out, func(o *Result) bool { return c.Group(o) == c.Group(r) })
		switch {
		case at < 0:
			out = append(out, r)
		case c.better(r, out[at]):
			out[at] = r
		}
	}
	return out
}

// better reports whether r is a better choice than o: good enough, then faster, then smaller. If neither is good enough,
// the one with higher quality is better.
func (c *Candidates) better(r, o *Result) bool {
	enough, other := c.fits(r), c.fits(o)
	if enough != other {
		return enough
	}
	if !enough {
		return c.Quality(r) > c.Quality(o)
	}
	a, b := c.Speedup(r), c.Speedup(o)
	if apart := 1 + stats.InTurns; a.Lo > apart*b.Hi || apart*a.Hi < b.Lo {
		return a.Lo > b.Hi
	}
	return c.Bytes(r) < c.Bytes(o)
}

func (c *Candidates) choice(r *Result) Judged {
	out := Judged{
		Variant: r.Variant, Speed: c.Speedup(r), Quality: c.Quality(r), Enough: c.Quality(r) >= c.Wanted,
		Verdict: stats.Rule{Floor: stats.InTurns, Matters: sameSpeed}.Judge(c.Speedup(r)), Beyond: c.exceeded(r),
	}
	for i := range c.Results {
		if c.Results[i].Variant == c.Subject.Baseline {
			out.Shrinks = c.Bytes(&c.Results[i]) / c.Bytes(r)
		}
	}
	return out
}
