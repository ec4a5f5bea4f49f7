package view

import "fyne.io/fyne/v2"

// crosshair shows the moment pointed at on one chart on all charts of a grid.
type crosshair struct {
	grid   *LiveGrid
	source *liveView    // the view whose chart is pointed at; nil: none
	post   func(func()) // runs a function at the next redraw of the window
	busy   func() bool  // a run is in progress; nil: never
	due    bool         // a redraw was requested
}

// momentChart is a chart that can share its crosshair.
type momentChart interface {
	fyne.CanvasObject
	OnMoment(func())
	Moment() (at float64, ok bool)
	Echo(at float64, on bool)
	NamePhases(on bool)
}

// moved follows the crosshair on a chart. During a run it is drawn with the next redraw.
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

// draw draws the crosshair on the visible charts; the others follow when they become visible.
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

// spread sets the moment on all charts.
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
