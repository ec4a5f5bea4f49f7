package kernelspage

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// stand is the page in a window.
type stand struct {
	*uitest.Stand
	*kernelsPage
}

// open opens the page once the engines are known.
func open(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := openEarly(t, look, size)
	s.Desk.TakeEngines(s.Session.States)
	s.Desk.Settle()
	return s
}

// openEarly opens the page while engines are still being detected.
func openEarly(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := &stand{}
	s.Stand = uitest.Open(t, desk.Page{Build: func(d *desk.Desk) desk.View {
		s.kernelsPage = newPage(d)
		return desk.View{Object: s.full, Update: s.update}
	}}, look, size)
	return s
}

// choose chooses a kernel as a click on its row does.
func (s *stand) choose(t testing.TB, id string) {
	t.Helper()
	for row := range s.list.Rows() {
		if s.list.Item(row).ID == id {
			s.list.Choose(row)
			return
		}
	}
	t.Fatalf("%s is not listed", id)
}

// rows are the names of the visible kernels.
func (s *stand) rows() []string {
	var ids []string
	for row := range s.list.Rows() {
		ids = append(ids, s.list.Item(row).ID)
	}
	return ids
}

var states = []string{
	"early", "list", "library", "chosen", "partly", "nothing", "cache", "verified", "nocache", "tuned", "yours", "yourswrong", "yourstimed", "graph", "graphresults",
}

// look opens the page in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	if l.State == "early" {
		return openEarly(t, l.Appearance, l.Size).Stand
	}
	if strings.HasPrefix(l.State, "graph") {
		s := withGraphs(t, l.Appearance, l.Size)
		if l.State == "graphresults" {
			s.graphs.results.show(measuredGraph())
			s.graphs.showSide(sideResults)
		}
		return s.Stand
	}
	if strings.HasPrefix(l.State, "yours") {
		return lookAtYours(t, l)
	}
	if strings.Contains(l.State, "cache") || l.State == "verified" {
		return lookAtCache(t, l)
	}
	s := open(t, l.Appearance, l.Size)
	switch l.State {
	case "library":
		s.choose(t, "product/mps")
	case "chosen":
		s.choose(t, "product/tiled")
	case "partly":
		s.choose(t, "norm/plain")
	case "tuned":
		s.choosePart(partTuned)
		s.Desk.Settle()
		s.tuned.table.Choose(2)
	case "nothing":
		s.filter.Inputs[0].Entry.SetText("no such kernel")
	}
	return s.Stand
}

// lookAtYours opens the part with the user's kernel.
func lookAtYours(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := withYours(t, l.Appearance, l.Size, func(p *uitest.Playground) {
		p.Outcome = outcome()
		if l.State == "yourswrong" {
			p.Checked = broken
		}
	})
	if l.State == "yourstimed" {
		s.yours.start(doTime)
		s.Desk.Settle()
	}
	return s.Stand
}

// lookAtCache opens the part with the compiled kernels.
func lookAtCache(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := withMetal(t, l.Appearance, l.Size)
	switch l.State {
	case "verified":
		s.cache.list(true)
		s.Desk.Settle()
		s.cache.table.Choose(3)
	case "nocache":
		s.cache.filter.Input("engine").Select.SetSelected("CPU")
	}
	s.Desk.Settle()
	return s.Stand
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "chosen", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}
