package resultspage

import (
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/app/bundle"
	"assay/internal/stats"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// stand is the page in a window of its own.
type stand struct {
	*uitest.Stand
	*resultsPage
}

func open(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	return openOn(t, uitest.NewSession(), look, size)
}

func openOn(t testing.TB, session *uitest.Session, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := &stand{}
	s.Stand = uitest.OpenOn(t, session, desk.Page{Name: desk.PageResults, Build: func(d *desk.Desk) desk.View {
		s.resultsPage = newPage(d)
		return desk.View{Object: kit.StackOf(s.full, s.empty), Update: s.update}
	}}, look, size)
	return s
}

// samples gives results as many samples as they say they have.
func samples(results []workloads.Result, factor float64) []workloads.Result {
	for i := range results {
		r := &results[i]
		for k := range r.Samples {
			r.Samples[k] = factor * r.Time().Median * (1 + 0.002*float64((k*7)%11-5))
		}
		t := r.Time()
		r.Values.Set(workloads.Time, stats.Interval{Median: factor * t.Median, Lo: factor * t.Lo, Hi: factor * t.Hi})
		workloads.Metrics().Derive(&r.Values)
	}
	return results
}

// runNamed is a finished run whose times are factor times the usual ones.
func runNamed(id string, factor float64) *bundle.Run {
	r := uitest.FinishedRun(samples(uitest.Sweep(), factor))
	if began, err := time.ParseInLocation("20060102-150405", id[:min(len(id), 15)], time.Local); err == nil {
		r.Meta.Started, r.Meta.Finished = began, began.Add(13*time.Second)
	}
	r.Meta.ID, r.Dir = id, "/home/ada/runs/"+id+".assayrun"
	r.Meta.State = bundle.Finished
	return r
}

// manyRun has n results.
func manyRun(n int) *bundle.Run {
	list := make([]workloads.Result, n)
	for i := range list {
		list[i] = uitest.SweepResult("matmul", "size", 64+i, 20+float64((i*37)%101))
		list[i].Started = uitest.Epoch.Add(time.Duration(i) * time.Millisecond)
	}
	r := uitest.FinishedRun(samples(list, 1))
	r.Meta.ID = fmt.Sprintf("many-%d", n)
	return r
}

// play brings the page to a state.
func play(t testing.TB, s *stand, state string) {
	t.Helper()
	d := s.Desk
	switch state {
	case "baseline":
		base, run := runNamed("20261119-090000-batching", 1.1), runNamed("20261120-120000-batching", 1)
		samples(base.Results[:3], 0.8)
		run.Meta.Version = "1.2.3"
		d.PinBaseline(base)
		d.ShowRun(run)
		d.Settle()
		s.table.Choose(4)
	case "many":
		d.ShowRun(manyRun(10_000))
		s.table.Choose(5000)
	case "finished":
		uitest.Play(d, state)
		d.ShowRun(runNamed("20261120-120000-batching", 1))
		s.table.Choose(3)
	default:
		uitest.Play(d, state)
	}
}
