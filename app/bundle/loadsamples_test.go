package bundle

import (
	"testing"

	"assay/app/internal/runstest"
	"assay/workloads"
)

// A window of a series that kept only some of its samples has lost none.
func TestKeptSamplesAreNotLost(t *testing.T) {
	w := runstest.Workload()
	w.Metrics = append(w.Metrics, workloads.Metrics()[0])
	w.Metrics[len(w.Metrics)-1].Name = workloads.SamplesKept
	for kept, lost := range map[int]bool{5: false, 4: true} {
		b, err := Create(t.TempDir(), plainMeta0(), []workloads.Workload{w})
		runstest.Check(t, err)
		was := runstest.Verified(64, 12)
		was.Samples = was.Samples[:kept]
		was.Values.SetNumber(workloads.SamplesKept, 5)
		runstest.Check(t, b.Results(was))
		runstest.Check(t, b.Finish(Finished, nil))
		run, err := Load(b.Dir())
		runstest.Check(t, err)
		r := &run.Results[0]
		if got := len(r.Warnings) > len(was.Warnings); got != lost || len(r.Samples) != kept {
			t.Errorf("%d samples of 5 kept: warnings %v", len(r.Samples), r.Warnings)
		}
	}
}
