package runpage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/monitor"
	"assay/ui/kit"
	"assay/ui/view"
)

// strip is a line of the live values that matter during a measurement; the Monitor page has them all.
type strip struct {
	cells  []*stripCell
	layout *evenLayout
	object fyne.CanvasObject
}

const stripPad = 9

// setWidth sets the strip's future width, so that its minimum height is right before it is laid out.
func (s *strip) setWidth(width float32) { s.layout.width = width - 2*stripPad }

// stripCell is one value: the first of its metrics that is known.
type stripCell struct {
	metrics []string
	busy    bool // only available during a measurement
	value   *kit.Text
	why     *kit.Text // why it is unknown
}

func (c *stripCell) build(title string) fyne.CanvasObject {
	return container.New(&cellLayout{}, kit.NewCaption(title, 1), c.value, c.why)
}

func newStrip() *strip {
	s := &strip{layout: &evenLayout{gap: 14}}
	var objects []fyne.CanvasObject
	for _, c := range []struct {
		title   string
		metrics []string
		busy    bool
	}{
		{"Throughput now", []string{monitor.EngineFlops}, true},
		{"CPU: others", []string{monitor.HostOthers}, false},
		{"Memory pressure", []string{monitor.MemoryPressureLevel, monitor.MemoryPressure}, false},
		{"Heat", []string{monitor.ThermalState, monitor.Temperature}, false},
	} {
		cell := &stripCell{metrics: c.metrics, busy: c.busy, value: kit.NewHeading("…"), why: kit.NewCaption("", 3)}
		s.cells = append(s.cells, cell)
		objects = append(objects, cell.build(c.title))
	}
	s.object = kit.NewPanel(container.New(s.layout, objects...), stripPad)
	return s
}

// update shows the values of a snapshot, and reports whether the height changed. busy means that something is measured.
func (s *strip) update(snapshot *monitor.Snapshot, busy bool) bool {
	if snapshot.Time.IsZero() {
		return false
	}
	before := s.object.MinSize().Height
	for _, c := range s.cells {
		c.update(snapshot, busy)
	}
	return s.object.MinSize().Height != before
}

func (c *stripCell) update(s *monitor.Snapshot, busy bool) {
	if c.busy && !busy {
		c.value.SetColored("Idle", kit.ColorSecondary)
		c.why.Set("")
		return
	}
	for _, metric := range c.metrics {
		if words, ok := view.Known(s, metric); ok {
			c.value.SetColored(words, theme.ColorNameForeground)
			c.why.Set("")
			return
		}
	}
	why := "no source"
	for _, metric := range c.metrics {
		if r, ok := s.Find(metric); ok && r.Reason != "" {
			why = brief(r.Reason)
			break
		}
	}
	c.value.SetColored("Not available", kit.ColorSecondary)
	c.why.Set(why)
}

// brief returns the first part of a reason: the Monitor page has all of it.
func brief(reason string) string {
	for _, end := range []string{": ", "; ", ", and "} {
		reason, _, _ = strings.Cut(reason, end)
	}
	return reason
}

// cellLayout is a title above a value, or above the reason why there is none.
type cellLayout struct{}

// HeightFor returns the height at a width.
func (*cellLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	height := o[0].MinSize().Height + o[1].MinSize().Height
	if why := o[2].(*kit.Text); why.Content != "" {
		height += why.HeightFor(width)
	}
	return height
}

func (l *cellLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	width := max(minCell, o[0].Size().Width)
	return fyne.NewSize(70, l.HeightFor(o, width))
}

func (*cellLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for i, c := range o {
		height := c.MinSize().Height
		if i == 2 {
			height = max(0, size.Height-y)
		}
		c.Resize(fyne.NewSize(size.Width, height))
		c.Move(fyne.NewPos(0, y))
		y += height
	}
}

// evenLayout puts objects side by side, equally wide: all of them, or two or one per row if they do not fit.
type evenLayout struct {
	gap   float32
	width float32
}

// minCell is the width below which a value would be cut; rowsGap is the gap between rows.
const (
	minCell = 96
	rowsGap = 8
)

// abreast returns how many fit side by side at a width, and the width of each.
func (l *evenLayout) abreast(n int, width float32) (columns int, each float32) {
	columns = n
	for columns > 1 && (width-l.gap*float32(columns-1))/float32(columns) < kit.Scaled(minCell) {
		columns = (columns + 1) / 2
	}
	return columns, (width - l.gap*float32(columns-1)) / float32(columns)
}

// rows calls row with the objects and the height of each row at a width.
func (l *evenLayout) rows(o []fyne.CanvasObject, width float32, row func(o []fyne.CanvasObject, each, height float32)) {
	columns, each := l.abreast(len(o), width)
	for line := range slices.Chunk(o, columns) {
		height := float32(0)
		for _, c := range line {
			height = max(height, kit.HeightFor(c, each))
		}
		row(line, each, height)
	}
}

func (l *evenLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(70, -rowsGap)
	l.rows(o, max(minCell, l.width), func(_ []fyne.CanvasObject, _, height float32) { size.Height += height + rowsGap })
	return size
}

func (l *evenLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	y := float32(0)
	l.rows(o, size.Width, func(line []fyne.CanvasObject, each, height float32) {
		for i, c := range line {
			c.Resize(fyne.NewSize(each, height))
			c.Move(fyne.NewPos(float32(i)*(each+l.gap), y))
		}
		y += height + rowsGap
	})
}
