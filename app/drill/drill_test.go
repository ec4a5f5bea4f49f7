package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/inject"
	"assay/shaders"
	"assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// products is a workload of three cases.
func products() workloads.Workload {
	return workloads.Workload{
		Name: "products", Title: "Products", Group: "Tests",
		Run: func(ctx context.Context, env *workloads.Env, _ workloads.Values) error {
			var cases []bench.Case
			for _, side := range []uint32{8, 16, 24} {
				p := gemm.MatmulParams{M: side, N: side, K: side, Batch: 1}
				cases = append(cases, bench.Case{Name: fmt.Sprint("side ", side), Build: func(s *bench.Scope) ([]bench.Variant, error) {
					launches, err := s.Chain([]bench.Step{{
						Pick: shaders.Pick{Op: "matmul"}, Params: p, Args: []string{"a", "b", bench.None, "out"},
					}}, bench.Buffers{})
					return []bench.Variant{{Name: "product", Work: s.Launches(launches), Items: 1}}, err
				}})
			}
			return bench.New(env).MeasureAll(ctx, cases)
		},
	}
}

// setup runs on the fake engine, which is opened as often as it is asked for.
func setup() Setup {
	open := func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{Kind: "cpu"}), nil }
	return Setup{
		Config: app.Config{
			Version: "test", SelfTest: true, Workloads: []workloads.Workload{products()}, Engines: []app.Engine{{Name: "cpu", Title: "CPU", Open: open}},
		},
		Engine: "cpu", Workload: "products",
	}
}

// Every drill that needs no other process passes on a healthy engine.
func TestDrillsPass(t *testing.T) {
	for _, d := range All() {
		if d.Name == "killed" || d.Name == "file-limit" {
			continue // their runs are separate processes: see TestProcesses
		}
		t.Run(d.Name, func(t *testing.T) {
			if o := d.Run(t.Context(), setup()); !o.Pass || o.Saw == "" {
				t.Errorf("%+v", o)
			}
		})
	}
}

// A fault that does not occur, or that nothing reports, fails the drill.
func TestDrillsCanFail(t *testing.T) {
	never := engine("never", "", workloads.TimedOut, &inject.Plan{Fault: inject.Hung, At: 1 << 30})
	if o := never.Run(t.Context(), setup()); o.Pass || !strings.Contains(o.Saw, "before the fault") {
		t.Errorf("a fault that does not come: %+v", o)
	}
	otherwise := engine("otherwise", "", workloads.DiskFull, &inject.Plan{Fault: inject.Failed, At: 5})
	if o := otherwise.Run(t.Context(), setup()); o.Pass || !strings.Contains(o.Saw, "nothing reports the fault") {
		t.Errorf("a fault told as another: %+v", o)
	}
	broken := setup()
	broken.Config.Engines[0].Open = func() (gpu.Engine, error) { return nil, errors.New("no device") }
	if o := never.Run(t.Context(), broken); o.Pass || !strings.Contains(o.Saw, "no device") {
		t.Errorf("an engine that does not open: %+v", o)
	}
}

// A process that ends before it has a result is noticed at once, with its last message.
func TestKilledProcessThatEnds(t *testing.T) {
	s := setup()
	s.Program = program(t, `echo "assay: engine cuda is not available: no driver" >&2; exit 1`)
	o := Drill{"killed", "", killed}.Run(t.Context(), s)
	if o.Pass || o.Took > 20*time.Second || o.Saw != "the run ended before it was killed: assay: engine cuda is not available: no driver" {
		t.Errorf("%+v", o)
	}
}

// An engine that is not available is reported once, before any drill.
func TestCheckOpensTheEngine(t *testing.T) {
	s := setup()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	s.Config.Engines[0].Open = func() (gpu.Engine, error) { return nil, errors.New("no driver") }
	if err := s.Check(); err == nil || err.Error() != "engine cpu is not available: no driver" {
		t.Error(err)
	}
}

// program is a script that stands in for Assay.
func program(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "assay")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProcesses(t *testing.T) {
	drills := map[string]Drill{}
	for _, d := range All() {
		drills[d.Name] = d
	}
	for _, c := range []struct{ drill, program, saw string }{
		{"killed", "exit 0", "ended before it was killed"},
		{"killed", "exit 1", "ended before it was killed"},
		{"file-limit", "exit 0", "want an error of its own"},
		{"file-limit", "echo something else >&2; exit 1", "does not say that files cannot grow"},
		{"file-limit", "echo limit on file sizes >&2; exit 1", "0 runs in the folder"},
	} {
		s := setup()
		s.Program = program(t, c.program)
		if c.drill == "killed" { // it waits for a result, which is complete by the time the program ends
			s.Program = program(t, `for dir; do :; done; run=`+finished(t)+`
				(sleep 0.2; mkdir -p "$dir"; cp -r "$run" "$dir/.new"; mv "$dir/.new" "$dir/${run##*/}") >/dev/null 2>&1 &
				`+c.program)
		}
		if o := drills[c.drill].Run(t.Context(), s); o.Pass || !strings.Contains(o.Saw, c.saw) {
			t.Errorf("%s with %q: %+v, want %q", c.drill, c.program, o, c.saw)
		}
	}
}

// finished is the folder of a finished run.
func finished(t *testing.T) string {
	t.Helper()
	s := setup()
	s.Config.RunsDir = t.TempDir()
	session, err := app.New(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // of a fake
	request, err := (&stage{Setup: s}).request()
	if err != nil {
		t.Fatal(err)
	}
	run, err := session.Runs().Do(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Load(run.Dir); err != nil {
		t.Fatal(err)
	}
	return run.Dir
}
