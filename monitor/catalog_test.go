package monitor

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A metric of the catalog has all the texts that are shown, and what it refers to exists.
func TestCatalogIsComplete(t *testing.T) {
	groups, ids, shown := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, g := range Groups() {
		if g.ID == "" || g.Title == "" || !strings.HasSuffix(g.About, ".") || groups[g.ID] {
			t.Errorf("group %+v is incomplete or there twice", g)
		}
		groups[g.ID] = true
	}
	for _, m := range Catalog() {
		switch {
		case m.ID == "" || m.Title == "" || !strings.HasSuffix(m.About, "."):
			t.Errorf("%+v needs an ID, a title and a sentence", m)
		case ids[m.ID]:
			t.Errorf("%s is there twice", m.ID)
		case (m.Group != "") != (m.Show != NotShown):
			t.Errorf("%s is in the group %q, and shown as %d", m.ID, m.Group, m.Show)
		case m.Group != "" && (!groups[m.Group] || m.Short == ""):
			t.Errorf("%s is shown as %q in %q", m.ID, m.Short, m.Group)
		case m.Show == AsWord && m.Unit != "":
			t.Errorf("%s is a word in %s", m.ID, m.Unit)
		}
		ids[m.ID] = true
		shown[m.Group]++
	}
	for g := range groups {
		if shown[g] == 0 {
			t.Errorf("nothing is in the group %s", g)
		}
	}
	for _, r := range Rules() {
		if !ids[r.Metric] || r.While != "" && !ids[r.While] {
			t.Errorf("rule %s is on %s while %q", r.ID, r.Metric, r.While)
		}
	}
}

// What sources report is in the catalog, with its title and unit, so that nothing is named twice.
func TestSourcesGiveWhatTheCatalogHas(t *testing.T) {
	for _, source := range Sources() {
		for _, r := range source.Read(t.Context()) {
			c, ok := Lookup(r.Metric)
			if !ok || r.Unit != c.Unit || !strings.HasPrefix(r.Title, c.Title) {
				t.Errorf("%s is %q in %q, the catalog has %q in %q", r.Metric, r.Title, r.Unit, c.Title, c.Unit)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for id, want := range map[string]string{
		HostCPU: HostCPU, PowerCPU: PowerCPU, Temperature + ".coretemp_package_id_0": Temperature, Power + ".dram.0": Power,
		Temperature + ".a.b": Temperature, HostCPU + ".part": "", "host": "", "": "", "nonsense": "",
	} {
		if m, ok := Lookup(id); ok != (want != "") || ok && m.ID != want {
			t.Errorf("%q is %q, %v, want %q", id, m.ID, ok, want)
		}
	}
	if r := Template("x.y", "test"); r.Title != "x.y" || r.Source != "test" {
		t.Errorf("an unknown metric is %+v", r)
	}
	if r := Template(Power, "test").part("Package 0"); r.Metric != "host.power.package_0" || r.Title != "Power (Package 0)" || r.Unit != "W" {
		t.Errorf("a part is %+v", r)
	}
}

// States can be compared across metrics; worse ones have a higher rank.
func TestStateRanks(t *testing.T) {
	for rank, states := range [][]State{{Nominal, Normal}, {Fair, Moderate}, {Serious, Warning, Heavy}, {Critical, Trapping, Sleeping}} {
		for _, s := range states {
			if got, ok := s.Rank(); !ok || got != rank || s.Severity().Rank() != max(0, rank-1) {
				t.Errorf("%s has the rank %d and is %s", s, got, s.Severity())
			}
		}
	}
	if _, ok := State("lukewarm").Rank(); ok {
		t.Error("lukewarm has a rank")
	}
}

// A cause is also shown when its alert is over.
func TestCausesDoNotSayNow(t *testing.T) {
	for _, r := range Rules() {
		if slices.Contains(strings.FieldsFunc(r.Cause, func(c rune) bool { return !unicode.IsLetter(c) }), "now") {
			t.Errorf("the rule %s says %q", r.ID, r.Cause)
		}
	}
}
