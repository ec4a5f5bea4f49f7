package weightspage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/internal/si"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// showLoad shows how fast a model was loaded, and the memory used over time.
func showLoad(d *desk.Desk, l *app.Load) {
	body := container.New(kit.FixedSize{Width: kit.Scaled(640), Height: kit.Scaled(340)},
		container.NewBorder(kit.NewCaption(loadWords(l), 4), nil, nil, nil, kit.OnPanel(uichart.NewPlot(loadModel(l)))))
	asked := dialog.NewCustomWithoutButtons("Loaded", body, d.Window)
	done := kit.NewButton("Done", asked.Dismiss)
	done.Importance, done.OnEscape = widget.HighImportance, asked.Dismiss
	asked.SetButtons([]fyne.CanvasObject{done})
	asked.Show()
	d.Window.Canvas().Focus(done)
}

// loadWords says how fast a model was loaded, and into what.
func loadWords(l *app.Load) string {
	words := fmt.Sprintf("%s in %s, in parts through a buffer of %s, by the engine %s: %s, %s.", view.Quantity(float64(l.Bytes), "B"), si.Counted(l.Tensors, "tensor"),
		si.Bytes(float64(l.Buffers)), plain.Text(l.Engine), si.Time(l.Seconds), si.Format(l.Rate(), "B/s"))
	if l.Footprint != "" {
		return words + " Assay’s memory is not available: " + plain.Text(l.Footprint) + "."
	}
	return words + fmt.Sprintf(" Assay’s memory was %s before and %s at most. A file that the system still has in memory is read from there.",
		view.Quantity(float64(l.Before), "B"), view.Quantity(float64(l.Peak), "B"))
}

// loadModel returns Assay’s memory over time, and the part that is buffers.
func loadModel(l *app.Load) *chart.Model {
	if l.Footprint != "" {
		return &chart.Model{Unavailable: "Memory is not available"}
	}
	process, buffers := chart.Series{Name: "Assay’s memory"}, chart.Series{Name: "buffers", Step: true}
	for _, p := range l.Points {
		process.X, process.Y = append(process.X, p.Seconds), append(process.Y, float64(p.Process))
		buffers.X, buffers.Y = append(buffers.X, p.Seconds), append(buffers.Y, float64(p.Buffers))
	}
	return &chart.Model{
		X: chart.Axis{Title: "Time", Unit: chart.Seconds}, Y: chart.Axis{Title: "Memory", Unit: chart.Bytes, FromZero: true},
		Series: []chart.Series{process, buffers},
	}
}
