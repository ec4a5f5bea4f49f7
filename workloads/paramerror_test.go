package workloads

import (
	"errors"
	"testing"
	"time"
)

// The same error names parameters as flags on the command line, and by their titles in the window.
func TestErrorsNameParameters(t *testing.T) {
	w := &Workload{Name: "sweep", Title: "Sweep", Params: []Param{
		{Name: "min_size", Title: "Smallest", Type: Int, Min: 1, Max: 9e6, Default: 1}, {Name: "max_size", Title: "Largest", Type: Int, Min: 1, Max: 9e6, Default: 9},
	}}
	w.Sweeps = []Sweep{{From: "min_size", To: "max_size"}}
	for _, tc := range []struct {
		err           error
		line, explain string
	}{
		{
			w.Check(Values{"min_size": 5, "max_size": 2}), "workload sweep: min_size is 5, above max_size, which is 2",
			"Smallest is 5, above Largest, which is 2",
		},
		{
			w.Check(Values{"min_size": 5_000_000, "max_size": 1_000_000}), "workload sweep: min_size is 5,000,000, above max_size, which is 1,000,000",
			"Smallest is 5,000,000, above Largest, which is 1,000,000",
		},
		{w.Check(Values{"min_size": 5}), "workload sweep: no value for max_size", "no value for Largest"},
		{
			w.Check(Values{"min_size": 0, "max_size": 2}), "workload sweep: min_size must be a whole number from 1 to 9,000,000 (you entered 0)",
			"Smallest must be a whole number from 1 to 9,000,000 (you entered 0)",
		},
		{&WorkloadError{w, "min_size", errors.New("run it")}, "workload sweep, min_size: run it", "Smallest: run it"},
		{&WorkloadError{w, "", errors.New("run it")}, "workload sweep: run it", "run it"},
		{errors.New("no {max_size}"), "no {max_size}", "no {max_size}"},
	} {
		if tc.err == nil || tc.err.Error() != tc.line || w.Explain(tc.err) != tc.explain {
			t.Errorf("%q in the window %q, want %q and %q", tc.err, w.Explain(tc.err), tc.line, tc.explain)
		}
	}
}

// Whole numbers are grouped; a value with its own String method formats itself.
func TestNumbersOfParamErrors(t *testing.T) {
	err := NewParamError([]string{"wait"}, "{wait} is %v, want %v of %s", time.Duration(5_000_000), 4000, "a kind")
	if got := err.Error(); got != "wait is 5ms, want 4,000 of a kind" {
		t.Errorf("said %q", got)
	}
}
