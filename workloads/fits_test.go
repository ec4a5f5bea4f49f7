package workloads_test

import (
	"testing"

	"assay/workloads"
)

func TestFits(t *testing.T) {
	ok, not := workloads.Result{ID: "1", Status: workloads.OK}, workloads.Result{ID: "2", Status: workloads.Unsupported}
	for _, tc := range []struct {
		fit    workloads.Fit
		want   string
		marked bool // its result
	}{
		{workloads.Fit{At: 3, Bytes: 3e9, Next: 4, Needs: 5e9, Result: &ok}, "A model: fits into 4.00 GB up to a batch of 3, which takes 3.00 GB; a batch of 4 exceeds the limit by 1.00 GB.", true},
		{workloads.Fit{At: 3, Bytes: 3e9, Result: &ok}, "A model: fits into 4.00 GB up to a batch of 3, the limit of this sweep, which takes 3.00 GB.", true},
		{workloads.Fit{Next: 1, Needs: 5e9, Result: &not}, "A model: does not fit into 4.00 GB: a batch of 1 exceeds that by 1.00 GB.", false},
		{
			workloads.Fit{At: 2, Bytes: 2e9, Next: 3, Needs: 3e9, By: "this machine’s memory", Result: &ok},
			"A model: this machine’s memory, not the budget of 4.00 GB, is the limit: a batch of 2, which takes 2.00 GB, was allocated; a batch of 3, which takes 3.00 GB, was refused.", true,
		},
		{
			workloads.Fit{At: 2, Bytes: 2e9, Next: 3, Needs: 3e9, By: "this machine’s memory", Result: &not},
			"A model: this machine’s memory, not the budget of 4.00 GB, is the limit: a batch of 2, which takes 2.00 GB, was allocated; a batch of 3, which takes 3.00 GB, was refused.", false,
		},
		{
			workloads.Fit{Next: 1, Needs: 1e9, By: "this machine’s memory", Result: &not},
			"A model: this machine’s memory, not the budget of 4.00 GB, is the limit: even a batch of 1, which takes 1.00 GB, was refused.", false,
		},
	} {
		tc.fit.Subject, tc.fit.Axis, tc.fit.Budget = workloads.Subject{Name: "A model"}, workloads.Axis{Name: "batch", Phrase: "a batch of %s"}, 4e9
		f := tc.fit.Finding()
		if f.Sentence() != tc.want || (f.Result != "") != tc.marked || len(f.Facts.Evidence) != 1 {
			t.Errorf("%s\nwant\n%s\nresult %q, evidence %v", f.Sentence(), tc.want, f.Result, f.Facts.Evidence)
		}
	}
}
