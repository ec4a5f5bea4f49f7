package memorypage

import (
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/gpu"
	"assay/internal/plain"
	"assay/ui/kit"
)

// nothing stands where there is nothing to show: a sign, a title, why, and perhaps what to do.
type nothing struct {
	icon   *widget.Icon
	title  *kit.Text
	why    *kit.Text
	object *fyne.Container
}

const signSize = 30

func newNothing(icon fyne.Resource, title string, do ...fyne.CanvasObject) *nothing {
	n := &nothing{icon: widget.NewIcon(icon), title: kit.NewHeading(title), why: kit.NewBody("", 4)}
	n.title.Align, n.why.Align = fyne.TextAlignCenter, fyne.TextAlignCenter
	n.why.Color = kit.ColorSecondary
	sign := container.NewCenter(container.NewGridWrap(fyne.NewSize(signSize, signSize), n.icon))
	parts := []fyne.CanvasObject{sign, n.title, n.why}
	for _, o := range do {
		parts = append(parts, kit.Inset(container.NewCenter(o), 0, 8))
	}
	n.object = container.New(middle{}, kit.NewFlow(6, parts...))
	return n
}

// set changes the sign and the text, and redraws only if they are new.
func (n *nothing) set(icon fyne.Resource, title, why string) {
	if n.title.Content == title && n.why.Content == why {
		return
	}
	n.icon.SetResource(icon)
	n.title.Set(title)
	n.why.Set(why)
	n.object.Refresh()
}

// middle centers text vertically, no wider than is comfortable to read.
type middle struct{}

func (middle) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 80) }

func (middle) Layout(o []fyne.CanvasObject, size fyne.Size) {
	width := min(size.Width, kit.Scaled(400))
	height := kit.HeightFor(o[0], width)
	o[0].Move(fyne.NewPos((size.Width-width)/2, (size.Height-height)/2))
	o[0].Resize(fyne.NewSize(width, height))
}

// gray is an icon in the color of captions.
func gray(icon fyne.Resource) fyne.Resource {
	return theme.NewColoredResource(icon, kit.ColorSecondary)
}

// noPool says why there is no pool, and how to get one.
func noPool(err error) (icon fyne.Resource, title, why string) {
	if errors.Is(err, gpu.ErrRestart) {
		return theme.NewWarningThemedResource(theme.WarningIcon()), "The device was lost",
			"Its pool went with it.\nRestart Assay to use it again; other engines still work."
	}
	if errors.Is(err, gpu.ErrDeviceLost) {
		return theme.NewWarningThemedResource(theme.WarningIcon()), "The device was lost",
			"Its pool went with it.\nThe next run opens the engine again, with the same settings."
	}
	cause := strings.TrimPrefix(err.Error(), app.ErrNoPool.Error()+": ")
	return gray(kit.MemoryIcon()), "No pool yet", plain.Capitalized(cause) + ".\nRun a workload, or prewarm buffers on the right."
}
