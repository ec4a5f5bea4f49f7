package cli

import (
	"slices"
	"testing"

	"assay/app/bundle"
	"assay/workloads/suite"
)

// Settings that other values make useless are reported, unless another workload of the run uses them.
func TestUnusedSets(t *testing.T) {
	all := suite.All()
	jobs := func(sets []string, names ...string) []bundle.Job {
		c := &command{}
		c.config.Workloads = all
		list, err := c.jobs(names, runFlags{set: sets})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, c := range []struct {
		names, sets, want []string
	}{
		{[]string{"batching"}, []string{"sweep=matmul", "width=64", "max_size=128"}, []string{"--set width=64 has no effect: not used while Sweep is matmul."}},
		{[]string{"published"}, []string{"tables=products"}, nil},
		{[]string{"published"}, []string{"tables=all", "item=swiglu"}, []string{"--set tables=all has no effect: not used while swiglu alone is measured."}},
		{[]string{"batching"}, []string{"sweep=mlp", "width=64"}, nil},
		{[]string{"batching", "fusion"}, []string{"batching.sweep=matmul", "batching.width=64"}, []string{"--set batching.width=64 has no effect: not used while Sweep is matmul."}},
	} {
		if got := unusedSets(c.sets, all, jobs(c.sets, c.names...)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.sets, got, c.want)
		}
	}
}
