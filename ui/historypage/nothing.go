package historypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// nothing is shown in the middle of the page if no run is listed: an icon, the reason, and what to do.
type nothing struct {
	title  *kit.Text
	why    *kit.Text
	first  *kit.Button // leads to the Run page
	object *fyne.Container
}

const (
	signSize     = 30
	nothingWidth = 400 // of the text, at 100 %
)

func newNothing(begin func()) *nothing {
	n := &nothing{title: kit.NewHeading(""), why: kit.NewBody("", 5), first: kit.NewButton("Go to Run", begin)}
	n.title.Align, n.why.Align = fyne.TextAlignCenter, fyne.TextAlignCenter
	n.why.Color = kit.ColorSecondary
	n.first.Importance = widget.HighImportance
	icon := widget.NewIcon(theme.NewColoredResource(kit.ClockBackIcon(), kit.ColorSecondary))
	sign := container.NewCenter(container.NewGridWrap(fyne.NewSquareSize(signSize), icon))
	words := kit.NewFlow(6, sign, n.title, n.why, kit.Inset(container.NewCenter(n.first), 0, 8))
	n.object = kit.NewPanel(container.New(middle{}, words), 1)
	return n
}

// set shows why there is nothing, and whether to offer a start.
func (n *nothing) set(title, why string, begin bool) {
	n.title.Set(title)
	n.why.Set(why)
	kit.Show(n.first, begin)
	n.object.Refresh()
}

// middle centers text, with a readable width.
type middle struct{}

func (middle) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 80) }

func (middle) Layout(o []fyne.CanvasObject, size fyne.Size) {
	width := min(size.Width, kit.Scaled(nothingWidth))
	height := kit.HeightFor(o[0], width)
	o[0].Move(fyne.NewPos((size.Width-width)/2, (size.Height-height)/2))
	o[0].Resize(fyne.NewSize(width, height))
}
