package measure

import (
	"math"
	"slices"
	"sync"
	"time"
)

// CommandBuffer is the name of a submission in traces and signposts.
const CommandBuffer = "command buffer"

// Span is what a run did between two times. Spans follow each other and do not overlap.
type Span struct {
	Phase                   Phase
	Workload, Case, Variant string // empty: none, or several
	From, To                time.Time
	Why                     string  // why the run cools down, or why samples were set aside
	Count                   int     // command buffers
	Busy                    float64 // on the device's clock
	Idle                    float64 // seconds that the device was idle between bursts, as requested
	Merged                  int     // number of other spans merged into it, because there were too many; 0: none
	Other                   float64 // seconds of merged spans of other phases
	Flights                 []Flight
}

// Flight is one of the first command buffers of a span, or one sample that covers several. Durations are in seconds; NaN: not known.
type Flight struct {
	Variant   string
	From      time.Time // time of submission
	Submitted float64   // until Submit returned
	Wall      float64   // until completion
	Gap       float64   // until the device began
	Device    float64   // device time
	Launches  int
}

// Spans records once what a run does, for its trace, its report and the window. A nil Spans records nothing. It is safe for concurrent
// use.
type Spans struct {
	// On is the suffix of the names of cases that are measured on another engine.
	On string
	// Mark reports the begin and end of a phase to the system's profiler; nil: there is none.
	Mark func(name, what string) (end func())

	mu             sync.Mutex
	workload, name string // of the current case
	list           []Span // the last one may be open
	open           bool
	variant        string // the variant whose command buffers are submitted
	flights        int    // number kept since spans were last taken
	taken          int
	unmark         func()
}

// Limits on what is kept until spans are taken, usually after each case. Beyond them, neighbors are merged.
const (
	maxSpans    = 48
	spanFlights = 4  // the first ones of each span
	maxFlights  = 48 // of all
	seriesSpans = 2000
	seriesShare = 150
)

// Of sets the workload and case of the spans that follow, and ends the open one.
func (s *Spans) Of(workload, caseName string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	s.workload, s.name, s.variant = workload, caseName+s.On, ""
}

// Enter begins a span, unless it continues the open one.
func (s *Spans) Enter(p Phase, variant string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.last(); last != nil && last.Phase == p && last.Variant == variant {
		return
	}
	s.begin(p, variant)
}

// Lap ends the open span, if it belongs to a phase, and begins another of the same phase.
func (s *Spans) Lap(p Phase) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.last(); last != nil && last.Phase == p {
		s.begin(p, last.Variant)
	}
}

// Tell sets why the open span exists.
func (s *Spans) Tell(why string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.last(); last != nil {
		last.Why = why
	}
}

// End ends the open span.
func (s *Spans) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

// Idle adds seconds in which the device was idle, as requested, to the open span.
func (s *Spans) Idle(seconds float64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.last(); last != nil {
		last.Idle += seconds
	}
}

// By sets the variant whose command buffers are submitted from now on.
func (s *Spans) By(variant string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.variant = variant
}

// Flight returns the record of a command buffer that is submitted now.
func (s *Spans) Flight(now time.Time) Flight {
	if s == nil {
		return Flight{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Flight{From: now, Variant: s.variant}
}

// Flew adds a completed command buffer to the open span.
func (s *Spans) Flew(f Flight) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.last()
	if last == nil {
		return
	}
	last.Count++
	if !math.IsNaN(f.Device) {
		last.Busy += f.Device
	}
	if f.From.Before(last.From) || len(last.Flights) >= spanFlights || s.flights >= maxFlights {
		return
	}
	last.Flights = append(last.Flights, f)
	s.flights++
}

// Take ends the open span and returns all spans since the last call.
func (s *Spans) Take() []Span {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take()
}

// TakeDue is like Take, but acts rarely once a run has had very many spans, so that its record stays small.
func (s *Spans) TakeDue(began time.Time) []Span {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.list); n > 0 && s.taken >= seriesSpans && time.Since(s.list[0].From) < time.Since(began)/seriesShare {
		return nil
	}
	return s.take()
}

func (s *Spans) take() []Span {
	s.end()
	out := s.list
	s.taken += len(out)
	s.list, s.flights = nil, 0
	return out
}

// last returns the open span; nil: none is open.
func (s *Spans) last() *Span {
	if !s.open {
		return nil
	}
	return &s.list[len(s.list)-1]
}

func (s *Spans) begin(p Phase, variant string) {
	s.end()
	if len(s.list) >= maxSpans {
		s.merge()
	}
	now := time.Now()
	s.list = append(s.list, Span{Phase: p, Workload: s.workload, Case: s.name, Variant: variant, From: now, To: now})
	s.open = true
	if s.Mark != nil {
		what := s.name
		if variant != "" {
			what += ", " + variant
		}
		s.unmark = s.Mark(string(p), what)
	}
}

func (s *Spans) end() {
	if last := s.last(); last != nil {
		last.To = time.Now()
	}
	if s.unmark != nil {
		s.unmark()
		s.unmark = nil
	}
	s.open = false
}

// merge halves the number of spans of the same case: neighbors become one, with the phase that took longer.
func (s *Spans) merge() {
	merged := s.list[:0]
	for pair := range slices.Chunk(s.list, 2) {
		if len(pair) == 2 && pair[0].Case == pair[1].Case && pair[0].Workload == pair[1].Workload {
			pair = []Span{pair[0].with(&pair[1])}
		}
		merged = append(merged, pair...)
	}
	clear(s.list[len(merged):])
	s.list = merged
}

// with returns a span that extends to the end of the next one.
func (s Span) with(next *Span) Span {
	long, short := &s, next
	if next.own() > s.own() {
		long, short = next, &s
	}
	out := *long
	out.From, out.To, out.Count, out.Busy = s.From, next.To, s.Count+next.Count, s.Busy+next.Busy
	out.Merged = s.Merged + next.Merged + 1
	out.Other, out.Idle = s.Other+next.Other, s.Idle+next.Idle
	if long.Phase != short.Phase {
		out.Other = long.Other + short.To.Sub(short.From).Seconds()
	}
	if long.Variant != short.Variant {
		out.Variant = ""
	}
	if out.Why == "" {
		out.Why = short.Why
	}
	out.Flights = append(slices.Clip(s.Flights), next.Flights...)
	return out
}

// own returns the seconds of the span in its own phase.
func (s *Span) own() float64 { return s.To.Sub(s.From).Seconds() - s.Other }
