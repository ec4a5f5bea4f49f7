package historypage

import (
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestOrderIsRemembered sorts by a column, and builds the page again.
func TestOrderIsRemembered(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	const at = 1
	name := s.list.Columns()[at].Title
	s.list.OnSorted(at)
	s.list.OnSorted(at)
	if by, descending := newPage(s.Desk).list.Order(); by != name || !descending {
		t.Errorf("sorted by %q, descending %v; want %s from the largest on", by, descending, name)
	}
	s.list.OnSorted(at)
	if by, _ := newPage(s.Desk).list.Order(); by != "" {
		t.Errorf("sorted by %q, want the newest first", by)
	}
}
