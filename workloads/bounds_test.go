package workloads

import (
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// withEnergy returns a format's result that needed the given number of joules, ± 5 %.
func withEnergy(r Result, joules, output float64) Result {
	r.Values.Set(Energy, stats.Interval{Median: joules, Lo: 0.95 * joules, Hi: 1.05 * joules})
	r.Values.SetNumber(OutputSNR, output)
	return r
}

// Limits decide which formats are considered, each by the worse end of its interval.
func TestBoundsOfCandidates(t *testing.T) {
	results := []Result{
		withEnergy(formatOf("f32", 400, math.Inf(1), 1, 1), 10, 130),
		withEnergy(formatOf("f16", 200, 70, 1.8, 1.7), 6, 68),
		withEnergy(formatOf("int8", 100, 40, 1.5, 1.4), 4, 39),
		withEnergy(formatOf("int4", 60, 21, 3, 2.9), 2, 15),
	}
	for _, tc := range []struct {
		name                                 string
		bounds                               []Bound
		smallest, fastest, thriftiest, exact string // sentences hold these; empty: no finding
	}{
		{"none", nil, "int4 is the smallest", "int4 is the fastest", "int4 needs the least energy of the measured formats that keep 20 dB SNR of the weights: 20 %", ""},
		{
			"of the output",
			[]Bound{{OutputSNR, 30}},
			"int8 is the smallest measured format that keeps 20 dB SNR of the weights and 30 dB SNR of the output, with 40.0 dB", "f16 is the fastest", "int8 needs the least", "",
		},
		{
			"of the size",
			[]Bound{{Footprint, 8}},
			"int4 is the smallest measured format that keeps 20 dB SNR of the weights, within 8 bits per weight", "int4", "int4",
			"int8 has the smallest error of the measured formats that keep 20 dB SNR of the weights, within 8 bits per weight: 40.0 dB.",
		},
		{"of the time", []Bound{{Time, 0.6}}, "int4", "int4", "int4", "f16 has the smallest error of the measured formats that keep 20 dB SNR of the weights, within 60 % of f32’s time"},
		{"of the energy", []Bound{{Energy, 0.5}}, "int4", "int4", "int4", "int8 has the smallest error of the measured formats that keep 20 dB SNR of the weights, within 50 % of f32’s energy"},
		{"of all", []Bound{{OutputSNR, 60}, {Energy, 0.3}}, "no measured format keeps 20 dB SNR of the weights and 60 dB SNR of the output, within 30 % of f32’s energy.", "", "", ""},
	} {
		c := formats(results...)
		c.Bounds = tc.bounds
		for i, found := range [][]Finding{c.Smallest(), c.Fastest(), c.Thriftiest(), c.Exactest()} {
			want := []string{tc.smallest, tc.fastest, tc.thriftiest, tc.exact}[i]
			if (len(found) == 0) != (want == "") || len(found) > 0 && !strings.Contains(found[0].Sentence(), want) {
				t.Errorf("%s: finding %d is %+v, want %q", tc.name, i, found, want)
			}
		}
	}
}

// A limit on something that was not measured leads to no conclusion, and says so; a limit on time also for disturbed results.
func TestBoundsOnWhatIsNotKnown(t *testing.T) {
	c := formats(formatOf("f32", 400, math.Inf(1), 1, 1), formatOf("f16", 200, 70, 1.8, 1.7))
	c.Bounds = []Bound{{Energy, 0.5}}
	found := c.Advice()
	if len(found) != 1 || found[0].Kind != KindNone || !strings.Contains(found[0].Sentence(), "One limit is on energy, which was not measured: run with --energy auto") {
		t.Errorf("advice %+v", found)
	}
	if len(c.Smallest())+len(c.Fastest())+len(c.Thriftiest())+len(c.Exactest()) > 0 {
		t.Error("something is chosen within a limit of energy that was not measured")
	}
	c.Bounds = []Bound{{Time, 0.5}}
	if s := c.Advice()[0].Sentence(); !strings.Contains(s, "f16: no, not within 50 % of f32’s time") {
		t.Errorf("advice %q", s)
	}
	c.Results[1].Warnings = []Warning{{Kind: "disturbed", Text: "disturbed"}}
	if _, is := c.Results[1].Disturbed(); !is {
		t.Fatal("the result is not disturbed")
	}
	if len(c.Smallest()) > 0 {
		t.Error("a disturbed time is judged")
	}
	if c.Bounds = nil; len(c.Smallest()) != 1 {
		t.Error("sizes are not judged")
	}
}

// Disturbances change times, not accuracies nor sizes: limits on those leave a choice.
func TestDisturbedResultsAreChosenByAccuracy(t *testing.T) {
	for of, tc := range map[Bound]struct{ smallest, exact string }{
		{OutputSNR, 60}: {"f16", ""},
		{Footprint, 8}:  {"int8", "int8"},
		{Time, 0.8}:     {},
		{Energy, 0.8}:   {},
	} {
		c := formats(
			withEnergy(formatOf("f32", 400, math.Inf(1), 1, 1), 10, 130), withEnergy(formatOf("f16", 200, 70, 1.8, 1.7), 6, 68),
			withEnergy(formatOf("int8", 100, 40, 1.5, 1.4), 4, 39),
		)
		c.Results[1].Warn(WarningKind(measure.Disturbed), "disturbed: by others")
		c.Bounds = []Bound{of}
		for want, found := range map[string][]Finding{"smallest: " + tc.smallest: c.Smallest(), "exact: " + tc.exact: c.Exactest()} {
			kind, variant, _ := strings.Cut(want, ": ")
			if len(found) > 0 != (variant != "") || len(found) > 0 && found[0].Variant != variant {
				t.Errorf("%v, %s: %+v, want %q", of, kind, found, variant)
			}
		}
	}
}

// A variant not shown to need less energy than the baseline is not said to.
func TestThriftiestIsShownToBe(t *testing.T) {
	c := formats(withEnergy(formatOf("f32", 400, math.Inf(1), 1, 1), 10, 130), withEnergy(formatOf("f16", 200, 70, 1.8, 1.7), 9.5, 68))
	if found := c.Thriftiest(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	c.Results[1] = withEnergy(c.Results[1], 20, 68)
	if found := c.Thriftiest(); len(found) != 1 || found[0].Sentence() != "Weights: no format that keeps 20 dB SNR of the weights was shown to need less energy than f32." {
		t.Errorf("%+v", found)
	}
}
