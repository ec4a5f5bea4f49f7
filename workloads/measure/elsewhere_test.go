package measure

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// A program that shares the device in time slices leaves the sample times unchanged, or doubles those of one variant; elsewhere
// detects it. Without such a program, and on engines whose device is not a GPU, nothing is reported.
func TestDeviceElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		other     float64 // seconds of a time slice
		told      bool    // the device is a GPU
		alone     bool    // samples do not wait for each other
		disturbed bool
	}{
		"by turns": {0.002, true, false, true}, "alone": {0, true, false, false}, "little": {0.0001, true, false, false},
		"no GPU": {0.002, false, false, false}, "one in flight": {0.002, true, true, false},
	} {
		var st stage
		around := Surroundings{
			Factors: []Factor{{Name: "elsewhere", Limit: 0.1, Elsewhere: c.told, Text: func(v float64) string { return fmt.Sprintf("elsewhere %.0f %%", 100*v) }}},
			Lap:     func() []float64 { return []float64{math.NaN()} },
		}
		turn := func(int) float64 { return c.other }
		// One sample fits into a time slice; the other always spans one of the other program's.
		a := &script{name: "a", time: steady(0.002), other: turn}
		b := &script{name: "b", base: "a", time: steady(0.004)}
		subjects := []Subject{st.subject(a), st.subject(b)}
		for i := range subjects {
			subjects[i].Alone = c.alone
		}
		o := Options{MinSamples: 200, Budget: 3 * time.Second, SampleTime: time.Nanosecond, Surroundings: around}
		o.Now = func() time.Time { return st.clock.now }
		results, err := Case(t.Context(), subjects, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if got := len(r.Warnings) > 0; got != c.disturbed || got && !strings.HasPrefix(texts(r.Warnings), "disturbed: elsewhere 2") {
				t.Errorf("%s: %q", name, texts(r.Warnings))
			}
			if known := len(r.Around) == 1 && !math.IsNaN(r.Around[0]); known != (c.told && !c.alone) {
				t.Errorf("%s: told %v", name, r.Around)
			}
		}
	}
}

// The time a device needs to prepare a sample, and repetitions that the work adds, do not count as time elsewhere.
func TestPreparingIsNotElsewhere(t *testing.T) {
	r := &runner{subjects: []Subject{{}, {Occupies: func(reps int, each float64) float64 { return 2*float64(reps)*each + 1 }}}, results: make([]Result, 2)}
	r.results[0].Reps, r.results[1].Reps = 3, 3
	if plain, told := r.occupied(0, 0.5), r.occupied(1, 0.5); plain != 1.5 || told != 4 {
		t.Errorf("%g s and %g s, want 1.5 and 4", plain, told)
	}
}
