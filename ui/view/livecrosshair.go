package view

import "fyne.io/fyne/v2"

// crosshair shows the moment that is pointed at on one chart on all charts of a grid.
type crosshair struct {
	grid   *LiveGrid
	source *liveView    // whose chart is pointed at; nil: none is
	post   func(func()) // has a function called with the next redraw of the window
	busy   func() bool  // a run goes on; nil: none does
	due    bool         // post has been asked
}

// momentChart is a chart that can share its crosshair.
type momentChart interface {
	fyne.CanvasObject
	OnMoment(func())
	Moment() (at float64, ok bool)
	Echo(at float64, on bool)
	NamePhases(on bool)
}

// moved follows the crosshair on a chart. While a run goes on, it is drawn with what else is redrawn then.
func (c *crosshair) moved(v *liveView) {
	if _, on := v.plot.object().Moment(); on {
		c.source = v
	} else if c.source == v {
		c.source = nil
	}
	switch {
	case c.busy == nil || !c.busy():
		c.draw()
	case !c.due:
		c.due = true
		c.post(func() {
			if c.due {
				c.draw()
			}
		})
	}
}

// draw draws the crosshair on the charts in sight; the others follow when they come into sight.
func (c *crosshair) draw() {
	c.due = false
	c.spread()
	for _, v := range c.grid.views {
		switch {
		case v.plot == nil:
		case c.grid.inSight(v):
			v.plot.object().Refresh()
		default:
			v.stale = true
		}
	}
}

// spread tells all charts the moment.
func (c *crosshair) spread() {
	at, on := 0.0, false
	if c.source != nil {
		at, on = c.source.plot.object().Moment()
	}
	for _, v := range c.grid.views {
		if v.plot != nil {
			v.plot.object().Echo(at, on && v != c.source)
		}
	}
}
