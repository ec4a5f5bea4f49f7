package uitest

import (
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/suite"
)

// KeptRun returns a run of two workloads, quantization and batching, on disk.
func KeptRun(t testing.TB) *bundle.Run {
	t.Helper()
	s, err := app.New(app.Config{
		Version: "test", RunsDir: t.TempDir(), Workloads: suite.All(),
		Engines: []app.Engine{{
			Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run, err := s.Runs().Do(t.Context(), app.Request{Quick: true, Jobs: []bundle.Job{
		job(t, "quantization", map[string]any{"weights": "normal", "rows": 32, "cols": 64, "formats": "f16"}),
		job(t, "batching", map[string]any{"sweep": "matmul", "min_size": 4, "max_size": 4}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// job returns a workload with its quick defaults, except for some parameters.
func job(t testing.TB, workload string, params map[string]any) bundle.Job {
	t.Helper()
	w, err := workloads.Find(suite.All(), workload)
	if err != nil {
		t.Fatal(err)
	}
	v := w.Defaults(true)
	for name, value := range params {
		v[name] = value
	}
	return bundle.Job{Workload: workload, Params: v}
}
