package uitest

import (
	"regexp"
	"slices"
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/suite"
)

// small are parameters that make a workload fast and produce every kind of result in the fixtures.
var small = map[string]map[string]any{
	"batching": {"sweep": "both", "min_size": 4, "max_size": 4, "min_batch": 1, "max_batch": 1, "width": 8, "layers": 1},
	"fusion":   {"pattern": "all", "min_size": 8, "max_size": 8, "min_elements": 64, "max_elements": 64},
	"quantization": {
		"weights": "normal", "rows": 8, "cols": 512, "formats": "all", "scales": "all", "min_block": 32, "max_block": 128,
	},
}

// The fixtures use the product's names of cases, variants and settings, except for the numbers in them.
func TestFixturesSpeakAsTheProduct(t *testing.T) {
	for workload, params := range small {
		t.Run(workload, func(t *testing.T) {
			real := map[string][]string{}
			for _, r := range results(t, job(t, workload, params)) {
				real[shape(&r)] = settings(&r)
			}
			for _, r := range Results(workload) {
				want, ok := real[shape(&r)]
				if got := settings(&r); !ok || !slices.Equal(got, want) {
					t.Errorf("%s with %q is not what a run makes: %q, among %q", shape(&r), got, want, real)
				}
			}
		})
	}
}

// results returns the results of a run on an engine without a device.
func results(t *testing.T, j bundle.Job) []workloads.Result {
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
	run, err := s.Runs().Do(t.Context(), app.Request{Quick: true, Jobs: []bundle.Job{j}})
	if err != nil {
		t.Fatal(err)
	}
	return run.Results
}

var digits = regexp.MustCompile(`[0-9]+(×[0-9]+)?$`)

// shape returns the case and the variant of a result without the sizes in the names; "f32" and "int8" keep theirs.
func shape(r *workloads.Result) string {
	return digits.ReplaceAllString(r.Case, "N") + ", " + regexp.MustCompile(`block [0-9]+`).ReplaceAllString(r.Variant, "block N")
}

// settings returns the names of a result's settings that someone chose: what the measurement finds depends on the device.
func settings(r *workloads.Result) (names []string) {
	w, err := workloads.Find(suite.All(), r.Workload)
	if err != nil {
		return nil
	}
	for _, s := range r.Settings {
		if !w.Axis(s.Name).Measured {
			names = append(names, s.Name)
		}
	}
	return names
}
