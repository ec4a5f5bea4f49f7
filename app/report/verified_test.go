package report

import (
	"testing"

	"assay/workloads"
)

// What is said of all results holds for each of them.
func TestVerified(t *testing.T) {
	compared := workloads.Result{Status: workloads.OK}
	compared.Values.SetNumber(workloads.ErrorMax, 0)
	host, missing := workloads.Result{Status: workloads.OK}, workloads.Result{Status: workloads.Unsupported}
	for want, results := range map[string][]workloads.Result{
		"Nothing was measured":                                {missing},
		"The one result is verified":                          {compared},
		"All 2 results are verified":                          {compared, compared},
		"1 of 2 results are verified, the others say why not": {compared, missing},
		"What was measured has no outputs to verify":          {host, host},
	} {
		if got := Verified(results); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Verified(nil); got != "Nothing was measured" {
		t.Errorf("of no results: %q", got)
	}
}
