package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

// validated is an engine whose calls are checked.
type validated struct {
	gpu.Engine
	by string
}

func (v *validated) Validation() string { return v.by }
func (v *validated) Unwrap() gpu.Engine { return v.Engine }

// A run with validated calls says so wherever its times could be taken for real, and nothing uses them.
func TestValidatedRunIsNoTimingRun(t *testing.T) {
	s := sessionOn(t, &validated{gputest.NewFake(gputest.Script{}), "Test validation"})
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true, Validate: true})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil || loaded.Meta.Validation != "Test validation" || loaded.Meta.NotTiming() != "not a timing run: Test validation was on" || loaded.Meta.Caveat() == "" {
		t.Fatalf("%v: %+v", err, loaded.Meta)
	}
	for _, r := range loaded.Results {
		if !slices.ContainsFunc(r.Warnings, func(w workloads.Warning) bool { return w.Kind == workloads.Validated }) {
			t.Errorf("%s is not marked", r.Case)
		}
	}
	if len(loaded.Findings) > 0 {
		t.Errorf("concluded %+v", loaded.Findings)
	}
	if _, err := s.Library().SaveBaseline("b", run.Dir); !errors.Is(err, ErrNotTiming) {
		t.Errorf("as a baseline: %v", err)
	}
	if found, err := s.Library().Search(t.Context(), "timing Test"); err != nil || len(found) != 1 {
		t.Errorf("%v, %+v", err, found)
	}
	if best, err := s.Library().KernelBests(t.Context()); err != nil || len(best) > 0 {
		t.Errorf("%v: best rates %+v", err, best)
	}
	if pieces := s.Advisor().Advise(loaded); len(pieces) > 0 {
		t.Errorf("advises %+v", pieces)
	}
	if _, err := s.Tuner().Measure(t.Context(), TuneRequest{Workload: "batching", Params: small(t, s).Params, Moved: "min_size", Engine: "x"}); !errors.Is(err, ErrNotTiming) {
		t.Errorf("a timed point: %v", err)
	}
	if e := s.Engines().List()[0]; !e.Validates || e.Validation != "Test validation" {
		t.Errorf("%+v", e)
	}
}

func TestValidationIsRefused(t *testing.T) {
	for want, engine := range map[string]gpu.Engine{
		"engine fake has no validation layer": gputest.NewFake(gputest.Script{}),
		"is turned on when Assay starts":      &validated{gputest.NewFake(gputest.Script{}), ""},
	} {
		s := sessionOn(t, engine)
		run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true, Validate: true})
		if run != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v, %v", want, run, err)
		}
	}
}

// The program restarts with the missing variables, once.
func TestValidationStartsAgain(t *testing.T) {
	var started []string
	c := Config{Validation: []string{"ASSAY_TEST_LAYER=1", "ASSAY_TEST_SHADERS=1"}, Restart: func(variables ...string) error {
		started = variables
		return nil
	}}
	t.Setenv("ASSAY_TEST_LAYER", "1")
	if err := c.Validate(); err != nil || !slices.Equal(started, []string{"ASSAY_TEST_SHADERS=1"}) {
		t.Errorf("%v, %q", err, started)
	}
	t.Setenv("ASSAY_TEST_SHADERS", "1")
	started = nil
	if err := c.Validate(); err != nil || started != nil {
		t.Errorf("%v, %q", err, started)
	}
	t.Setenv("ASSAY_TEST_SHADERS", "")
	if c.Restart = nil; c.Validate() == nil {
		t.Error("without a restart")
	}
	if err := (&Config{}).Validate(); err != nil {
		t.Error(err)
	}
}
