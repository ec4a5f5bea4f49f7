package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/report"
	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/internal/race"
	"assay/workloads"
	"assay/workloads/suite"
)

// tuning asks for a point of the batching workload at a tiny size.
func tuning(t *testing.T, s *Session, size int) TuneRequest {
	t.Helper()
	j := job(t, s, "batching", map[string]any{"min_size": 1, "max_size": size})
	return TuneRequest{Workload: j.Workload, Params: j.Params, Moved: "max_size"}
}

func TestTuneMeasuresOneCase(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	results, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8))
	if err != nil || len(results) == 0 {
		t.Fatalf("%d results, error %v", len(results), err)
	}
	for _, r := range results {
		if r.Case != "matmul 8" || r.Status != workloads.OK || len(r.Samples) == 0 || !(r.Time().Median > 0) {
			t.Errorf("%s %s: status %s %q, %d samples", r.Case, r.Variant, r.Status, r.Failure.Text, len(r.Samples))
		}
		if len(r.Warnings) == 0 || !strings.HasPrefix(r.Warnings[0].Text, "short measurement") {
			t.Errorf("warnings %q do not say that it is a short measurement", r.Warnings)
		}
	}
	kept := s.Tuner().Points("batching")
	if len(kept) != 1 || kept[0].Place != "max_size" || kept[0].Took <= 0 || kept[0].Case.Int("min_size") != 8 {
		t.Errorf("kept %+v", kept)
	}
	if n := rec.count(func(u Update) bool { tu, ok := u.(TuneUpdate); return ok && tu.Err == nil && len(tu.Point.Results) > 0 }); n != 1 {
		t.Errorf("%d updates, want 1", n)
	}
	if n := rec.count(func(u Update) bool { _, ok := u.(ResultUpdate); return ok }); n != 0 {
		t.Errorf("%d results of a run that is none", n)
	}
}

// StartTune reports its point.
func TestStartTune(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	if err := s.Tuner().Start(tuning(t, s, 8)); err != nil {
		t.Fatal(err)
	}
	for rec.count(func(u Update) bool { tu, ok := u.(TuneUpdate); return ok && tu.Err == nil && tu.Point.Took > 0 }) == 0 {
		time.Sleep(time.Millisecond)
	}
	if len(s.Tuner().Points("batching")) != 1 {
		t.Error("the point is not kept")
	}
}

func TestTuneRefuses(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	good := tuning(t, s, 8)
	for _, tc := range []struct {
		name   string
		change func(r *TuneRequest)
		words  string
	}{
		{"workload", func(r *TuneRequest) { r.Workload = "x" }, `no workload "x"`},
		{"parameter", func(r *TuneRequest) { r.Moved = "x" }, `no parameter "x"`},
		{"no point", func(r *TuneRequest) { r.Moved = "knee" }, "whole run"},
		{"values", func(r *TuneRequest) { r.Params = workloads.Values{"max_size": -1} }, "max_size must be"},
	} {
		r := good
		tc.change(&r)
		if err := s.Tuner().Start(r); err == nil || !strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s: %v, want an error that says %q", tc.name, err, tc.words)
		}
		if _, err := s.Tuner().Measure(t.Context(), r); err == nil || !strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s: %v, want an error that says %q", tc.name, err, tc.words)
		}
	}
	bad := good
	bad.Engine = "missing"
	if _, err := s.Tuner().Measure(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "never built") {
		t.Errorf("an engine that does not open: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Tuner().Measure(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context's end: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tuner().Measure(t.Context(), good); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after the session's end: %v", err)
	}
}

// Each new setting replaces the previous one; the last is measured.
func TestNewerTuningSupersedes(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	ends := make(chan error, 8)
	for i := range cap(ends) {
		r := tuning(t, s, 8+i) // small: the fake computes each sample in full
		go func() {
			_, err := s.Tuner().Measure(t.Context(), r)
			ends <- err
		}()
		time.Sleep(2 * time.Millisecond)
	}
	done, superseded := 0, 0
	for range cap(ends) {
		switch err := <-ends; {
		case err == nil:
			done++
		case errors.Is(err, ErrSuperseded):
			superseded++
		default:
			t.Error(err)
		}
	}
	if done != 1 || superseded != cap(ends)-1 {
		t.Errorf("%d done and %d superseded, want 1 and %d", done, superseded, cap(ends)-1)
	}
	if n := rec.count(func(u Update) bool { _, ok := u.(TuneUpdate); return ok }); n != 1 {
		t.Errorf("%d updates, want that of the last only", n)
	}
}

// A run ends a tuning and does not share the engine with it; no tuning starts during a run.
func TestRunEndsTuning(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	ended := make(chan error, 1)
	r := tuning(t, s, 12)
	go func() {
		_, err := s.Tuner().Measure(t.Context(), r)
		ended <- err
	}()
	for !measuring(s) {
		time.Sleep(time.Millisecond)
	}
	var during error
	defer s.Subscribe(func(u Update) {
		if _, ok := u.(ProgressUpdate); ok && during == nil {
			during = s.Tuner().Start(r)
		}
	})()
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil || !run.OK() {
		t.Fatalf("run: %v, events %+v", err, run.Events)
	}
	if err := <-ended; !errors.Is(err, ErrBusy) {
		t.Errorf("the tuning ended with %v, want ErrBusy", err)
	}
	if !errors.Is(during, ErrBusy) {
		t.Errorf("a tuning while the run goes on: %v, want ErrBusy", during)
	}
	if _, err := s.Tuner().Measure(t.Context(), r); err != nil {
		t.Errorf("a tuning after the run: %v", err)
	}
}

func measuring(s *Session) bool { return s.device.usedFor(UseTuning) }

func TestStopTuningGivesBack(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8)); err != nil {
		t.Fatal(err)
	}
	engine, _ := s.engines.current()
	if engine.Memory().Buffers == 0 {
		t.Error("nothing lies ready for the next tuning")
	}
	s.Tuner().Stop()
	if n := engine.Memory().Buffers; n != 0 {
		t.Errorf("%d buffers are live after StopTuning", n)
	}
	if len(s.Tuner().Points("batching")) != 1 {
		t.Error("StopTuning forgot the points")
	}
}

// Hung work only fails its own tuning.
func TestTuningSurvivesAHang(t *testing.T) {
	s, _ := session(t, gputest.Script{Steps: []gputest.Step{{}, {Hang: true}}})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Tuner().Measure(ctx, tuning(t, s, 8)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the end of the context", err)
	}
	if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8)); err != nil {
		t.Errorf("the next tuning: %v", err)
	}
}

// A lost device is dropped, and the next tuning reopens it.
func TestTuningSurvivesALostDevice(t *testing.T) {
	s, err := New(Config{
		Workloads: suite.All(), RunsDir: t.TempDir(),
		Engines: []Engine{{Name: "fake", Open: func() func() (gpu.Engine, error) {
			scripts := []gputest.Script{{Steps: []gputest.Step{{}, {Err: gpu.ErrDeviceLost}}}, {}}
			return func() (gpu.Engine, error) {
				script := scripts[0]
				scripts = scripts[1:]
				return gputest.NewFake(script), nil
			}
		}()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8)); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("error %v, want the loss of the device", err)
	}
	if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8)); err != nil {
		t.Errorf("the next tuning: %v", err)
	}
}

func TestTunedPointsAreKeptAndBounded(t *testing.T) {
	var ps points
	for i := range maxTuned + 10 {
		ps.add(Tuned{Workload: "w", Case: workloads.Values{"n": i}})
	}
	if n := len(ps["w"]); n != maxTuned || ps["w"][0].Case["n"] != 10 {
		t.Errorf("%d points from %v on, want %d from 10 on", n, ps["w"][0].Case["n"], maxTuned)
	}
	again := Tuned{Workload: "w", Case: workloads.Values{"n": 50}, Moved: "again"}
	ps.add(again)
	if n := len(ps["w"]); n != maxTuned || ps["w"][n-1].Moved != "again" {
		t.Errorf("%d points, the last moved by %q", n, ps["w"][n-1].Moved)
	}
	again.Curve = "another"
	ps.add(again)
	if ps["w"][maxTuned-2].Moved != "again" {
		t.Error("a point of another curve took the place of one")
	}
}

func TestSaveTuning(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	if _, err := s.Tuner().Save("batching"); err == nil || !strings.Contains(err.Error(), "no point of batching") {
		t.Errorf("nothing to save: %v", err)
	}
	for _, size := range []int{8, 4, 8} {
		if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, size)); err != nil {
			t.Fatal(err)
		}
	}
	wide := tuning(t, s, 8)
	wide.Params["layers"] = 2 // another curve
	wide.Params["max_batch"], wide.Params["width"], wide.Moved = 2, 8, "max_batch"
	if _, err := s.Tuner().Measure(t.Context(), wide); err != nil {
		t.Fatal(err)
	}
	old := s.Tuner().Clear("batching")
	if len(old) != 3 || len(s.Tuner().Points("batching")) != 0 || len(Points(old)) < 3 {
		t.Fatalf("cleared %d points, %d left", len(old), len(s.Tuner().Points("batching")))
	}
	s.Tuner().Keep(old)
	runs, err := s.Tuner().Save("batching")
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d bundles, error %v; want one for each curve", len(runs), err)
	}
	loaded, err := bundle.Load(runs[0].Dir)
	if err != nil {
		t.Fatal(err)
	}
	var cases []string
	for _, r := range loaded.Results {
		if r.Variant == "f32" {
			cases = append(cases, r.Case)
		}
	}
	if got := fmt.Sprint(cases); got != "[matmul 4 matmul 8]" || loaded.Meta.State != bundle.Finished {
		t.Errorf("the bundle holds %s, state %s", got, loaded.Meta.State)
	}
	if len(loaded.Events) == 0 || loaded.Events[0].Kind != "tuning" || !strings.Contains(loaded.Events[0].Text, "live tuning, not from a run: 2 settings") {
		t.Errorf("events %+v", loaded.Events)
	}
	tunedMarks(t, s, loaded)
	if n := rec.count(func(u Update) bool { _, ok := u.(SavedUpdate); return ok }); n != 2 || len(s.Tuner().Points("batching")) != 0 {
		t.Errorf("%d updates, %d points left", n, len(s.Tuner().Points("batching")))
	}
}

// tunedMarks checks that everything made from a bundle of tuned points labels them as such.
func tunedMarks(t *testing.T, s *Session, run *bundle.Run) {
	t.Helper()
	dir := t.TempDir()
	marks := map[string]string{
		"csv": "short measurement", "json": `"live_tuning": true`, "html": "live tuning: short measurements",
		"bench": "measurement: live tuning", "columns": "Live tuning: ", "perfetto": "live tuning: short measurements",
	}
	for _, format := range report.Formats() {
		path := filepath.Join(dir, "export."+format.Extension)
		if err := format.File(t.Context(), run, s.Workloads(), path); err != nil {
			t.Fatal(err)
		}
		words := marks[format.Name]
		if text, err := os.ReadFile(path); err != nil || words == "" || !strings.Contains(string(text), words) {
			t.Errorf("the export as %s does not say %q: %v", format.Name, words, err)
		}
	}
	if text := report.Markdown(run, report.Columns(&run.Meta, s.Workloads())[:1], []int{0}); !strings.Contains(text, "Live tuning: ") {
		t.Errorf("Markdown %q", text)
	}
	whole := *run
	whole.Meta.Tuning = false
	if told := strings.Join(report.Compare(&whole, run, s.Workloads()).Differences, " "); !strings.Contains(told, "Live tuning: yes (baseline: no).") {
		t.Errorf("the comparison says %q", told)
	}
	runs, err := s.Library().Search(t.Context(), "live tuning batching")
	if err != nil || len(runs) == 0 || !runs[0].Tuning {
		t.Errorf("the library finds %+v, %v", runs, err)
	}
	for _, c := range report.NewReplay(run).Cases {
		if c.Guessed || c.To < c.From || c.To > c.From+60 {
			t.Errorf("replayed case %+v", c)
		}
	}
}

func TestSaveTuningThatFailsKeepsThePoints(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8)); err != nil {
		t.Fatal(err)
	}
	s.config.RunsDir = "/dev/null/runs"
	if _, err := s.Tuner().Save("batching"); err == nil || len(s.Tuner().Points("batching")) != 1 {
		t.Errorf("error %v, %d points left", err, len(s.Tuner().Points("batching")))
	}
}

// cpuSession is a session on the CPU engine.
func cpuSession(tb testing.TB) *Session {
	tb.Helper()
	s, err := New(Config{
		Engines:   []Engine{{Name: "cpu", Title: "CPU", Open: func() (gpu.Engine, error) { return cpu.Open() }}},
		Workloads: suite.All(), RunsDir: tb.TempDir(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Some parameters of each workload stand for all, which are measured in the same way; suite tests move each of them on a test
// engine.
func TestTuneOnTheCPU(t *testing.T) {
	s := cpuSession(t)
	onGPU := []string{"compile", "tiles"} // this engine has its kernels built in, without threadgroups
	for i, w := range s.Workloads() {
		if !w.Tunable() || slices.Contains(onGPU, w.Name) {
			continue
		}
		if race.On && i%4 > 0 { // the others cover how goroutines meet
			continue
		}
		v := w.Defaults(true)
		for name, value := range map[string]any{"max_size": 256, "max_elements": 10_000, "rows": 256, "cols": 256} {
			if was, ok := v[name]; ok && was != 0 { // 0: it is off
				v[name] = value
			}
		}
		moved, most := 0, 2
		if race.On {
			most = 1
		}
		for _, p := range w.Params {
			if _, _, err := w.Narrow(v, p.Name, ""); err != nil || moved == most {
				continue
			}
			moved++
			results, err := s.Tuner().Measure(t.Context(), TuneRequest{Workload: w.Name, Params: v, Moved: p.Name})
			if err != nil || len(results) == 0 {
				t.Fatalf("%s, %s: %d results, error %v", w.Name, p.Name, len(results), err)
			}
			measured := 0
			for _, r := range results {
				if r.Status == workloads.Unsupported && r.Failure.Text != "" {
					continue // an option that this engine does not have, such as a concurrent encoder
				}
				measured++
				if r.Status != workloads.OK || len(r.Samples) == 0 || r.Case != results[0].Case {
					t.Errorf("%s, %s: %s %s is %s %q with %d samples", w.Name, p.Name, r.Case, r.Variant, r.Status, r.Failure.Text, len(r.Samples))
				}
			}
			if measured == 0 {
				t.Errorf("%s, %s: nothing is measured", w.Name, p.Name)
			}
		}
		if len(s.Tuner().Points(w.Name)) == 0 {
			t.Errorf("%s: no point is kept", w.Name)
		}
	}
}

// Two settings are measured alternately; the ratio has an interval. No point is kept from it.
func TestCompareTwoSettings(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	probing(s, quietLapNow)
	point := func(size int) Tuned {
		if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, size)); err != nil {
			t.Fatal(err)
		}
		kept := s.Tuner().Points("batching")
		return kept[len(kept)-1]
	}
	r := ABRequest{A: point(8), B: point(16)}
	if err := s.Tuner().Compare(r); err != nil {
		t.Fatal(err)
	}
	last := lastRound(t, rec)
	if last.Disturbed != 0 || last.Rounds != abRounds || last.Speedup.N != abRounds || !(last.Speedup.Median > 0) {
		t.Errorf("after the end %+v", last)
	}
	if n := rec.count(func(u Update) bool { _, ok := u.(ABUpdate); return ok }); n != abRounds {
		t.Errorf("%d updates, want one a round", n)
	}
	if n := len(s.Tuner().Points("batching")); n != 2 {
		t.Errorf("%d points are kept, want the two that were there", n)
	}
	r.B.Workload = "fusion"
	if err := s.Tuner().Compare(r); err == nil {
		t.Error("two workloads are compared")
	}
}

// lastRound waits for the end of an A/B comparison.
func lastRound(t *testing.T, rec *recorder) ABUpdate {
	t.Helper()
	var last ABUpdate
	for !last.Done {
		rec.count(func(u Update) bool {
			if ab, ok := u.(ABUpdate); ok {
				last = ab
			}
			return false
		})
		if last.Err != nil {
			t.Fatal(last.Err)
		}
		time.Sleep(time.Millisecond)
	}
	return last
}

// Rounds measured while other programs used the machine do not count; after as many as the comparison needs, there is no
// conclusion.
func TestCompareTwoSettingsOnABusyMachine(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	probing(s, busyLapNow)
	if _, err := s.Tuner().Measure(t.Context(), tuning(t, s, 8)); err != nil {
		t.Fatal(err)
	}
	point := s.Tuner().Points("batching")[0]
	if err := s.Tuner().Compare(ABRequest{A: point, B: point}); err != nil {
		t.Fatal(err)
	}
	if last := lastRound(t, rec); last.Disturbed != abRounds || last.Rounds != 0 {
		t.Errorf("%d rounds disturbed, %d counted", last.Disturbed, last.Rounds)
	}
}
