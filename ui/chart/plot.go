package chart

// Plot shows one Model: a sweep, paired bars, a scatter. Its pointer shows the
// nearest point, or all series at a moment.
type Plot struct {
	surface
	m *Model
}

// NewPlot makes a chart of m. A nil m is an empty chart.
func NewPlot(m *Model) *Plot {
	p := &Plot{m: orEmpty(m)}
	p.init(p, false, func() *Model { return p.m })
	p.move = p.movePoint
	return p
}

// SetHoverAll has the pointer show all series at its X, as that of a live chart
// does, and the arrows move along X.
func (p *Plot) SetHoverAll(all bool) {
	p.hover.All, p.move = all, p.movePoint
	if all {
		p.move = p.moveTime
	}
}

// SetModel shows another model and redraws.
func (p *Plot) SetModel(m *Model) {
	p.m = orEmpty(m)
	p.hover.Held, p.hover.On = false, p.hover.On && !p.hover.Held
	if p.renderer != nil {
		p.renderer.warm = false // the labels of the base layer make way for the new data
	}
	p.Refresh()
}

// Refresh redraws the chart from its model.
func (p *Plot) Refresh() { p.redraw() }

func orEmpty(m *Model) *Model {
	if m == nil {
		return &Model{}
	}
	return m
}
