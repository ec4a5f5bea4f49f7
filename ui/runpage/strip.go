package runpage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/monitor"
	"assay/ui/kit"
	"assay/ui/view"
)

// strip is a line of the live values that matter while one measures; the Monitor page has them all.
type strip struct {
	cells  []*stripCell
	object fyne.CanvasObject
}

// stripCell is one value: the first of its metrics that is known.
type stripCell struct {
	metrics []string
	value   *kit.Text
	why     *kit.Text // it is not known
}

func (c *stripCell) build(title string) fyne.CanvasObject {
	return container.New(&cellLayout{}, kit.NewCaption(title, 1), c.value, c.why)
}

func newStrip() *strip {
	s := &strip{}
	var objects []fyne.CanvasObject
	for _, c := range []struct {
		title   string
		metrics []string
	}{
		{"Throughput", []string{monitor.EngineFlops}},
		{"Pool reuse", []string{monitor.PoolReuse}},
		{"Memory pressure", []string{monitor.MemoryPressureLevel, monitor.MemoryPressure}},
		{"Heat", []string{monitor.ThermalState, monitor.Temperature}},
	} {
		cell := &stripCell{metrics: c.metrics, value: kit.NewHeading("…"), why: kit.NewCaption("", 3)}
		s.cells = append(s.cells, cell)
		objects = append(objects, cell.build(c.title))
	}
	s.object = kit.NewPanel(container.New(evenLayout{gap: 14}, objects...), 9)
	return s
}

// update shows the values of a snapshot.
func (s *strip) update(snapshot *monitor.Snapshot) {
	if snapshot.Time.IsZero() {
		return
	}
	for _, c := range s.cells {
		c.update(snapshot)
	}
}

func (c *stripCell) update(s *monitor.Snapshot) {
	for _, metric := range c.metrics {
		if words, ok := view.Known(s, metric); ok {
			c.value.SetColored(words, theme.ColorNameForeground)
			c.why.Set("")
			return
		}
	}
	why := "no source reads it"
	for _, metric := range c.metrics {
		if r, ok := s.Find(metric); ok && r.Reason != "" {
			why = brief(r.Reason)
			break
		}
	}
	c.value.SetColored("Not available", kit.ColorSecondary)
	c.why.Set(why)
}

// brief is the first part of a reason: the Monitor page has the whole of it.
func brief(reason string) string {
	for _, end := range []string{": ", "; ", ", and "} {
		reason, _, _ = strings.Cut(reason, end)
	}
	return reason
}

// cellLayout is a title above a value, with a reason below it where there is none.
type cellLayout struct{}

func (*cellLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	line := o[0].MinSize().Height
	return fyne.NewSize(70, line+o[1].MinSize().Height+3*line)
}

func (*cellLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for i, c := range o {
		height := c.MinSize().Height
		if i == 2 {
			height = size.Height - y
		}
		c.Resize(fyne.NewSize(size.Width, height))
		c.Move(fyne.NewPos(0, y))
		y += height
	}
}

// evenLayout puts objects side by side, equally wide: as many as there is room for, the first before the others.
type evenLayout struct{ gap float32 }

// leastCell is the width below which a value would be cut.
const leastCell = 104

func (evenLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.Size{}
	for _, c := range o {
		size = size.Max(c.MinSize())
	}
	return size
}

func (l evenLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	n := min(float32(len(o)), max(1, float32(int((size.Width+l.gap)/(kit.Scaled(leastCell)+l.gap)))))
	width := (size.Width - l.gap*(n-1)) / n
	for i, c := range o {
		if kit.Show(c, float32(i) < n); !c.Visible() {
			continue
		}
		c.Resize(fyne.NewSize(width, size.Height))
		c.Move(fyne.NewPos(float32(i)*(width+l.gap), 0))
	}
}
