package app

import (
	"testing"

	"assay/monitor"
)

func TestEveryAlertHasAdvice(t *testing.T) {
	var ids []string
	for _, k := range alertKinds() {
		ids = append(ids, k.id)
	}
	for _, r := range monitor.Rules() {
		ids = append(ids, r.ID)
	}
	for _, id := range ids {
		if k, own := alertKindOf(id); Advice(id) == "" || own && k.title == "" {
			t.Errorf("alert %q says not what to do", id)
		}
	}
	if got := Advice("no such alert"); got != "" {
		t.Errorf("an unknown alert has the advice %q", got)
	}
}
