package cli

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

func TestRunSaysWhatMeetsTheTarget(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, slices.Concat([]string{"run", "batching", "--target", "fastest"}, tiny)...)
	if code != exitOK || !strings.Contains(out, "the target is the fastest; of ") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if code, _, errOut = assay(t, c, "run", "batching", "--target", "within=none"); code != exitUsage || !strings.Contains(errOut, "want fastest, per-watt, or within=WATTS") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
