package measure

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// checkSpans fails the test if spans overlap, run backward or are still open.
func checkSpans(t *testing.T, spans []Span) {
	t.Helper()
	for i := range spans {
		if s := &spans[i]; s.To.Before(s.From) || i > 0 && s.From.Before(spans[i-1].To) {
			t.Errorf("span %d, %s, is from %v to %v, after one to %v", i, s.Phase, s.From, s.To, spans[max(0, i-1)].To)
		}
	}
}

func phasesOf(spans []Span) string {
	var names []string
	for _, s := range spans {
		name := string(s.Phase)
		if s.Variant != "" {
			name += " " + s.Variant
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func TestCaseRecordsItsPhases(t *testing.T) {
	var s Spans
	s.Of("work", "case")
	c, laps := &clock{}, 0
	a, b := timed(c, "a", 0.01), timed(c, "b", 0.02)
	o := Options{Spans: &s, Now: func() time.Time { return c.now }, MinSamples: 40, LateSamples: 20, MaxSamples: 100, MinTime: time.Millisecond}
	o.Factors = []Factor{{Name: "others", Limit: 0.1, Text: func(v float64) string { return fmt.Sprint(v) }}}
	o.Lap = func() []float64 {
		if laps++; laps == 3 {
			return []float64{0.5}
		}
		return []float64{0}
	}
	if _, err := Case(t.Context(), []Subject{a, b}, o, nil); err != nil {
		t.Fatal(err)
	}
	spans := s.Take()
	checkSpans(t, spans)
	got := phasesOf(spans)
	want := "verifying a, verifying b, calibrating a, calibrating b, warming up a, warming up b, sampling, sampling"
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "sampling, verifying again a, verifying again b") {
		t.Errorf("recorded %s", got)
	}
	disturbed := 0
	for i := range spans {
		if spans[i].Workload != "work" || spans[i].Case != "case" {
			t.Errorf("%s is of %q, %q", spans[i].Phase, spans[i].Workload, spans[i].Case)
		}
		if spans[i].Why == "0.5" && spans[i].Phase == Sampling {
			disturbed++
		}
	}
	if disturbed != 1 {
		t.Errorf("%d laps tell why their samples were set aside", disturbed)
	}
	if len(s.Take()) != 0 {
		t.Error("spans are taken twice")
	}
}

// timed is a subject whose samples take some seconds of a clock.
func timed(c *clock, name string, seconds float64) Subject {
	return Subject{
		Name: name, MaxReps: 1,
		Check: func(context.Context) (Check, error) { return Check{OK: true, Checked: 1}, nil },
		Start: func(context.Context, int) (Pending, error) {
			return func() (float64, error) { c.advance(seconds); return seconds, nil }, nil
		},
	}
}

func TestSpansStayFew(t *testing.T) {
	var s Spans
	const rounds = 10 * maxSpans
	for range rounds {
		s.Enter(Sampling, "a")
		for range 2 * spanFlights {
			s.Flew(Flight{From: time.Now(), Device: 1, Launches: 1})
		}
		s.Enter(Rechecking, "a")
	}
	spans := s.Take()
	checkSpans(t, spans)
	count, busy, merged, flights := 0, 0.0, 0, 0
	for i := range spans {
		count, busy, merged, flights = count+spans[i].Count, busy+spans[i].Busy, merged+spans[i].Merged, flights+len(spans[i].Flights)
		if all := spans[i].To.Sub(spans[i].From).Seconds(); spans[i].Other < 0 || spans[i].Other > all {
			t.Errorf("%g of %g s are of other phases", spans[i].Other, all)
		}
	}
	if n := rounds * 2 * spanFlights; count != n || busy != float64(n) || merged+len(spans) != 2*rounds || len(spans) > maxSpans+1 || flights != maxFlights {
		t.Errorf("%d spans of %d merged, %d command buffers that took %g s, of %d; %d are kept", len(spans), merged, count, busy, n, flights)
	}
}

func TestMergedSpansAreOfTheLongerPhase(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1e9, 0).Add(duration(s)) }
	work := Span{Phase: Sampling, Variant: "a", From: at(0), To: at(5), Count: 7, Busy: 4}
	check := Span{Phase: Rechecking, Variant: "a", From: at(5), To: at(6), Why: "because"}
	both := work.with(&check)
	if both.Phase != Sampling || both.Variant != "a" || both.Other != 1 || both.Merged != 1 || !both.To.Equal(at(6)) || both.Why != "because" || both.Count != 7 {
		t.Errorf("%+v", both)
	}
	more := both.with(&Span{Phase: Cooling, From: at(6), To: at(20)})
	if more.Phase != Cooling || more.Other != 6 || more.Merged != 2 || more.Variant != "" || !more.From.Equal(at(0)) {
		t.Errorf("%+v", more)
	}
}

func TestSpansOfNobody(t *testing.T) {
	var s *Spans
	s.Of("a", "b")
	s.Enter(Sampling, "")
	s.Lap(Sampling)
	s.Tell("why")
	s.By("a")
	s.Flew(s.Flight(time.Now()))
	s.End()
	if s.Take() != nil || s.TakeDue(time.Now()) != nil {
		t.Error("a nil recorder records")
	}
}

// A run of very many windows writes its spans ever more rarely.
func TestSpansAreTakenRarelyInLongSeries(t *testing.T) {
	s := Spans{taken: seriesSpans}
	s.Enter(Sampling, "a")
	if s.TakeDue(time.Now().Add(-time.Hour)) != nil {
		t.Error("taken at once, after an hour")
	}
	if len(s.TakeDue(time.Now())) != 1 {
		t.Error("not taken, though the run began now")
	}
}

func TestPhasesAreMarkedForTheProfiler(t *testing.T) {
	var said []string
	s := Spans{Mark: func(name, what string) func() {
		said = append(said, "begin "+name+" of "+what)
		return func() { said = append(said, "end "+name) }
	}}
	s.Of("w", "c")
	s.Enter(Verifying, "a")
	s.Enter(Verifying, "a")
	s.Enter(Sampling, "")
	s.Flew(Flight{Device: math.NaN()})
	spans := s.Take()
	if got := strings.Join(said, "; "); got != "begin verifying of c, a; end verifying; begin sampling of c; end sampling" {
		t.Error(got)
	}
	if spans[1].Count != 1 || spans[1].Busy != 0 {
		t.Errorf("%+v", spans[1])
	}
}
