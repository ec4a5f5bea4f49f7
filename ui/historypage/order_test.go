package historypage

import (
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestOrderIsRemembered sorts by a column, and builds the page anew.
func TestOrderIsRemembered(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	const at = 1
	name := s.list.columns[at].title
	s.list.sortBy(at)
	s.list.sortBy(at)
	if next := newPage(s.Desk).list; next.by < 0 || next.all()[next.by].title != name || !next.descending {
		t.Errorf("sorted by column %d, descending %v; want %s from the largest on", next.by, next.descending, name)
	}
	s.list.sortBy(at)
	if next := newPage(s.Desk).list; next.by != -1 {
		t.Errorf("sorted by column %d, want the newest first", next.by)
	}
}
