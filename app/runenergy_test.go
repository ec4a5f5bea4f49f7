package app

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/gputest"
)

func TestRunEnergyIsTheCountersRise(t *testing.T) {
	level, fail := 100.0, error(nil)
	count := func() (float64, error) { return level, fail }
	start := time.Unix(0, 0)
	var e runEnergy
	e.begin("a plug", count, start)
	level = 160
	e.again(start.Add(readEvery / 2)) // not due
	if e.to != 100 {
		t.Errorf("read before it was due: %g J", e.to)
	}
	e.again(start.Add(readEvery))
	if e.to != 160 {
		t.Errorf("not read when due: %g J", e.to)
	}
	level = 300
	got := e.total(start.Add(100 * time.Second))
	if math.Abs(got.Joules-200) > 1e-9 || got.Seconds != 100 || got.String() != "200 J in 100 s, 2.00 W on average (a plug)" {
		t.Errorf("%+v, %q", got, got.String())
	}

	e.begin("a plug", count, start)
	if got := e.total(start.Add(time.Second)); !strings.HasPrefix(got.String(), "not available: the energy counter did not advance") || got.Short() != "" {
		t.Errorf("a counter that stands still: %q", got.String())
	}
	e.begin("a plug", count, start)
	fail = errors.New("readable only by root")
	e.again(start.Add(readEvery))
	fail = nil // the increase meanwhile is lost
	if got := e.total(start.Add(time.Hour)); got.String() != "not available: readable only by root" {
		t.Errorf("a counter that failed: %q", got.String())
	}
	var none *bundle.RunEnergy
	if none.String() != "" || none.Short() != "" {
		t.Error("an older run has an energy")
	}
}

func TestRunRecordsWhyItHasNoEnergy(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := bundle.Load(run.Dir)
	if err != nil || again.Meta.RunEnergy == nil || again.Meta.RunEnergy.Missing == "" {
		t.Fatalf("%v, %+v", err, again.Meta.RunEnergy)
	}
	if sum := bundle.Summarize(run.Dir); sum.Energy == nil || *sum.Energy != *again.Meta.RunEnergy {
		t.Errorf("the list has %+v", sum.Energy)
	}
}
