package desk_test

import (
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestChoicesOfPagesAreRemembered(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	s := d.Settings
	if s.Choice("page.part", "a", "b") != 0 {
		t.Error("before a choice it is not the first")
	}
	s.SetChoice("page.part", "b")
	s.SetOrder("table", "time", true)
	s.SetOrder("other", "case", false)
	next := again(t, d).Settings
	if next.Choice("page.part", "a", "b") != 1 || next.Choice("page.part", "a", "c") != 0 || next.Choice("page.other", "x", "b") != 0 {
		t.Error("the choice is not what was chosen, or is taken for another")
	}
	if by, down := next.Order("table"); by != "time" || !down {
		t.Errorf("sorted by %q, descending %v", by, down)
	}
	if by, down := next.Order("other"); by != "case" || down {
		t.Errorf("sorted by %q, descending %v", by, down)
	}
	d.Forget()
	if by, _ := s.Order("table"); by != "" || s.Choice("page.part", "a", "b") != 0 {
		t.Error("a choice outlives the others")
	}
	s.Store.SetString("choices", "[1")
	if s.Choice("page.part", "a", "b") != 0 {
		t.Error("what cannot be read is a choice")
	}
}
