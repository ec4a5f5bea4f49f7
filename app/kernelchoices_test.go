package app

import (
	"fmt"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/workloads"
)

// run.json lists the kernels that results rest on, with why each was chosen if the workload left that open.
func TestRunRecordsChoicesOfKernels(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	jobs := []bundle.Job{
		small(t, s), job(t, s, "batching", map[string]any{"sweep": "matmul", "min_size": 4, "max_size": 8}),
	}
	run, err := s.Runs().Do(t.Context(), Request{Jobs: jobs, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil || len(loaded.Meta.Kernels) == 0 {
		t.Fatalf("%v, kernels %+v", err, loaded.Meta.Kernels)
	}
	reasons, counted := 0, map[string]int{}
	for _, k := range loaded.Meta.Kernels {
		counted[k.Workload] += k.Results
		if k.Kernel == "" || k.Results == 0 {
			t.Errorf("%+v", k)
		}
		if k.Why != "" {
			reasons++
		}
	}
	for _, j := range jobs {
		if counted[j.Workload] == 0 {
			t.Errorf("no kernel of %s", j.Workload)
		}
	}
	if reasons == 0 {
		t.Errorf("no choice has a reason: %+v", loaded.Meta.Kernels)
	}
}

func TestChoicesAreBounded(t *testing.T) {
	var c choices
	for i := range maxChoices + 7 {
		for range 2 {
			c.add("tuning", []workloads.KernelChoice{{Kernel: fmt.Sprint("k", i), Why: strings.Repeat("x", 3)}})
		}
	}
	var m bundle.Meta
	if c.record(&m); len(m.Kernels) != maxChoices || m.KernelsOmitted != 7 || m.Kernels[0].Results != 2 || m.Kernels[0].Kernel != "k0" {
		t.Errorf("%d kernels, %d omitted, %+v", len(m.Kernels), m.KernelsOmitted, m.Kernels[0])
	}
}
