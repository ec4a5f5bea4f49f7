package workloads

import (
	"fmt"
	"strings"

	"assay/internal/si"
)

// Settling is the steps of a search that adapts a value to limits, in order.
type Settling struct {
	Subject Subject // Way is how it adapts
	Axis    Axis    // of the value
	Steps   []Result
	Fits    func(r *Result) bool // within all limits
	Limits  string               // in words
	Ended   bool                 // by itself, before it ran out of steps
}

// Settled finds the largest value within the limits, and whether the search came to rest. With a disturbed step there is no conclusion,
// and without steps no finding.
func (s *Settling) Settled() []Finding {
	if len(s.Steps) == 0 {
		return nil
	}
	c := Curve{Subject: s.Subject, Axis: s.Axis, Unit: "s", Of: Time, Results: s.Steps}
	if f, is := c.disturbed(); is {
		return f
	}
	best, broke := -1, 0
	for i := range s.Steps {
		switch fits := s.Fits(&s.Steps[i]); {
		case !fits:
			broke++
		case best < 0 || c.at(i) >= c.at(best):
			best = i // the last of equals
		}
	}
	f := c.finding(KindSettled, best)
	f.Facts.Holds = Span{c.at(0), c.at(len(s.Steps) - 1), broke, len(s.Steps)}
	f.Facts.Reason, f.Facts.AtEdge = s.Limits, !s.Ended
	if best >= 0 {
		f.Facts.Readings = []Reading{{Value: s.Steps[best].Get(ItemRate), Unit: "items/s"}}
	}
	return []Finding{f}
}

func (f *Facts) settled() string {
	about, steps := fmt.Sprintf("%s, %s: ", f.Subject.Name, f.Subject.Way), si.Counted(f.Holds.Of, "step")
	if len(f.Readings) == 0 {
		return about + fmt.Sprintf("no batch of %s was within %s.", steps, f.Reason)
	}
	rate := f.Readings[0]
	there := fmt.Sprintf("%s (%s, %s)", f.at(f.Place.At), f.value(f.Value), strings.TrimSpace(si.Range(rate.Value.Median, rate.Value.Lo, rate.Value.Hi, rate.Unit)))
	if f.AtEdge {
		return about + fmt.Sprintf("does not settle: %d of %s broke %s. The largest within it is %s.", f.Holds.Count, steps, f.Reason, there)
	}
	return about + fmt.Sprintf("settles on %s after %s, of which %d broke %s.", there, steps, f.Holds.Count, f.Reason)
}
