package runpage

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// grow changes the text size of a page, and redraws it.
func grow(s *uitest.Stand, percent int, width float32) {
	s.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, percent))
	s.Desk.Redraw(desk.ChangedAll)
	s.Desk.Window.Resize(fyne.NewSize(width, uitest.Usual.Height))
}

// A field fits its content at every text size: it shows no scroll bar or shade.
func TestFieldsDoNotScroll(t *testing.T) {
	uitest.Alone(t)
	s := show(t, "batching", "empty", kit.AlwaysLight, uitest.Usual)
	for percent := kit.MinTextSize; percent <= kit.MaxTextSize; percent += 5 {
		grow(s, percent, uitest.Usual.Width)
		e, ok := uitest.Entry(s.View.Object, "Largest matrix")
		if !ok {
			t.Fatal("no field for the largest matrix")
		}
		scroll, ok := uitest.Find(e, func(*container.Scroll) bool { return true })
		if !ok {
			t.Fatal("a field without a scroll")
		}
		if minSize := test.WidgetRenderer(scroll).Objects()[0].MinSize(); minSize.Height > scroll.Size().Height {
			t.Errorf("at %d %% the text needs %v, its field has %v", percent, minSize, scroll.Size())
		}
	}
}

// With large text in a narrow window everything is reachable, by scrolling if needed: the chart keeps its height, no button
// disappears, and nothing is too wide.
func TestLargeTextLeavesNothingOut(t *testing.T) {
	uitest.Pictures(t)
	for _, state := range []string{"batching-finished", "batching-tuned", "fusion-finished", "leak-finished"} {
		p := &runPage{}
		workload, of, _ := strings.Cut(state, "-")
		s := uitest.Open(t, desk.Page{Build: func(d *desk.Desk) desk.View { p = newRunPage(d); return p.view() }}, kit.AlwaysLight, uitest.Smallest)
		for i := range s.Desk.Model.Workloads {
			if s.Desk.Model.Workloads[i].Name == workload {
				s.Desk.Choose(i)
			}
		}
		uitest.PlayWorkload(s.Desk, s.Session, workload, of)
		grow(s, kit.MaxTextSize, uitest.Smallest.Width)
		room := p.right.scroll.Size()
		if minSize := p.right.parts.MinSize(); minSize.Width > room.Width || p.right.parts.Size().Height < minSize.Height {
			t.Errorf("%s: the right column needs %v, its room is %v, and it has %v", state, minSize, room, p.right.parts.Size())
		}
		if got := p.chart.plot.Size().Height; got < kit.Scaled(149) {
			t.Errorf("%s: the chart is %.0f high", state, got)
		}
		for _, c := range p.strip.cells {
			if !c.value.Visible() || c.value.Size().Width < c.value.MinSize().Width {
				t.Errorf("%s: %v has %v", state, c.metrics, c.value.Size())
			}
		}
		for _, b := range p.chart.bar.Objects[1:] {
			if end := b.Position().Add(b.Size()); b.Visible() && (end.X > p.chart.bar.Size().Width+0.5 || end.Y > p.chart.bar.Size().Height+0.5) {
				t.Errorf("%s: a button of the chart ends at %v, in %v", state, end, p.chart.bar.Size())
			}
		}
	}
}
