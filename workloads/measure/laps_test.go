package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// hog uses a share of the CPU between two times of a stage's clock, and slows down all work in the meantime.
type hog struct {
	stage    *stage
	from, to float64 // seconds
	share    float64
	last     float64 // when the surroundings were last read
}

func (h *hog) now() float64 { return h.stage.clock.now.Sub(time.Time{}).Seconds() }

// slowed returns the time of work that takes the given seconds on a quiet machine.
func (h *hog) slowed(seconds float64) func(int) float64 {
	return func(int) float64 {
		if now := h.now(); now >= h.from && now < h.to {
			return seconds * (1 + h.share)
		}
		return seconds
	}
}

// lap returns the hog's mean share since the last call.
func (h *hog) lap() []float64 {
	now := h.now()
	busy := max(0, min(now, h.to)-max(h.last, h.from))
	share := h.share * busy / (now - h.last)
	h.last = now
	return []float64{math.NaN(), share}
}

// around returns the surroundings of a machine with the hog.
func (h *hog) around(timeout time.Duration) Surroundings {
	asked := 0
	return Surroundings{
		Factors: []Factor{
			{Name: "heat", Limit: 1, Text: func(float64) string { return "hot" }},
			{Name: "others", Limit: 0.1, Text: func(v float64) string { return fmt.Sprintf("others used %.0f %%", 100*v) }},
		},
		Lap: h.lap, QuietTimeout: timeout,
		Who: func(context.Context) string {
			if asked++; asked == 1 {
				return "" // the observation begins
			}
			return "most by hog"
		},
		Sleep: func(_ context.Context, d time.Duration) { h.stage.clock.advance(d.Seconds()) },
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

func TestDisturbedSamplesAreTakenAgain(t *testing.T) {
	var st stage
	h := &hog{stage: &st, from: 0.5, to: 1.5, share: 0.4}
	a := &script{name: "a", time: h.slowed(0.004)}
	b := &script{name: "b", base: "a", time: h.slowed(0.002)}
	results := st.run(t, Options{MinSamples: 200, Budget: 10 * time.Second, Surroundings: h.around(0)}, a, b)
	for i, seconds := range []float64{0.004, 0.002} {
		r := results[i]
		if !near(r.Time.Median, seconds) || slices.Max(r.Samples) > seconds*1.0001 || len(r.Samples) < 200 || len(r.Warnings) > 0 {
			t.Errorf("%s: %d samples, %v to %v, warnings %q", r.Name, len(r.Samples), slices.Min(r.Samples), slices.Max(r.Samples), texts(r.Warnings))
		}
		if r.Aside < 100 || r.Aside > 250 {
			t.Errorf("%s: %d samples were set aside in a second", r.Name, r.Aside)
		}
		kept := 0
		for _, aside := range r.SetAside {
			kept += len(aside.Samples)
			if !strings.HasPrefix(aside.Why, "others used ") || aside.At > len(r.Samples) || slices.Min(aside.Samples) < seconds*0.999 {
				t.Errorf("%s: set aside after %d samples because %q: %v", r.Name, aside.At, aside.Why, aside.Samples)
			}
		}
		if kept != r.Aside {
			t.Errorf("%s: %d of %d samples set aside are kept", r.Name, kept, r.Aside)
		}
		if len(r.Around) != 2 || !math.IsNaN(r.Around[0]) || r.Around[1] > 0.1 {
			t.Errorf("%s: around the samples that count it was %v", r.Name, r.Around)
		}
	}
	if len(results[0].Samples) != len(results[1].Samples) {
		t.Errorf("%d samples against %d: they are no pairs", len(results[0].Samples), len(results[1].Samples))
	}
}

func TestCaseThatStaysDisturbedSaysSo(t *testing.T) {
	var st stage
	h := &hog{stage: &st, from: 0, to: 1e9, share: 0.6}
	counted := &script{name: "a"}
	counted.time = func(call int) float64 { return 0.001 * (1 + 0.001*float64(call%7)) }
	r := st.run(t, Options{Budget: 2 * time.Second, MaxSamples: 5000, Surroundings: h.around(0)}, counted)[0]
	const want = "disturbed: others used 60 % (most by hog)"
	if n := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Kind == Disturbed && w.Text == want }); n < 0 {
		t.Errorf("warnings %q, want %q", texts(r.Warnings), want)
	}
	if r.Aside != 0 || len(r.SetAside) != 0 || len(r.Samples) < 1000 || !near(r.Around[1], 0.6) || r.Stop != StopBudget {
		t.Errorf("%d samples, %d aside, around %v, %s", len(r.Samples), r.Aside, r.Around, r.Stop)
	}
	first := counted.runs - len(r.Samples)
	for i, s := range r.Samples {
		if want := counted.time(first + i); s != want {
			t.Fatalf("sample %d is %v, want %v: the order taken is lost", i, s, want)
		}
	}
}

// A disturbance between quiet laps leaves few samples; with two factors alternating, neither mean exceeds its limit.
func TestDisturbanceByTurnsIsTold(t *testing.T) {
	var st stage
	laps := 0
	around := (&hog{stage: &st}).around(0)
	around.Lap = func() []float64 {
		laps++
		return []float64{1.2 * float64(laps%2), 0.12 * float64((laps+1)%2)}
	}
	r := st.run(t, Options{Budget: time.Second, Surroundings: around}, &script{name: "a", time: steady(0.01)})[0]
	if warned := texts(r.Warnings); !strings.Contains(warned, "disturbed: hot") && !strings.Contains(warned, "disturbed: others") {
		t.Errorf("warnings %q", warned)
	}
}

func TestCaseWaitsForQuiet(t *testing.T) {
	var st stage
	h := &hog{stage: &st, from: 0, to: 7, share: 0.6}
	o := Options{Budget: 2 * time.Second, MinSamples: 100, Surroundings: h.around(30 * time.Second)}
	waits := 0
	results, err := st.measure(t.Context(), o, func(p Progress) {
		if p.Phase == Waiting {
			waits++
			if p.Spent > p.Budget || p.Estimate > time.Minute || p.Estimate <= 0 {
				t.Errorf("while waiting: %+v", p)
			}
		}
	}, &script{name: "a", time: h.slowed(0.02)})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; waits < 10 || !near(r.Time.Median, 0.02) || texts(r.Warnings) != "" {
		t.Errorf("after %d waits %v, warnings %q", waits, r.Time, texts(r.Warnings))
	}
	if now := h.now(); now > 7+2+1 {
		t.Errorf("took until %.1f s", now)
	}
}

func TestWaitEndsAtItsTimeout(t *testing.T) {
	var st stage
	h := &hog{stage: &st, from: 0, to: 1e9, share: 0.6}
	r := st.run(t, Options{Budget: time.Second, Surroundings: h.around(3 * time.Second)}, &script{name: "a", time: steady(0.01)})[0]
	if now := h.now(); now < 4 || now > 4.6 || !strings.Contains(texts(r.Warnings), "disturbed") {
		t.Errorf("ended at %.2f s, warnings %q", now, texts(r.Warnings))
	}
}

func TestWaitEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var st stage
	h := &hog{stage: &st, from: 0, to: 1e9, share: 0.6}
	around := h.around(time.Hour)
	around.Sleep = func(context.Context, time.Duration) { st.clock.advance(0.25); cancel() }
	if _, err := st.measure(ctx, Options{Surroundings: around}, nil, &script{name: "a", time: steady(0.01)}); err == nil {
		t.Error("a canceled case has results")
	}
	began := time.Now()
	pause(ctx, time.Hour)
	if d := time.Since(began); d > time.Minute {
		t.Errorf("paused %v after the context ended", d)
	}
	pause(t.Context(), time.Millisecond)
}

func TestShortMeasurementSaysThatItWasDisturbed(t *testing.T) {
	for _, share := range []float64{0, 0.6} {
		st := &shortStage{seconds: 0.01}
		h := &hog{stage: &st.stage, from: 0, to: 1e9, share: share}
		r := st.run(t, Options{Budget: 350 * time.Millisecond, Surroundings: h.around(0)})
		if strings.Contains(texts(r.Warnings), "disturbed: others used 60 %") != (share > 0) || len(r.Samples) < 5 || r.Aside > 0 {
			t.Errorf("%v: %d samples, warnings %q", share, len(r.Samples), texts(r.Warnings))
		}
	}
}

func TestQuietMachineChangesNothing(t *testing.T) {
	var with, without stage
	h := &hog{stage: &with}
	o := Options{Budget: 2 * time.Second, MinSamples: 100}
	want := without.run(t, o, &script{name: "a", time: noisy(0.001, 0.01, 1)})[0]
	o.Surroundings = h.around(time.Minute)
	got := with.run(t, o, &script{name: "a", time: noisy(0.001, 0.01, 1)})[0]
	if !slices.Equal(got.Samples, want.Samples) || got.Stop != want.Stop || got.Aside != 0 {
		t.Errorf("%d samples, %s; want %d, %s", len(got.Samples), got.Stop, len(want.Samples), want.Stop)
	}
}

// A case that stays disturbed for long keeps only the newest samples: as many as a quiet case may have, plus one lap.
func TestLongDisturbanceIsBoundedInMemory(t *testing.T) {
	var st stage
	h := &hog{stage: &st, from: 0, to: 1e9, share: 0.6}
	o := Options{Budget: time.Hour, MaxSamples: 200, Surroundings: h.around(0)}
	r := st.run(t, o, &script{name: "a", time: steady(0.01)})[0]
	if n := len(r.Samples); n < 200 || n > 200+26 || r.Aside < 300_000 || !strings.Contains(texts(r.Warnings), "disturbed") {
		t.Errorf("%d samples, %d aside, warnings %q", n, r.Aside, texts(r.Warnings))
	}
}

// A value that cannot be distinguished from work that runs alone is withheld, with the reason.
func TestFactorApartFromWorkThatRunsAlone(t *testing.T) {
	s := Surroundings{Factors: []Factor{
		{Name: "others"}, {Name: "own", Source: "own_source", Apart: "it is what is timed", Told: func(known bool) string { return fmt.Sprint("known: ", known) }},
	}}
	for _, c := range []struct {
		alone bool
		own   float64
		want  string
	}{{false, 0.02, "known: true"}, {false, math.NaN(), "known: false"}, {true, 0.9, "it is what is timed"}} {
		var r Result
		s.Told(&r, []float64{0.3, c.own}, c.alone)
		if r.Around[0] != 0.3 || math.IsNaN(r.Around[1]) != (c.alone || math.IsNaN(c.own)) || s.Factors[1].From(&r, r.Around[1]) != c.want {
			t.Errorf("%+v: %v, %q", c, r.Around, s.Factors[1].From(&r, r.Around[1]))
		}
	}
}
