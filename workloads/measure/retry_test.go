package measure

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// failing is a subject whose work fails at these calls, and takes as long as the number of the call.
func failing(name string, calls ...int) *script {
	return &script{name: name, time: func(call int) float64 { return 0.001 * float64(1+call) }, fail: func(call int) error {
		for _, n := range calls {
			if n == call {
				return errors.New("boom")
			}
		}
		return nil
	}}
}

// A failed sample is taken again before those that follow, so that pairs stay pairs, and the result names it.
func TestFailedSamplesAreTakenAgain(t *testing.T) {
	var st stage
	warm := &script{name: "a", time: steady(0.001)}
	st.run(t, Options{MinSamples: 20, MinTime: time.Nanosecond}, warm)
	before := warm.runs - 20 // calibration and warm-up
	st = stage{}
	a := &script{name: "a", time: steady(0.001), fail: failing("", before+5).fail}
	b := &script{name: "b", time: steady(0.001)}
	asked := 0
	o := Options{MinSamples: 20, MinTime: time.Nanosecond, Again: func(err error) bool { asked++; return err.Error() == "boom" }}
	results := st.run(t, o, a, b)
	r := results[0]
	if !r.OK() || len(r.Samples) != len(results[1].Samples) || asked != 1 || len(r.Retries) != 1 || len(results[1].Retries) != 0 {
		t.Fatalf("asked %d times, %d and %d samples, %+v, %v", asked, len(r.Samples), len(results[1].Samples), r.Retries, r.Err)
	}
	if again := r.Retries[0]; again.Phase != Sampling || again.Sample < 0 || again.Sample >= len(r.Samples) || again.Why.Error() != "boom" {
		t.Errorf("%+v", again)
	}
	if text := RetryText(r.Retries); !strings.HasPrefix(text, "1 failure, repeated: sample ") || !strings.HasSuffix(text, ": boom") {
		t.Errorf("%q", text)
	}
}

// Work that fails repeatedly, may not be retried, or is stopped, stays failed.
func TestRetriesEnd(t *testing.T) {
	always := func(int) error { return errors.New("boom") }
	for name, tc := range map[string]struct {
		again func(error) bool
		runs  int
	}{
		"always":  {func(error) bool { return true }, 1 + maxAgain},
		"refused": {func(error) bool { return false }, 1},
		"nobody":  {nil, 1},
	} {
		var st stage
		a := &script{name: "a", time: steady(1), fail: always}
		r := st.run(t, Options{Again: tc.again}, a)[0]
		if r.OK() || a.runs != tc.runs || len(r.Retries) != tc.runs-1 {
			t.Errorf("%s: %d runs, %d retries, %v", name, a.runs, len(r.Retries), r.Err)
		}
	}
	var st stage
	every := &script{name: "a", time: steady(0.001), fail: func(call int) error {
		if call%2 == 0 {
			return errors.New("boom")
		}
		return nil
	}}
	if r := st.run(t, Options{Again: func(error) bool { return true }}, every)[0]; r.OK() || len(r.Retries) != maxRetries {
		t.Errorf("a subject that keeps failing has %d retries, %v", len(r.Retries), r.Err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	st = stage{}
	stopped := &script{name: "a", time: steady(1), fail: func(int) error { cancel(); return errors.New("boom") }}
	if _, err := st.measure(ctx, Options{Again: func(error) bool { return true }}, nil, stopped); err == nil || stopped.runs != 1 {
		t.Errorf("%d runs after the run was stopped, %v", stopped.runs, err)
	}
}

// A verification whose work failed is retried too.
func TestVerificationIsDoneAgain(t *testing.T) {
	var st stage
	a := &script{name: "a", time: steady(0.001), check: func(call int) (Check, error) {
		if call == 1 {
			return Check{}, errors.New("boom")
		}
		return right(call)
	}}
	r := st.run(t, Options{MinSamples: 20, MinTime: time.Nanosecond, Again: func(error) bool { return true }}, a)[0]
	if !r.OK() || len(r.Retries) != 1 || r.Retries[0].Phase != Rechecking || r.Retries[0].Sample != -1 || a.checks != 3 {
		t.Errorf("%d checks, %+v, %v", a.checks, r.Retries, r.Err)
	}
}
