package bundle

import (
	"math"
	"slices"
	"time"

	"assay/workloads/measure"
)

// Phase is a span of measure.Spans as written to events.jsonl. Times are in seconds since the From of its event.
type Phase struct {
	Name    measure.Phase `json:"phase"`
	Variant string        `json:"variant,omitempty"` // empty: none or several
	From    float64       `json:"from_s"`
	To      float64       `json:"to_s"`
	Why     string        `json:"why,omitempty"`
	Count   int           `json:"command_buffers,omitempty"`
	Busy    float64       `json:"busy_s,omitempty"`
	Idle    float64       `json:"idle_s,omitempty"` // time the device was idle between bursts, as requested
	Merged  int           `json:"merged,omitempty"`
	Other   float64       `json:"other_s,omitempty"`
	Flights []Flight      `json:"first,omitempty"`
}

// Flight is one of the first command buffers of a phase. Durations are in seconds; null means unknown.
type Flight struct {
	Variant   string   `json:"variant,omitempty"`
	From      float64  `json:"from_s"` // since the From of the event
	Submitted float64  `json:"submitted_s"`
	Wall      float64  `json:"wall_s"`
	Gap       *float64 `json:"gap_s"`
	Device    *float64 `json:"device_s"`
	Launches  int      `json:"launches"`
}

// Phases records what was done when: one event for each case.
func (b *Bundle) Phases(spans []measure.Span) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(spans) > 0 {
		n := slices.IndexFunc(spans, func(s measure.Span) bool { return s.Workload != spans[0].Workload || s.Case != spans[0].Case })
		if n < 0 {
			n = len(spans)
		}
		if err := b.event(phasesEvent(spans[:n])); err != nil {
			return err
		}
		spans = spans[n:]
	}
	return nil
}

func phasesEvent(spans []measure.Span) Event {
	first := &spans[0]
	e := Event{
		Time: spans[len(spans)-1].To, From: first.From, Kind: PhasesDone, Title: "Phases", Workload: first.Workload, Case: first.Case,
	}
	since := func(t time.Time) float64 { return precise(t.Sub(e.From).Seconds()) }
	for _, s := range spans {
		p := Phase{
			Name: s.Phase, Variant: s.Variant, From: since(s.From), To: since(s.To), Why: s.Why, Count: s.Count, Busy: precise(s.Busy),
			Idle: precise(s.Idle), Merged: s.Merged, Other: precise(s.Other),
		}
		for _, f := range s.Flights {
			p.Flights = append(p.Flights, Flight{
				f.Variant, since(f.From), precise(f.Submitted), precise(f.Wall), known(f.Gap), known(f.Device), f.Launches,
			})
		}
		e.Phases = append(e.Phases, p)
	}
	return e
}

// precise rounds seconds to 10 ns, so that lines stay short.
func precise(seconds float64) float64 { return math.Round(seconds*1e8) / 1e8 }

func known(seconds float64) *float64 {
	if math.IsNaN(seconds) {
		return nil
	}
	seconds = precise(seconds)
	return &seconds
}
