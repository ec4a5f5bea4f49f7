package historypage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// Files truncated after the run are reported: the run is damaged if results are missing, flawed if other data is.
func TestCutRunIsNotFine(t *testing.T) {
	for name, state := range map[string]bundle.State{"results.csv": bundle.Damaged, "monitor.csv": bundle.Finished} {
		s := open(t, kit.AlwaysDark, uitest.Usual, func(t testing.TB, runs string) {
			dir := keep(t, runs, 1, bundle.Finished, bundle.Labels{})
			if err := os.Truncate(filepath.Join(dir, name), 900); err != nil {
				t.Fatal(err)
			}
		})
		cell := s.list.Cell(0, 2)
		if s.list.Columns()[2].Title != "State" || s.list.Item(0).State != state || cell.Icon == s.list.shapes[bundle.Finished] {
			t.Errorf("%s: state %s, with the shape of a run that is fine: %v", name, s.list.Item(0).State, cell.Icon)
		}
		if told := s.chosen.why.Content; !strings.Contains(told, name+" is cut off: ") {
			t.Errorf("%s: told %q", name, told)
		}
		if s.chosen.open.Disabled() != (state == bundle.Damaged) {
			t.Errorf("%s: it can be opened: %v", name, !s.chosen.open.Disabled())
		}
	}
}
