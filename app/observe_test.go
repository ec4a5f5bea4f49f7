package app

import (
	"testing"

	"assay/monitor"
)

func TestEveryAlertHasAdvice(t *testing.T) {
	ids := append(raisedByRuns(), checkAlert)
	for _, r := range monitor.Rules() {
		ids = append(ids, r.ID)
	}
	for _, id := range ids {
		if Advice(id) == "" {
			t.Errorf("alert %q says not what to do", id)
		}
	}
	if got := Advice("no such alert"); got != "" {
		t.Errorf("an unknown alert has the advice %q", got)
	}
}
