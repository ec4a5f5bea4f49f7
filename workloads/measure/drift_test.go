package measure

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDriftIsReported(t *testing.T) {
	for _, tc := range []struct {
		name  string
		slope float64 // relative change over the case
		want  string
	}{{"slower", 0.4, "drifted by +"}, {"faster", -0.4, "drifted by -"}, {"steady", 0, ""}, {"slightly", 0.002, ""}} {
		var st stage
		noise := noisy(1, 0.01, 3)
		start := -1
		s := &script{name: tc.name}
		s.time = func(call int) float64 {
			if start < 0 && call >= 2*warmWindow+2 { // after calibration and warm-up
				start = call
			}
			if start < 0 {
				return 0.001
			}
			return 0.001 * (1 + tc.slope*float64(call-start)/60) * noise(call)
		}
		r := st.run(t, Options{MinSamples: 60, MaxSamples: 60, Budget: time.Hour}, s)[0]
		drifted := strings.Contains(texts(r.Warnings), "drifted by")
		if drifted != (tc.want != "") || !strings.Contains(texts(r.Warnings), tc.want) {
			t.Errorf("%s: warnings %q, want %q", tc.name, r.Warnings, tc.want)
		}
	}
}

// TestDriftSaysWhatWasSeen names no cause that was not observed.
func TestDriftSaysWhatWasSeen(t *testing.T) {
	drifting := make([]float64, 100)
	noise := noisy(1, 0.01, 3)
	for i := range drifting {
		drifting[i] = 0.001 * (1 + 0.4*float64(i)/100) * noise(i)
	}
	observed := Surroundings{
		Factors: []Factor{{Limit: 0.1}, {Limit: 0.05, Unknown: "throttling cannot be read here"}}, Lap: func() []float64 { return nil },
	}
	for _, c := range []struct {
		name string
		Surroundings
		around []float64
		before []Warning
		want   string
	}{
		{"nothing is read", Surroundings{}, nil, nil, " %; the machine was not observed"},
		{"quiet", observed, []float64{0.01, 0}, nil, " %; no disturbance was seen"},
		{"no throttling is known", observed, []float64{0.01, math.NaN()}, nil, " %; no disturbance was seen, but throttling cannot be read here"},
		{"disturbed", observed, []float64{0.5, 0}, []Warning{{Disturbed, "disturbed: other programs"}}, " % while disturbed"},
	} {
		got := ""
		for _, w := range Warnings(&Result{Samples: drifting, Around: c.around, Warnings: c.before}, Options{Surroundings: c.Surroundings}) {
			if w.Kind == Drifting {
				got = w.Text
			}
		}
		if !strings.HasPrefix(got, "drifted by +") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want …%q", c.name, got, c.want)
		}
	}
}

// TestMissingIntervalHasAReason: samples at two levels that switch once carry no more information than a few samples.
func TestMissingIntervalHasAReason(t *testing.T) {
	steps := make([]float64, 300)
	for i := range steps {
		steps[i] = 1 + 0.001*float64(i%7)/7
		if i >= 120 {
			steps[i] += 0.1
		}
	}
	for want, samples := range map[string][]float64{
		"only 1 sample: too few for an interval":           {1},
		"only 3 samples: too few for an interval":          {1, 2, 1.5},
		"300 samples are so correlated that they count as": steps,
	} {
		all := Warnings(&Result{Samples: samples}, Options{})
		if !slices.ContainsFunc(all, func(w Warning) bool { return w.Kind == FewSamples && strings.HasPrefix(w.Text, want) }) {
			t.Errorf("want %q among %v", want, all)
		}
	}
}
