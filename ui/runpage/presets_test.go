package runpage

import (
	"maps"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestTypedValuesComeBack replaces values by the defaults and by a preset, and restores them.
func TestTypedValuesComeBack(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	for name, lose := range map[string]func(){
		"Reset":  func() { test.Tap(p.presets.reset) },
		"preset": func() { p.presets.menu.SetSelectedIndex(1) },
	} {
		enter(fieldNamed(t, p, "min_size"), "100")
		enter(fieldNamed(t, p, "layers"), "3")
		before := p.form().raw()
		lose()
		if maps.Equal(p.form().raw(), before) || p.desk.Model.Back == nil || p.desk.Model.Notice == "" {
			t.Fatalf("%s: holds %v, told %q", name, p.form().raw(), p.desk.Model.Notice)
		}
		p.desk.TakeBack()
		if v, err := p.form().values(); err != nil || !maps.Equal(v, before) || !maps.Equal(p.desk.Model.Drafts["batching"].Values, before) {
			t.Errorf("%s: %v came back, %v; want %v", name, v, err, before)
		}
		if p.desk.Model.Back != nil || fieldNamed(t, p, "min_size").Entry.Text != "100" {
			t.Errorf("%s: the field shows %q", name, fieldNamed(t, p, "min_size").Entry.Text)
		}
	}
}

// TestNothingIsOfferedBackWhereNothingIsLost goes from one choice to another, which can be found in the same menu.
func TestNothingIsOfferedBackWhereNothingIsLost(t *testing.T) {
	p := open(t, kit.AlwaysLight)
	p.presets.menu.SetSelectedIndex(1)
	test.Tap(p.presets.reset)
	if p.desk.Model.Notice != "" || p.desk.Model.Back != nil {
		t.Errorf("told %q", p.desk.Model.Notice)
	}
}

// TestChangesAreCountedByLine counts a range once, and an invalid field once, whatever its previous value.
func TestChangesAreCountedByLine(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	enter(fieldNamed(t, p, "min_size"), "100")
	enter(fieldNamed(t, p, "max_size"), "200")
	enter(fieldNamed(t, p, "layers"), "2")
	enter(fieldNamed(t, p, "layers"), "x")
	if got := p.presets.about.Content; !strings.HasPrefix(got, "2 settings changed.") {
		t.Errorf("told %q, want 2 values", got)
	}
}
