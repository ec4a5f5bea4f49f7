package app

import (
	"os"
	"slices"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
)

// testedRun is a small run of a session that tests its devices, and what the run's file says of the test.
func testedRun(t *testing.T, s *Session) (*bundle.Run, *bundle.SelfTest) {
	t.Helper()
	run, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Quick: true, Jobs: []bundle.Job{small(t, s)}})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil || loaded.Meta.SelfTest == nil {
		t.Fatalf("%v, %+v", err, loaded.Meta)
	}
	return run, loaded.Meta.SelfTest
}

func TestFirstRunTestsTheDevice(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	s.config.SelfTest = true
	_, first := testedRun(t, s)
	if len(first.Failed()) > 0 || first.Passed() < 5 || first.Device == "" || first.Build == "" || first.Done.IsZero() {
		t.Errorf("%+v", first)
	}
	engine, _ := s.engines.current()
	kept := s.KeptSelfTest(engine.Info())
	if kept == nil || !kept.Done.Equal(first.Done) {
		t.Fatalf("kept: %+v", kept)
	}
	fake, _ := gpu.As[*gputest.Fake](engine)
	before := fake.Submissions()
	if again, err := s.selfTest(t.Context(), engine); err != nil || !again.Done.Equal(first.Done) {
		t.Errorf("tested again: %+v, %v", again, err)
	}
	if after := fake.Submissions(); after != before {
		t.Errorf("%d submissions, was %d", after, before)
	}
	asked, err := s.Engines().SelfTest(t.Context(), "fake")
	if err != nil || asked.Done.IsZero() || fake.Submissions() == before {
		t.Errorf("asked for, and not repeated: %+v, %v", asked, err)
	}
	s.config.Version = "another"
	if s.KeptSelfTest(engine.Info()) != nil {
		t.Error("the test of another build counts")
	}
}

// A damaged file of self-tests is reported, kept aside, and made again.
func TestDamagedSelfTests(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	s.config.SelfTest = true
	_, first := testedRun(t, s)
	file := s.selfTestsFile()
	if err := os.Truncate(file.Path, 40); err != nil {
		t.Fatal(err)
	}
	run, second := testedRun(t, s)
	if second.Done.IsZero() || len(second.Failed()) > 0 || second.Passed() != first.Passed() {
		t.Errorf("%+v", second)
	}
	told := func(e bundle.Event) bool {
		return e.Title == "Self-test" && strings.Contains(e.Text, "done again: earlier ones cannot be read")
	}
	if !slices.ContainsFunc(run.Events, told) {
		t.Error("no event")
	}
	if aside, err := os.ReadFile(file.Path + ".damaged"); err != nil || len(aside) != 40 {
		t.Errorf("kept aside: %q, %v", aside, err)
	}
	engine, _ := s.engines.current()
	if s.KeptSelfTest(engine.Info()) == nil {
		t.Error("not kept")
	}
}

// A failure is reported prominently, kept in run.json, and retried.
func TestDeviceThatFailsItsTest(t *testing.T) {
	s, rec := session(t, gputest.Script{Steps: []gputest.Step{{Wrong: true}}, Repeat: true})
	s.config.SelfTest = true
	run, test := testedRun(t, s)
	if len(test.Failed()) < 3 || test.Failed()[0].Why == "" {
		t.Errorf("%+v", test)
	}
	if rec.count(func(u Update) bool {
		a, ok := u.(AlertUpdate)
		return ok && a.Alert.ID == selfTestAlert && a.Alert.Active()
	}) != 1 {
		t.Error("no alert")
	}
	told := false
	for _, e := range run.Events {
		told = told || e.Kind == bundle.ErrorSeen && e.Title == "Self-test failed"
	}
	if !told {
		t.Error("no event")
	}
	engine, _ := s.engines.current()
	if state := s.Engines().List(); !slices.ContainsFunc(state, func(e EngineState) bool { return strings.Contains(e.SelfTest.String(), "failed") }) || s.KeptSelfTest(engine.Info()) == nil {
		t.Errorf("%+v", state)
	}
	if again, err := s.selfTest(t.Context(), engine); err != nil || again == nil || len(again.Failed()) == 0 {
		t.Errorf("%+v, %v", again, err)
	}
}
