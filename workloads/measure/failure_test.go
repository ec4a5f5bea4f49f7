package measure

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestWrongResultsHaveNoTime(t *testing.T) {
	wrong := Check{Checked: 4, MaxError: 9, Failure: "out[3] is 9"}
	for _, tc := range []struct {
		name string
		bad  int // which check fails: 0 before, 1 after
		runs bool
	}{{"before", 0, false}, {"after", 1, true}} {
		var st stage
		good := &script{name: "good", time: steady(0.001)}
		bad := &script{name: "bad", time: steady(0.001), check: func(call int) (Check, error) {
			if call == tc.bad {
				return wrong, nil
			}
			return right(call)
		}}
		results := st.run(t, Options{}, good, bad)
		r := results[1]
		if r.OK() || r.Check.OK || r.Check.Failure != "out[3] is 9" || r.Samples != nil || !math.IsNaN(r.Time.Median) || r.Err != nil {
			t.Errorf("%s: %+v", tc.name, r)
		}
		if (bad.runs > 0) != tc.runs {
			t.Errorf("%s: run %d times", tc.name, bad.runs)
		}
		if g := results[0]; !g.OK() || len(g.Samples) < 100 || good.checks != 2 || g.Check.Checked != 8 || !perPass(g.Check, 4, 4) {
			t.Errorf("%s: the other variant is %+v", tc.name, g)
		}
	}
}

func perPass(c Check, compared, outputs int) bool {
	got, of := c.PerPass()
	return got == compared && of == outputs
}

func TestChecksKeepTheLargerError(t *testing.T) {
	for larger := range 2 {
		var st stage
		s := &script{name: "a", time: steady(0.001), check: func(call int) (Check, error) {
			c, _ := right(call)
			if call == larger {
				c.MaxError, c.MaxRel = 3, 2
			}
			return c, nil
		}}
		if c := st.run(t, Options{}, s)[0].Check; c.MaxError != 3 || c.MaxRel != 2 || !c.OK {
			t.Errorf("larger error in check %d: %+v", larger, c)
		}
	}
}

func TestErrorsEndOnlyTheirVariant(t *testing.T) {
	boom := errors.New("boom")
	at := func(n int) func(int) error {
		return func(call int) error {
			if call == n {
				return boom
			}
			return nil
		}
	}
	for name, bad := range map[string]*script{
		"calibrating":  {fail: at(0)},
		"warming up":   {fail: at(3)},
		"sampling":     {fail: at(15)},
		"first check":  {check: func(int) (Check, error) { return Check{}, boom }},
		"second check": {check: func(call int) (Check, error) { c, _ := right(0); return c, at(1)(call) }},
	} {
		var st stage
		bad.name, bad.time = "bad", steady(0.001)
		results := st.run(t, Options{MinSamples: 40, MinTime: time.Nanosecond}, bad, &script{name: "good", time: steady(0.001)})
		if r := results[0]; !errors.Is(r.Err, boom) || r.OK() || r.Samples != nil || !math.IsNaN(r.Time.Median) {
			t.Errorf("%s: %+v", name, r)
		}
		if strings.HasSuffix(name, "check") != strings.HasPrefix(results[0].Err.Error(), "verify: ") {
			t.Errorf("%s: error %q", name, results[0].Err)
		}
		if r := results[1]; !r.OK() || len(r.Samples) != 40 || r.Stop != StopPrecision {
			t.Errorf("%s: the other variant is %+v", name, r)
		}
	}
}

func TestNoVariantLeft(t *testing.T) {
	boom := errors.New("boom")
	var st stage
	r := st.run(t, Options{}, &script{name: "a", time: steady(1), fail: func(int) error { return boom }})[0]
	if !errors.Is(r.Err, boom) || r.OK() {
		t.Errorf("%+v", r)
	}
	if results := st.run(t, Options{}); len(results) != 0 {
		t.Errorf("%d results of no subjects", len(results))
	}
}
