package kernelspage

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
	"assay/ui/uitest"
)

func atTuned(t *testing.T) *stand {
	t.Helper()
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.choosePart(partTuned)
	s.Desk.Settle()
	return s
}

// What searches found is listed, and whether it is used; the chosen one shows more.
func TestTunedIsListed(t *testing.T) {
	s := atTuned(t)
	var all []string
	for _, row := range uitest.Cells(s.tuned.table.TableView) {
		all = append(all, strings.Join(row, "; "))
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"matmul f32 M=64 N=4096 K=4096 Batch=1; blocked/f32{buffered=1,tile_rows=128}; 1.31×; Used", "the default; ; Default kept", "Not used"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if got := s.tuned.about.Content; got != "3 calls tuned; runs use 1 on this machine." {
		t.Errorf("about: %q", got)
	}
	for row := range s.tuned.table.Rows() {
		if k := s.tuned.table.Item(row); k.Unused != "" {
			s.tuned.table.Choose(row)
		}
	}
	if got := s.tuned.chosen.Content; !strings.Contains(got, "1.31× (1.29× to 1.34×) faster than matmul/simd/f32{staging=0,tile=32}; 62 candidates") || !strings.HasSuffix(got, "For another device: Apple M1.") {
		t.Errorf("of the chosen one: %q", got)
	}
	words := s.tuned.filter.Inputs[0].Entry
	for filter, want := range map[string]int{"f16": 1, "m1": 1, "no such": 0, "": 3} {
		words.SetText(filter)
		if got := s.tuned.table.Rows(); got != want {
			t.Errorf("%q lists %d, want %d", filter, got, want)
		}
	}
}

// One choice is removed, or all that the filter shows; a refusal is reported.
func TestTunedIsRemoved(t *testing.T) {
	s := atTuned(t)
	s.Session.Tunings.Refuses = errors.New("the disk is full")
	s.tuned.table.OnAction(0, 6)
	s.Desk.Settle()
	if s.tuned.about.Content != "The disk is full." || s.tuned.table.Rows() != 3 {
		t.Errorf("refused: %q, %d left", s.tuned.about.Content, s.tuned.table.Rows())
	}
	s.Session.Tunings.Refuses = nil
	s.tuned.table.OnAction(0, 6)
	s.Desk.Settle()
	if s.tuned.table.Rows() != 2 {
		t.Errorf("%d left, want 2", s.tuned.table.Rows())
	}
	test.Tap(s.tuned.clear)
	test.Tap(uitest.Button(t, s.Desk.Window.Canvas().Overlays().Top(), "Remove All"))
	s.Desk.Settle()
	if s.tuned.table.Rows() != 0 || !uitest.Says(s.View.Object, "No search has found anything yet. Run the workload Tuning.") || s.tuned.clear.Visible() || s.tuned.send.Visible() {
		t.Errorf("with none left: %q", uitest.Texts(s.View.Object))
	}
}
