package view_test

import (
	"testing"

	"assay/ui/view"
	"assay/workloads"
)

func TestFindingsSayTheirKindOnce(t *testing.T) {
	for want, f := range map[string]workloads.Finding{
		"Knee: Products: use 256 rows or more.":              {Kind: workloads.KindKnee, Text: "Products: use 256 rows or more."},
		"Products: still rising at 512 rows.":                {Kind: workloads.KindRising, Text: "Products: still rising at 512 rows."},
		"Products: no conclusion. 1 of 2 results disturbed.": {Kind: workloads.KindNone, Text: "Products: no conclusion. 1 of 2 results disturbed."},
		"No longer holds: Products: 64 rows measured 1.":     {Kind: workloads.KindRefuted, Text: "Products: 64 rows measured 1."},
	} {
		if got := view.FindingText(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
