package runpage

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// stand is the page in a window of its own.
type stand struct {
	*runPage
	session *uitest.Session
	chooser *uitest.Chooser
}

func open(t *testing.T, look kit.Appearance) *stand {
	t.Helper()
	s := &stand{chooser: &uitest.Chooser{}}
	page := desk.Page{Build: func(d *desk.Desk) desk.View {
		d.AskBy(s.chooser)
		s.runPage = newRunPage(d)
		return s.view()
	}}
	s.session = uitest.Open(t, page, look, uitest.Usual).Session
	return s
}

// fieldNamed is the field of a parameter of the form on show.
func fieldNamed(t *testing.T, p *stand, name string) *kit.Input {
	t.Helper()
	for _, f := range p.form().Inputs {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("the form of %s has no field %s", p.showing, name)
	return nil
}

// rowNamed is the row that sets a parameter of the form on show.
func rowNamed(t *testing.T, p *stand, name string) *kit.FormRow {
	t.Helper()
	for _, r := range p.form().Rows {
		if slices.ContainsFunc(r.Inputs, func(in *kit.Input) bool { return in.Name == name }) {
			return r
		}
	}
	t.Fatalf("the form of %s has no row for %s", p.showing, name)
	return nil
}

// chooseNamed chooses a workload by name.
func chooseNamed(t *testing.T, p *stand, name string) {
	t.Helper()
	for i := range p.desk.Model.Workloads {
		if p.desk.Model.Workloads[i].Name == name {
			test.Tap(p.list.Options[i])
			return
		}
	}
	t.Fatalf("no workload %s", name)
}

func enter(f *kit.Input, s string) {
	f.Entry.SetText("")
	test.Type(f.Entry, s)
}
