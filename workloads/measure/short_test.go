package measure

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// shortStage is a subject of steady work whose verifying run moves the clock too, as a real one does.
type shortStage struct {
	stage
	seconds float64
	runs    int
	log     []string
	wrong   bool // what the samples write
	cannot  error
}

func (b *shortStage) run(t *testing.T, o Options) Result {
	t.Helper()
	check := func(what string, ok bool, elapsed float64) (Check, error) {
		b.log = append(b.log, what)
		b.clock.advance(0.002)
		c := Check{OK: ok, Checked: 4, Elapsed: elapsed}
		if !ok {
			c.Failure = "out[0] is NaN"
		}
		return c, nil
	}
	s := Subject{
		Name: "a",
		Start: func(_ context.Context, reps int) (Pending, error) {
			b.runs++
			return func() (float64, error) {
				b.clock.advance(b.seconds * float64(reps))
				return b.seconds, nil
			}, nil
		},
		Check: func(context.Context) (Check, error) {
			b.clock.advance(b.seconds)
			return check("check", true, b.seconds)
		},
		Poison:       func() error { b.log = append(b.log, "poison"); return b.cannot },
		CheckWritten: func(context.Context) (Check, error) { return check("check written", !b.wrong, 0) },
	}
	o.Short, o.Now = true, func() time.Time { return b.clock.now }
	results, err := Case(t.Context(), []Subject{s}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func TestShortKeepsToItsBudget(t *testing.T) {
	const budget = 400 * time.Millisecond
	for _, tc := range []struct {
		name     string
		seconds  float64
		least    int
		most     int
		interval bool
		over     bool
	}{
		{"short work", 1e-5, 10, 1000, true, false},
		{"ten fit", 0.02, 10, 18, true, false},
		{"three fit", 0.09, 3, 3, false, false},
		{"one fits", 0.19, 1, 1, false, false},
		{"none fits: the verifying run is taken", 0.3, 1, 1, false, false},
		{"not even that fits", 1, 1, 1, false, true},
	} {
		b := &shortStage{seconds: tc.seconds}
		r := b.run(t, Options{Budget: budget})
		if n := len(r.Samples); !r.OK() || n < tc.least || n > tc.most || r.Time.Bounded() != tc.interval {
			t.Errorf("%s: %d samples, interval %+v, error %v", tc.name, n, r.Time, r.Err)
		}
		if spent := b.clock.now.Sub(time.Time{}); (spent > budget) != tc.over {
			t.Errorf("%s: took %v of %v", tc.name, spent, budget)
		}
		want, checked := "check poison check written", 8
		if r.Stop == StopVerified {
			want, checked = "check", 4
		}
		if (r.Stop == StopVerified) != (tc.seconds > 0.2) {
			t.Errorf("%s: stopped for %q", tc.name, r.Stop)
		}
		if got := strings.Join(b.log, " "); got != want || r.Check.Checked != checked {
			t.Errorf("%s: verified by %q, %d elements", tc.name, got, r.Check.Checked)
		}
		warned := texts(r.Warnings)
		if !strings.HasPrefix(warned, "short measurement: ") || strings.Contains(warned, "too few for an interval") == tc.interval {
			t.Errorf("%s: warnings %q", tc.name, warned)
		}
	}
}

func TestShortVerifiesWhatTheSamplesWrote(t *testing.T) {
	b := &shortStage{seconds: 0.01, wrong: true}
	if r := b.run(t, Options{Budget: time.Second}); r.OK() || r.Check.Failure != "out[0] is NaN" || r.Samples != nil || b.runs == 0 {
		t.Errorf("wrong outputs of the samples: %+v after %d runs", r, b.runs)
	}
	boom := errors.New("boom")
	b = &shortStage{seconds: 0.01, cannot: boom}
	if r := b.run(t, Options{Budget: time.Second}); !errors.Is(r.Err, boom) || r.OK() || len(r.Samples) > 0 {
		t.Errorf("outputs that cannot be poisoned: %+v", r)
	}
}

// Spent and Estimate together predict when a case ends: exactly for steady work, approximately for noisy work once
// there are enough samples.
func TestEstimateForetellsTheEnd(t *testing.T) {
	for _, tc := range []struct {
		name    string
		time    func(int) float64
		options Options
		part    float64 // how far off it may be
	}{
		{"steady, slow", steady(0.3), Options{Budget: time.Second, MinSamples: 12, MinTime: time.Nanosecond, LateSamples: 12}, 0.02},
		{"the budget ends it", noisy(0.01, 0.5, 1), Options{Budget: 4 * time.Second}, 0.03},
		{"the limit ends it", noisy(0.01, 0.5, 1), Options{Budget: time.Hour, MaxSamples: 300}, 0.05},
	} {
		var st stage
		type at struct{ spent, estimate time.Duration }
		var seen []at
		_, err := st.measure(t.Context(), tc.options, func(p Progress) {
			if p.Phase == Sampling && p.Samples > 0 {
				seen = append(seen, at{p.Spent, p.Estimate})
			}
		}, &script{name: "a", time: tc.time, check: func(int) (Check, error) {
			st.clock.advance(tc.time(0))
			return right(0)
		}})
		if err != nil || len(seen) < 5 {
			t.Fatalf("%s: %d reports, error %v", tc.name, len(seen), err)
		}
		end := st.clock.now.Sub(time.Time{}).Seconds()
		for _, s := range seen {
			if off := (s.spent+s.estimate).Seconds()/end - 1; off < -tc.part-0.5*s.estimate.Seconds()/end || off > tc.part+0.5*s.estimate.Seconds()/end {
				t.Errorf("%s: after %v, %v to go, but the end came at %.2f s", tc.name, s.spent, s.estimate, end)
				break
			}
		}
	}
}
