package app

import (
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/workloads"
)

// A run concludes which configuration meets its target, and why none can be named if power is not measured.
func TestRunMeetsItsTarget(t *testing.T) {
	for text, want := range map[string]string{"fastest": "the target is the fastest; of ", "within=50": "is not available: "} {
		s, _ := session(t, gputest.Script{})
		target, err := workloads.ParseTarget(text)
		if err != nil {
			t.Fatal(err)
		}
		run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true, Target: target})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := bundle.Load(run.Dir)
		if err != nil || loaded.Meta.Target != text || (loaded.Meta.Energy == "auto") != target.Powered() {
			t.Errorf("%v: %+v", err, loaded.Meta)
		}
		said := 0
		for _, f := range loaded.Findings {
			if f.Kind == workloads.KindTarget && strings.Contains(f.Text, want) && (f.Result != "") == (text == "fastest") {
				said++
			}
		}
		if said != 1 {
			t.Errorf("%s: want %q once in %+v", text, want, loaded.Findings)
		}
	}
}
