package desk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/suite"
)

func TestRunWithoutItsEnd(t *testing.T) {
	run := uitest.KeptRun(t)
	m := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk.Model
	run.Meta.Finished = time.Time{}
	if _, err := m.Open(run); err != nil {
		t.Fatal(err)
	}
	if o := m.Outcomes["batching"]; o.Phase != desk.Failed || !strings.Contains(o.Failure.Text, "interrupted") {
		t.Errorf("a run without an end: phase %d, %q", o.Phase, o.Failure)
	}
	run.Meta.Jobs = []bundle.Job{{Workload: "gone"}}
	if _, err := m.Open(run); err == nil || !strings.Contains(err.Error(), "this version has no workload") {
		t.Errorf("a run of unknown workloads: %v", err)
	}
}

// TestDocumentTypes compares the types with all other places that name them.
func TestDocumentTypes(t *testing.T) {
	if bundle.Extension != "."+desk.RunType {
		t.Errorf("runs end in %s, the window opens .%s", bundle.Extension, desk.RunType)
	}
	w, err := workloads.Find(suite.All(), desk.WeightsWorkload)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{desk.WeightsFile: "a.safetensors", desk.WeightsSource: "file"} {
		i := slices.IndexFunc(w.Params, func(p workloads.Param) bool { return p.Name == name })
		if i < 0 || w.Params[i].Check(value) != nil {
			t.Errorf("%s does not take %s=%v", w.Name, name, value)
		}
	}
}
