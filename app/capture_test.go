package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/suite"
)

// metalLike captures and keeps a log of compiles, as only some engines do.
type metalLike struct {
	gpu.Engine
	started, stopped []string
	refuse           error
	log              []gpu.Compile
}

func (m *metalLike) Capturable() error { return m.refuse }

func (m *metalLike) Capture(path string) (func() error, error) {
	if m.refuse != nil {
		return nil, m.refuse
	}
	m.started = append(m.started, path)
	return func() error { m.stopped = append(m.stopped, path); return nil }, nil
}

func (m *metalLike) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	m.log = append(m.log, gpu.Compile{Kernel: k.Name, Seconds: 0.25, Warm: len(m.log) > 0, Damaged: len(m.log) == 0})
	return m.Engine.Kernel(k)
}

func (m *metalLike) Compiles() []gpu.Compile { return m.log }

func sessionOn(t *testing.T, engine gpu.Engine) *Session {
	t.Helper()
	s, err := New(Config{
		Engines:   []Engine{{Name: "x", Title: "X", Open: func() (gpu.Engine, error) { return engine, nil }}},
		Workloads: suite.All(), RunsDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestCapture(t *testing.T) {
	engine := &metalLike{Engine: gputest.NewFake(gputest.Script{})}
	s := sessionOn(t, engine)
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true, Capture: "a.gputrace"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.gputrace"}; !slices.Equal(engine.started, want) || !slices.Equal(engine.stopped, want) {
		t.Errorf("captures started %q, stopped %q", engine.started, engine.stopped)
	}
	for _, r := range run.Results {
		if !slices.Contains(r.Warnings, workloads.Warning{Kind: workloads.Captured, Text: capturedWarning}) {
			t.Errorf("%s of a captured run has warnings %q", r.Case, r.Warnings)
		}
	}
	if text := noteOf(run, "Pipelines"); !strings.HasPrefix(text, "1 compiled in 250ms; from the cache on disk: 2 compiled in 500ms") {
		t.Errorf("the note on pipelines is %q", text)
	}
	if text := noteOf(run, CacheDamagedTitle); text != "1 kernel in the cache on disk did not match the checksum: compiled again" {
		t.Errorf("the note on the damaged cache is %q", text)
	}
	if noteOf(run, "Capture") == "" {
		t.Error("no note on the capture")
	}
	if e := s.Engines().List()[0]; !e.Captures || e.NoCapture != "" {
		t.Errorf("the engine is listed as %+v", e)
	}
	if run.Meta.NotTiming() == "" || len(run.Findings) > 0 {
		t.Errorf("a captured run is a timing run: %+v", run.Findings)
	}
	if _, err := s.Library().SaveBaseline("b", run.Dir); !errors.Is(err, ErrNotTiming) {
		t.Errorf("as a baseline: %v", err)
	}
}

// noteOf is the text of a run's note, empty if there is none.
func noteOf(r *bundle.Run, title string) string {
	i := slices.IndexFunc(r.Events, func(e bundle.Event) bool { return e.Kind == "note" && e.Title == title })
	if i < 0 {
		return ""
	}
	return r.Events[i].Text
}

func TestCaptureRefused(t *testing.T) {
	s := sessionOn(t, gputest.NewFake(gputest.Script{}))
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Capture: "a.gputrace"})
	if run != nil || err == nil || !strings.Contains(err.Error(), "engine fake cannot capture") {
		t.Errorf("an engine without captures: run %v, error %v", run, err)
	}
	refuse := errors.New("MTL_CAPTURE_ENABLED is not set")
	s = sessionOn(t, &metalLike{Engine: gputest.NewFake(gputest.Script{}), refuse: refuse})
	run, err = s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Capture: "a.gputrace"})
	if !errors.Is(err, refuse) || run == nil || run.Meta.State != bundle.Failed {
		t.Errorf("a capture that cannot start: run %v, error %v", run, err)
	}
}
