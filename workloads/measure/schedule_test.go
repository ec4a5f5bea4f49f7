package measure

import (
	"strings"
	"testing"
	"time"
)

func TestScheduleIsFollowed(t *testing.T) {
	var st stage
	a := &script{name: "a", time: steady(0.1)}
	b := &script{name: "b", time: func(call int) float64 { return 0.1 * float64(call) }}
	var phases []Phase
	results, err := st.measure(t.Context(), Options{Budget: time.Millisecond, Schedule: Schedule{Wait: 1, Warmup: 2, Active: 3, Repeat: 2}}, func(p Progress) {
		if len(phases) == 0 || phases[len(phases)-1] != p.Phase {
			phases = append(phases, p.Phase)
		}
	}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if len(r.Samples) != 6 || r.Warmups != 4 || r.Stop != StopSchedule || !r.OK() {
			t.Errorf("result %d has %d samples after %d warm-ups, stop %q", i, len(r.Samples), r.Warmups, r.Stop)
		}
	}
	// The first samples of b that count come after a wait and two warm-ups, the fourth after three more such steps.
	if s := results[1].Samples; s[3]-s[0] < 0.55 || s[3]-s[0] > 0.65 || s[2]-s[0] > 0.25 {
		t.Errorf("samples %v, whose times tell their order", s)
	}
	sampled := strings.Join(st.log, "")
	if want := "ababababbaba" + "abababababba"; !strings.HasSuffix(sampled, want) {
		t.Errorf("samples were taken in the order %s, want it to end with %s", sampled, want)
	}
	if n := countPhases(phases, Sampling); n != 2 {
		t.Errorf("sampled %d times, in %q", n, phases)
	}
}

func countPhases(all []Phase, p Phase) (n int) {
	for _, x := range all {
		if x == p {
			n++
		}
	}
	return n
}

// A schedule's samples are final: no disturbed one is taken again, but the result is marked.
func TestScheduleKeepsDisturbedSamples(t *testing.T) {
	var st stage
	o := Options{Schedule: Schedule{Active: 50, Repeat: 1}, Surroundings: Surroundings{
		Factors: []Factor{{Name: "others", Limit: 0.1, Text: func(float64) string { return "others worked" }}},
		Lap:     func() []float64 { return []float64{0.5} },
	}}
	r := st.run(t, o, &script{name: "a", time: steady(0.1)})[0]
	if len(r.Samples) != 50 || r.Aside != 0 || !strings.Contains(texts(r.Warnings), "disturbed: others worked") {
		t.Errorf("%d samples, %d set aside, warnings %q", len(r.Samples), r.Aside, texts(r.Warnings))
	}
}

func TestFewScheduledSamplesHaveNoInterval(t *testing.T) {
	var st stage
	r := st.run(t, Options{Schedule: Schedule{Warmup: 1, Active: 3, Repeat: 1}}, &script{name: "a", time: noisy(0.1, 0.1, 1)})[0]
	if r.Time.Bounded() || !strings.Contains(texts(r.Warnings), "too few for an interval") {
		t.Errorf("interval %+v, warnings %q", r.Time, texts(r.Warnings))
	}
}

func TestParseSchedule(t *testing.T) {
	for text, want := range map[string]Schedule{
		"wait=1,warmup=1,active=3,repeat=2": {1, 1, 3, 2},
		"active=100":                        {0, 0, 100, 1},
		" warmup=10, active=100":            {0, 10, 100, 1},
	} {
		got, err := ParseSchedule(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
		if again, err := ParseSchedule(got.String()); err != nil || again != got {
			t.Errorf("%q is read as %+v, %v", got, again, err)
		}
	}
	for text, want := range map[string]string{
		"":                               `"" is not wait, warmup, active or repeat`,
		"active":                         `active must be a whole number (you entered "")`,
		"active=3,active=4":              `"active=4" is not wait`,
		"active=3,pause=4":               `"pause=4" is not wait`,
		"warmup=3":                       "active must be between 1 and 1000000 (you entered 0)",
		"active=3,repeat=0":              "repeat must be between 1 and 1000000 (you entered 0)",
		"active=3,wait=-1":               "wait must be between 0 and 1000000 (you entered -1)",
		"active=1001,repeat=100":         "active steps in all repetitions must be 100000 at most (you entered 100100)",
		"wait=1000,active=1,repeat=1000": "steps in all repetitions must be 1000000 at most (you entered 1001000)",
		"active=99999999999999999999":    "active must be a whole number",
	} {
		if _, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
