package chart

import "assay/internal/chart"

// Charts with the same time axis can share a crosshair: when one is pointed at, the others echo the moment. Their owner passes
// the moment on, and redraws.

// OnMoment sets f, which is called when the pointer or the keyboard moves the crosshair. f must then redraw the chart,
// by Refresh.
func (s *surface) OnMoment(f func()) { s.onMoment = f }

// Moment is the X of this chart's crosshair, and whether there is one.
func (s *surface) Moment() (at float64, ok bool) {
	if s.renderer == nil || !s.hover.On {
		return 0, false
	}
	return s.renderer.Moment(s.model(), s.pointing())
}

// Echo shows the moment that another chart points at, from the next drawing on, unless this chart has its own
// crosshair.
func (s *surface) Echo(at float64, on bool) {
	s.echo = chart.Hover{On: on, All: true, Held: true, At: at, Echo: true}
}

// Echoed returns the moment of another chart that this one shows, and whether it shows one.
func (s *surface) Echoed() (at float64, ok bool) { return s.echo.At, s.echo.On }

// PaceBy delays hover updates to the next redraw of the window, requested by post, while busy reports a measurement.
// Otherwise the chart follows the pointer at once.
func (s *surface) PaceBy(busy func() bool, post func(func())) { s.busy, s.post = busy, post }

// pointed shows where the crosshair is now.
func (s *surface) pointed() {
	switch {
	case s.onMoment != nil:
		s.onMoment()
	case s.busy == nil || !s.busy():
		s.redraw()
	case !s.due:
		s.due = true
		s.post(func() {
			s.due = false
			s.redraw()
		})
	}
}

// NamePhases sets whether the chart names the phases above the plot if it is tall enough, or only on hover, from the
// next drawing on.
func (s *surface) NamePhases(on bool) { s.model().HideNames = !on }
