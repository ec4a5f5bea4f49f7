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
)

// lookRows is how many rows of a tensor a look reads.
const lookRows = 256

// showLook shows how often a format’s codes occur in a tensor, and its weights before and after.
func showLook(d *desk.Desk, l *app.WeightsLook) {
	words := fmt.Sprintf("%s in %s: signal to noise of the weights %s", plain.Text(l.Tensor), l.Format, app.SNRText(l.SNR))
	if l.Read < l.Rows {
		words += fmt.Sprintf(", of %d of %s", l.Read, si.Counted(l.Rows, "row"))
	}
	if l.Clamped > 0 {
		words += ", " + si.Counted(l.Clamped, "weight") + " beyond the range of codes"
	}
	plots := container.NewGridWithColumns(2, kit.OnPanel(uichart.NewPlot(codesModel(l))), kit.OnPanel(uichart.NewPlot(pointsModel(l))))
	body := container.New(kit.FixedSize{Width: kit.Scaled(820), Height: kit.Scaled(380)}, container.NewBorder(kit.NewCaption(words+".", 2), nil, nil, nil, plots))
	asked := dialog.NewCustomWithoutButtons("Codes", body, d.Window)
	done := kit.NewButton("Done", asked.Dismiss)
	done.Importance, done.OnEscape = widget.HighImportance, asked.Dismiss
	asked.SetButtons([]fyne.CanvasObject{done})
	asked.Show()
	d.Window.Canvas().Focus(done)
}

// maxBars is the maximum number of bars of the chart of codes.
const maxBars = 64

// codesModel has one bar for each code, or for a few neighbors.
func codesModel(l *app.WeightsLook) *chart.Model {
	if l.Counts == nil {
		return &chart.Model{Unavailable: l.Format + " has no codes to count: it rounds floats."}
	}
	s := chart.Series{Name: "weights", Kind: chart.BarKind}
	m := &chart.Model{X: chart.Axis{Title: "Code", Scale: chart.Category}, Y: chart.Axis{Title: "Weights", FromZero: true, Whole: true}, HideLegend: true}
	for i, b := range l.Bins(maxBars) {
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, float64(b.Count))
		m.X.Categories = append(m.X.Categories, b.Name())
	}
	m.Series = []chart.Series{s}
	return m
}

// pointsModel plots what the format makes of some weights over the weights.
func pointsModel(l *app.WeightsLook) *chart.Model {
	s := chart.Series{Name: "weights", Kind: chart.PointKind}
	for i := range l.Exact {
		if l.Rounded[i]-l.Rounded[i] != 0 {
			continue // infinite in the format
		}
		s.X, s.Y = append(s.X, float64(l.Exact[i])), append(s.Y, float64(l.Rounded[i]))
	}
	return &chart.Model{
		X: chart.Axis{Title: "Weight"}, Y: chart.Axis{Title: "In " + l.Format}, HideLegend: true, Series: []chart.Series{s},
	}
}
