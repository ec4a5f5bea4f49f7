package workloads

// Settling holds the steps of a search that adapts a value to limits, in order.
type Settling struct {
	Subject Subject // Way is how it adapts
	Axis    Axis    // of the value
	Steps   []Result
	Fits    func(r *Result) bool // within all limits
	Limits  string               // in words
	Ended   bool                 // by itself, before running out of steps
	Untimed bool                 // no limit is on the time, so a disturbed time changes nothing
}

// Settled finds the largest value within the limits, and whether the search settled. With a disturbed step there is no conclusion,
// unless the time decides nothing; without steps there is no finding.
func (s *Settling) Settled() []Finding {
	if len(s.Steps) == 0 {
		return nil
	}
	c := Curve{Subject: s.Subject, Axis: s.Axis, Unit: "s", Of: Time, Results: s.Steps}
	if f, is := c.disturbed(); is && !s.Untimed {
		return f
	}
	best, broke := -1, 0
	for i := range s.Steps {
		switch fits := s.Fits(&s.Steps[i]); {
		case !fits:
			broke++
		case best < 0 || c.at(i) > c.at(best) || c.at(i) == c.at(best) && !s.worse(i, best):
			best = i // the last of equal ones
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

// worse reports whether, of two steps, only the time of step i is disturbed.
func (s *Settling) worse(i, than int) bool {
	_, disturbed := s.Steps[i].Disturbed()
	_, also := s.Steps[than].Disturbed()
	return disturbed && !also
}
