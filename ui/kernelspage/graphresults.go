package kernelspage

import (
	"fmt"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/metric"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// graphResults shows what the last run of graphs found: its findings, and the figures of each variant.
type graphResults struct {
	desk   *desk.Desk
	head   *kit.Text
	facts  *fyne.Container
	open   *kit.Button
	reader *kit.Reader
	object *fyne.Container
}

func newGraphResults(d *desk.Desk) *graphResults {
	r := &graphResults{desk: d, head: kit.NewBody("", 6), facts: kit.NewFlow(6)}
	r.open = kit.NewButton("Show in Results", func() {
		if o := d.Model.Outcomes[app.GraphWorkload]; o != nil {
			d.ShowOutcome(o)
		}
	})
	r.reader = kit.NewReading(kit.NewFlow(8, r.head, r.facts))
	r.object = kit.Edged(r.reader, kit.AtBottom, kit.Row(8, r.open))
	r.show(nil)
	return r
}

// show shows an outcome; nil: nothing has been run yet.
func (r *graphResults) show(o *desk.Outcome) {
	var all []fyne.CanvasObject
	switch {
	case o == nil:
		r.head.SetColored("Nothing was run yet. Run measures the graph as written and fused, alternately, and compares all outputs.", kit.ColorSecondary)
	case o.Phase.Busy():
		r.head.SetColored("A run is in progress.", kit.ColorSecondary)
	case o.Phase == desk.Failed:
		r.head.SetColored("The run failed: "+o.Failure.Text+".", theme.ColorNameError)
	default:
		r.head.SetColored("The last run:", kit.ColorSecondary)
	}
	if o != nil {
		for i := range o.Findings {
			all = append(all, kit.NewBody(o.Findings[i].Text, 12))
		}
		if len(o.Results) > 0 {
			all = append(all, kit.NewTexts(resultLines(o.Results)...))
		}
	}
	kit.Able(r.open, o != nil && len(o.Results) > 0)
	r.facts.Objects = all
	r.facts.Refresh()
	r.reader.Refresh()
}

// resultLines returns a line for each variant: its time, what is saved, the prediction, and the memory.
func resultLines(results []workloads.Result) [][]*kit.Text {
	var all [][]*kit.Text
	for i := range results {
		res := &results[i]
		if res.Status != workloads.OK {
			t := line(res.Case, res.Variant, res.WithoutTime())
			t[2].Lines(4)
			t[2].Color = theme.ColorNameError
			all = append(all, t)
			continue
		}
		words := []string{view.Quantity(res.Time().Median, "s")}
		percent := func(name metric.Name, text string) {
			if x := res.Number(name); !math.IsNaN(x) {
				words = append(words, fmt.Sprintf("%.1f %% %s", 100*x, text))
			}
		}
		percent("saving", "saved")
		percent("predicted_saving", "predicted")
		if x := res.Number(workloads.HeldBytes); !math.IsNaN(x) {
			words = append(words, view.Quantity(x, "B")+" of results")
		}
		if x := res.Number(workloads.Dispatches); !math.IsNaN(x) {
			words = append(words, workloads.WithUnit(fmt.Sprint(x), "dispatches"))
		}
		t := line(res.Case, res.Variant, strings.Join(words, ", "))
		t[2].Lines(3)
		all = append(all, t)
	}
	return all
}
