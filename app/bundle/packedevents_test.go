package bundle

import (
	"reflect"
	"testing"
	"time"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// window are the events of one window of a series.
func window(i int) []Event {
	at := time.Unix(int64(1000+i), 0)
	seconds := float64(i) / 7
	flight := func(variant string, device *float64) Flight {
		return Flight{Variant: variant, From: seconds, Submitted: 1e-6, Wall: seconds, Gap: device, Device: device, Launches: 32}
	}
	phases := []Phase{
		{Name: measure.Sampling, Variant: "f32", To: seconds, Count: i, Busy: seconds, Flights: []Flight{flight("f32", nil), flight("f32", &seconds)}},
		{Name: measure.Rechecking, Variant: "f32", From: seconds, To: seconds + 1, Flights: []Flight{flight("f32", &seconds)}},
	}
	return []Event{
		{Time: at, From: at.Add(-time.Second), Kind: PhasesDone, Title: "Phases", Workload: "soak", Case: "product", Phases: phases},
		{Time: at, From: at.Add(-time.Second), Kind: CaseOver, Title: "Case measured", Workload: "soak", Case: "product, " + at.String()},
	}
}

// Events are unpacked as they were recorded, in order; a leak reported again appears once, with its latest text.
func TestPackedEventsKeepAll(t *testing.T) {
	var all []Event
	var p packedEvents
	add := func(e Event) {
		p.add(&e)
		all = record(all, e)
	}
	add(Event{Kind: RunStarted, Title: "Run started"})
	for i := range 40 {
		for _, e := range window(i) {
			if i%10 == 3 && e.Kind == PhasesDone {
				e.Phases[0].Why = "other programs"
				e.Phases = e.Phases[:1+i%2]
			}
			add(e)
		}
		if i%10 == 5 {
			add(LeakEvent("leak-1", "Leak", "grows", stats.Exact(float64(i))))
			add(Event{Kind: Noted, Title: "Note", Case: "product"})
		}
	}
	if got := p.all(); !reflect.DeepEqual(got, all) {
		t.Errorf("got %d events, want %d; the first differ: %+v, %+v", len(got), len(all), got[:2], all[:2])
	}
}

// The caller owns unpacked events.
func TestUnpackedEventsAreCopies(t *testing.T) {
	var p packedEvents
	for i := range 2 {
		for _, e := range window(i) {
			p.add(&e)
		}
	}
	first := p.all()
	first[0].Phases[0].Why, first[0].Phases[0].Flights[0].Variant = "changed", "changed"
	if again := p.all(); again[0].Phases[0].Why != "" || again[2].Phases[0].Flights[0].Variant != "f32" {
		t.Errorf("the packed event changed: %+v", again[0])
	}
}

// The two events of a window take a fifth of the memory of the events themselves.
func TestPackedEventsAreSmall(t *testing.T) {
	var p packedEvents
	for i := range 100 {
		for _, e := range window(i) {
			p.add(&e)
		}
	}
	words := 0
	like := map[*Event]bool{}
	for _, e := range p.list {
		words += len(e.numbers)
		like[e.like] = true
	}
	if words > 100*30 || len(like) > 2 {
		t.Errorf("100 windows take %d words and %d events that are shared", words, len(like))
	}
}
