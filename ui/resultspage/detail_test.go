package resultspage

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/internal/metric"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// Each column with a value is in one tab; a column without one says why, if known.
func TestTabsHaveEachColumnOnce(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "finished")
	r := s.table.result()
	r.Values.SetNumber(workloads.Power, 41.5)
	r.Values.SetNumber(workloads.OfCompute, 0.5)
	told := map[string]int{}
	missing := ""
	for i, g := range metric.Groups() {
		test.Tap(s.detail.tabs.Options[i])
		texts := uitest.Texts(s.detail.pairs)
		for k := 0; k+1 < len(texts); k += 2 {
			if strings.HasPrefix(texts[k+1], "not available: ") {
				missing += texts[k] + ", " + texts[k+1] + "\n"
				continue
			}
			told[texts[k]]++
		}
		if power := slices.Contains(texts, "41.5 W"); power != (g.Group == metric.Power) {
			t.Errorf("%s tells the power: %v", g.Title, power)
		}
		if s.detail.room.Visible() != (g.Group == metric.Times) {
			t.Errorf("%s shows the samples: %v", g.Title, s.detail.room.Visible())
		}
		uitest.CheckScene(t, s.Desk.Window.Canvas())
	}
	for i := range s.table.all {
		c := &s.table.all[i]
		if cellText(c, r) != "" && c.Name != "notes" && told[c.Title] == 0 {
			t.Errorf("no tab has %s", c.Title)
		}
	}
	for _, want := range []string{"Energy, not available: measured with --energy auto", "Kernel times, not available: "} {
		if !strings.Contains(missing, want) {
			t.Errorf("nothing says %q:\n%s", want, missing)
		}
	}
	s.table.Choose(4)
	if s.detail.tabs.At != len(metric.Groups())-1 {
		t.Error("another row shows another tab")
	}
}
