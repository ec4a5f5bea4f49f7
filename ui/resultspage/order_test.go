package resultspage

import (
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestOrderIsRemembered sorts by a column, and builds the page again.
func TestOrderIsRemembered(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	const at = 2
	name := s.table.shown[at].Name
	s.table.sortBy(at)
	s.table.sortBy(at)
	if next := newPage(s.Desk).table; next.by != name || !next.descending {
		t.Errorf("sorted by %q, descending %v; want %s from the largest on", next.by, next.descending, name)
	}
	s.table.sortBy(at)
	if next := newPage(s.Desk).table; next.by != "" {
		t.Errorf("sorted by %q, want as measured", next.by)
	}
}
