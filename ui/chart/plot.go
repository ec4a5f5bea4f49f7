package chart

import "assay/internal/chart"

// Plot shows one Model: a sweep, paired bars, a scatter. Its pointer shows the
// nearest point, or all series at a moment.
type Plot struct {
	surface
	m *chart.Model
}

// NewPlot makes a chart of m. A nil m is an empty chart.
func NewPlot(m *chart.Model) *Plot {
	p := &Plot{m: orEmpty(m)}
	p.init(p, false, func() *chart.Model { return p.m })
	p.move = p.movePoint
	return p
}

// SetHoverAll makes the pointer show all series at its X, as in a live chart, and the arrows move along X.
func (p *Plot) SetHoverAll(all bool) {
	p.hover.All, p.move = all, p.movePoint
	if all {
		p.move = p.moveTime
	}
}

// Model returns what the chart shows.
func (p *Plot) Model() *chart.Model { return p.m }

// SetModel shows another model and redraws.
func (p *Plot) SetModel(m *chart.Model) {
	p.m = orEmpty(m)
	p.hover.Held, p.hover.On = false, p.hover.On && !p.hover.Held
	if p.renderer != nil {
		p.renderer.Forget() // labels of the base layer avoid the new data
	}
	p.Refresh()
}

// Summary says in words what the chart shows.
func (p *Plot) Summary() string { return p.m.Summary() }

func (p *Plot) movePoint(dx, dy int) { p.hover.MovePoint(p.m, dx, dy) }

// Refresh redraws the chart from its model.
func (p *Plot) Refresh() { p.redraw() }

func orEmpty(m *chart.Model) *chart.Model {
	if m == nil {
		return &chart.Model{}
	}
	return m
}
