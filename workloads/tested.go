package workloads

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Tested is the outcome of a search among candidates.
type Tested struct {
	Subject    Subject // Way is the best candidate, if there is one; Baseline the default
	Result     string  // ID of the result that confirms it
	Gain       stats.Interval
	Noise      float64 // relative: the amount that a gain must exceed; 0: not known
	Kept       bool
	Candidates int
	Refused    int      // left out because their implementation refuses the call
	Lacking    []string // implementations that the engine lacks
	Disturbed  bool     // the confirmation was disturbed, so nothing is concluded
	Excluded   []string // candidates that failed: which, and why
}

// Finding says which to use, the best candidate or the default.
func (t *Tested) Finding(results []Result) []Finding {
	c := Curve{Subject: t.Subject, Of: Speedup}
	at := slices.IndexFunc(results, func(r Result) bool { return r.ID == t.Result && t.Result != "" })
	if at >= 0 {
		c.Results = results[at : at+1]
	}
	kind := KindUntuned
	if t.Kept {
		kind = KindTuned
	}
	f := c.finding(kind, min(at, 0)) // of the only one, or of none
	f.Facts.Place, f.Facts.Value, f.Facts.Limit = nowhere(), t.Gain, t.Noise
	f.Facts.Holds = Span{Count: len(t.Excluded), Of: t.Candidates}
	if t.Disturbed {
		f.Facts.Subject.Where = "disturbed"
	}
	f.Facts.Nearest = strings.Join(t.Lacking, ", ")
	if len(t.Excluded) > 0 {
		f.Facts.Reason = t.Excluded[0]
	}
	return []Finding{f}
}

func (f *Facts) tuned() string {
	return fmt.Sprintf("%s: use %s: %s, confirmed on fresh data (noise %s). %s", f.Subject.Name, f.Subject.Way,
		f.change("the default "+f.Subject.Baseline), noiseText(f.Limit), f.tried())
}

func (f *Facts) untuned() string {
	text := fmt.Sprintf("%s: keep the default %s: ", f.Subject.Name, f.Subject.Baseline)
	switch {
	case f.Holds.Of == 0:
		text += "this engine has no other candidate."
	case f.Subject.Way == "":
		text += "no candidate could be measured."
	case f.Subject.Where != "":
		text += fmt.Sprintf("the measurement that was to confirm the fastest candidate, %s, was disturbed.", f.Subject.Way)
	default:
		text += fmt.Sprintf("the fastest candidate, %s, does not beat it by more than the noise: %s (noise %s).", f.Subject.Way, f.value(f.Value), noiseText(f.Limit))
	}
	return text + " " + f.tried()
}

func noiseText(noise float64) string {
	if noise == 0 {
		return "not known"
	}
	return fmt.Sprintf("%.1f %%", 100*noise)
}

// tried says how many candidates there were.
func (f *Facts) tried() string {
	text := si.Counted(f.Holds.Of, "candidate")
	if f.Holds.Count > 0 {
		text += fmt.Sprintf(", %d excluded (%s)", f.Holds.Count, f.Reason)
	}
	if f.Nearest != "" {
		text += "; not available on this engine: " + f.Nearest
	}
	return text + "."
}
