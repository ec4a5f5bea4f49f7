package app

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/cpu"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/suite"
)

// hogs keeps other processes busy until the test ends.
func hogs(t *testing.T, n int) {
	t.Helper()
	for range n {
		hog := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHog$") // ends with the test
		hog.Env = append(os.Environ(), "ASSAY_HOG=1")
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = hog.Process.Kill(); _ = hog.Wait() })
	}
}

// TestHog is what a hog runs.
func TestHog(t *testing.T) {
	if os.Getenv("ASSAY_HOG") == "" {
		t.Skip("is the load of other tests")
	}
	for began := time.Now(); time.Since(began) < time.Minute; {
	}
}

// TestHogsLeaveNoConclusion runs on the CPU engine of this machine while three other processes keep it busy. It makes one run, or
// as many as ASSAY_HOG_RUNS says.
func TestHogsLeaveNoConclusion(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	runs, _ := strconv.Atoi(os.Getenv("ASSAY_HOG_RUNS"))
	s, err := New(Config{
		Engines:   []Engine{{Name: "cpu", Title: "CPU", Open: cpu.Open}},
		Workloads: suite.All(), RunsDir: t.TempDir(), Probe: func() Probe { return monitor.NewProbe() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	hogs(t, 3)
	request := Request{Engine: "cpu", Quick: true, Jobs: []bundle.Job{
		job(t, s, "batching", map[string]any{"sweep": "mlp", "max_batch": 4, "width": 128}),
	}}
	for range max(1, runs) {
		run, err := s.Runs().Do(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Results {
			if _, disturbed := run.Results[i].Disturbed(); !disturbed {
				t.Errorf("%s is not disturbed: others used %v of the CPU", run.Results[i].Case, run.Results[i].Number(workloads.OthersCPU))
			}
		}
		if len(run.Findings) == 0 {
			t.Error("it is not said that there is no conclusion")
		}
		for _, f := range run.Findings {
			if f.Kind != workloads.KindNone {
				t.Errorf("%s: %s", f.Kind, f.Text)
			}
		}
	}
}
