package bundle

import (
	"math"
	"slices"
	"time"

	"assay/internal/alike"
)

// packedEvents are the events of a run in progress. Spans are packed: a run of hours has hundreds, which differ mainly in their
// times.
type packedEvents struct {
	list  []packedEvent
	row   alike.Row   // packed last
	names alike.Texts // packed last
}

// packedEvent is an event as it is, or a packed span.
type packedEvent struct {
	like     *Event // for a span one that may be shared, otherwise the event itself
	at, from time.Time
	name     alike.Texts // of the span's case
	numbers  alike.Row   // of the span's phases, where they differ from like
}

// lookBack is how many events are searched for a similar span: a case has two.
const lookBack = 16

// add adds an event; see record.
func (p *packedEvents) add(e *Event) {
	switch {
	case e.IsSpan():
		p.addSpan(e)
	case !p.renew(e):
		own := *e
		p.list = append(p.list, packedEvent{like: &own})
	}
}

// renew updates the text and figures of a known leak.
func (p *packedEvents) renew(e *Event) bool {
	for i := range p.list {
		if known := p.list[i].like; known.sameLeak(e) {
			known.renew(e)
			return true
		}
	}
	return false
}

func (p *packedEvents) addSpan(e *Event) {
	like := p.likeOf(e)
	row := alike.Pack(numbersOf(e), numbersOf(like), p.row)
	if row != nil {
		p.row = row
	}
	p.names = alike.PackTexts([]string{e.Case}, p.names)
	p.list = append(p.list, packedEvent{like, e.Time, e.From, p.names, row})
}

// likeOf returns a span that differs from e in times, case and numbers only.
func (p *packedEvents) likeOf(e *Event) *Event {
	for i := len(p.list) - 1; i >= max(0, len(p.list)-lookBack); i-- {
		if like := p.list[i].like; alikeSpans(like, e) {
			return like
		}
	}
	like := *e
	return &like
}

func alikeSpans(a, b *Event) bool {
	return a.Kind == b.Kind && a.Title == b.Title && a.Workload == b.Workload && slices.EqualFunc(a.Phases, b.Phases, func(a, b Phase) bool {
		return a.Name == b.Name && a.Variant == b.Variant && a.Why == b.Why &&
			slices.EqualFunc(a.Flights, b.Flights, func(a, b Flight) bool { return a.Variant == b.Variant })
	})
}

// all returns the events, unpacked.
func (p *packedEvents) all() []Event {
	var out []Event
	for i := range p.list {
		out = append(out, p.list[i].unpack())
	}
	return out
}

func (p *packedEvent) unpack() Event {
	e := *p.like
	if !e.IsSpan() {
		return e
	}
	e.Time, e.From, e.Case = p.at, p.from, p.name.Unpack()[0]
	e.Phases = slices.Clone(e.Phases)
	numbers := p.numbers.Unpack(numbersOf(p.like))
	for i := range e.Phases {
		numbers = e.Phases[i].take(numbers)
	}
	return e
}

// numbersOf returns the numbers of a span's phases; take reads them.
func numbersOf(e *Event) (out []float64) {
	for i := range e.Phases {
		p := &e.Phases[i]
		out = append(out, p.From, p.To, float64(p.Count), p.Busy, p.Idle, float64(p.Merged), p.Other)
		for _, f := range p.Flights {
			out = append(out, f.From, f.Submitted, f.Wall, orNaN(f.Gap), orNaN(f.Device), float64(f.Launches))
		}
	}
	return out
}

// take gives a phase the first of the numbers and returns the rest.
func (p *Phase) take(n []float64) []float64 {
	p.From, p.To, p.Count, p.Busy, p.Idle, p.Merged, p.Other = n[0], n[1], int(n[2]), n[3], n[4], int(n[5]), n[6]
	n = n[7:]
	p.Flights = slices.Clone(p.Flights)
	for i := range p.Flights {
		f := &p.Flights[i]
		f.From, f.Submitted, f.Wall, f.Gap, f.Device, f.Launches = n[0], n[1], n[2], orNil(n[3]), orNil(n[4]), int(n[5])
		n = n[6:]
	}
	return n
}

// orNaN returns a number that may be unknown.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// orNil undoes orNaN.
func orNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
