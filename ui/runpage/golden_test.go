package runpage

import (
	"strings"
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

// look opens the window in a look, whose state is a workload and the state of its run.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	workload, state, _ := strings.Cut(l.State, "-")
	return show(t, workload, state, l.Appearance, l.Size)
}

// states are the states of every workload.
func states() (list []string) {
	for _, workload := range []string{"batching", "fusion", "quantization", "leak"} {
		for _, state := range []string{"empty", "tuned", "running", "finished", "failed"} {
			if workload == "leak" && state == "tuned" {
				continue // it cannot be tuned
			}
			list = append(list, workload+"-"+state)
		}
	}
	return list
}

// TestGoldens compares the page with texts that a person has read: alternating between dark and light, in both sizes.
func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	var looks []uitest.Look
	for i, state := range states() {
		l := uitest.Look{State: state, Appearance: kit.AlwaysDark, Size: uitest.Usual}
		if i%2 == 1 {
			l.Appearance = kit.AlwaysLight
		}
		if i%4 >= 2 {
			l.Size = uitest.Smallest
		}
		looks = append(looks, l)
	}
	uitest.Goldens(t, looks, look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "quantization-finished", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states(), look, "Measuring 512 rows (Largest matrix)…")
}

// TestGoldensOfLargeText looks at the page with the largest text that can be chosen.
func TestGoldensOfLargeText(t *testing.T) {
	uitest.Pictures(t)
	for _, workload := range []string{"batching", "fusion", "quantization", "leak"} {
		t.Run(workload, func(t *testing.T) {
			s := show(t, workload, "finished", kit.AlwaysLight, uitest.Usual)
			s.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, kit.MaxTextSize))
			s.View.Update(desk.ChangedAll)
			s.Desk.Window.Resize(uitest.Usual)
			uitest.CheckClipping(t, s.View.Object, uitest.Usual)
			uitest.Golden(t, "large-"+workload, s.Desk.Window.Canvas())
		})
	}
}
