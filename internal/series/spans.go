package series

import "time"

// Span is a named interval of time, such as a case of a run. A span whose To is zero has not ended.
type Span struct {
	From, To time.Time
	Label    string
	Odd      bool // drawn differently from its neighbors
}

// Spans is a list of spans that do not overlap, oldest first; if there are too many, only the newest are kept.
type Spans []Span

// maxListed bounds a list of spans or marks.
const maxListed = 512

// Open reports whether the last span has not ended.
func (s Spans) Open() bool { return len(s) > 0 && s[len(s)-1].To.IsZero() }

// End closes the last span if it is open, not before it began.
func (s Spans) End(at time.Time) {
	if !s.Open() {
		return
	}
	last := &s[len(s)-1]
	last.To = at
	if at.Before(last.From) {
		last.To = last.From
	}
}

// Append adds a span that is drawn differently from the previous one.
func (s *Spans) Append(next Span) {
	if n := len(*s); n > 0 {
		next.Odd = !(*s)[n-1].Odd
	}
	*s = Newest(append(*s, next))
}

// Newest drops the oldest entries of a list that has grown too long.
func Newest[T any](list []T) []T {
	if len(list) <= maxListed {
		return list
	}
	kept := copy(list, list[len(list)-maxListed:])
	clear(list[kept:])
	return list[:kept]
}
