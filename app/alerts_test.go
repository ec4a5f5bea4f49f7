package app

import (
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu/gputest"
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

// An alert that is active when a run starts is an event of that run, once, and so is its clearing.
func TestStandingAlertIsAnEventOfTheRun(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	s.raise(checkAlert, "memory grew by 12 MB")
	for range 2 {
		run, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Jobs: []bundle.Job{small(t, s)}, Sampling: Sampling{Time: MinTime}})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, e := range run.Events {
			if e.Kind == bundle.AlertRaised && e.Title == alertTitle(checkAlert) {
				texts = append(texts, e.Text)
			}
		}
		if len(texts) != 1 || !strings.HasPrefix(texts[0], "memory grew by 12 MB (since 2") || !strings.HasSuffix(texts[0], ", before the run)") {
			t.Errorf("the run’s events say %q", texts)
		}
	}
}
