package runpage

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// show plays a state of a workload on a page of that size.
func show(t *testing.T, workload, state string, look kit.Appearance, size fyne.Size) *uitest.Stand {
	t.Helper()
	s := uitest.Open(t, desk.Page{Build: New}, look, size)
	for i := range s.Desk.Model.Workloads {
		if s.Desk.Model.Workloads[i].Name == workload {
			s.Desk.Choose(i)
		}
	}
	uitest.PlayWorkload(s.Desk, s.Session, workload, state)
	return s
}

// looks are the pictures of every state of every workload, in both appearances and at both sizes.
func looks() (list []struct {
	workload, state string
	look            kit.Appearance
	size            fyne.Size
},
) {
	i := 0
	for _, workload := range []string{"batching", "fusion", "quantization", "leak"} {
		for _, state := range []string{"empty", "tuned", "running", "finished", "failed"} {
			if workload == "leak" && state == "tuned" {
				continue // it cannot be tuned
			}
			look, size := kit.AlwaysDark, uitest.Usual
			if i%2 == 1 {
				look = kit.AlwaysLight
			}
			if i%4 >= 2 {
				size = uitest.Least
			}
			i++
			list = append(list, struct {
				workload, state string
				look            kit.Appearance
				size            fyne.Size
			}{workload, state, look, size})
		}
	}
	return list
}

// TestGoldens compares the page with pictures that a person has looked at.
func TestGoldens(t *testing.T) {
	for _, l := range looks() {
		name := fmt.Sprintf("%s-%s-%s-%.0f", l.workload, l.state, l.look, l.size.Width)
		t.Run(name, func(t *testing.T) {
			s := show(t, l.workload, l.state, l.look, l.size)
			uitest.Golden(t, name, s.Desk.Window.Canvas().Capture())
		})
	}
}

// TestNothingIsClipped looks at every state in both sizes.
func TestNothingIsClipped(t *testing.T) {
	for _, l := range looks() {
		for _, size := range []fyne.Size{uitest.Usual, uitest.Least} {
			t.Run(fmt.Sprintf("%s-%s-%.0f", l.workload, l.state, size.Width), func(t *testing.T) {
				s := show(t, l.workload, l.state, l.look, size)
				uitest.CheckClipping(t, s.View.Object, size, "Measuring 512 rows (Largest matrix)…")
			})
		}
	}
}

// TestLargeTextIsNotClipped looks at the page with the largest text that can be chosen.
func TestLargeTextIsNotClipped(t *testing.T) {
	for _, workload := range []string{"batching", "fusion", "quantization", "leak"} {
		t.Run(workload, func(t *testing.T) {
			s := show(t, workload, "finished", kit.AlwaysLight, uitest.Usual)
			s.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, kit.MostTextSize))
			s.View.Update(desk.ChangedAll)
			s.Desk.Window.Resize(uitest.Usual)
			uitest.CheckClipping(t, s.View.Object, uitest.Usual)
			uitest.Golden(t, "large-"+workload, s.Desk.Window.Canvas().Capture())
		})
	}
}
