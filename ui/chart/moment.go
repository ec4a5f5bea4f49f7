package chart

import "assay/internal/chart"

// Charts of the same time can share a crosshair: what is pointed at on one is
// echoed by the others. Who owns the charts passes the moment on, and redraws.

// OnMoment has f called when the pointer or the keyboard moves the crosshair.
// From then on f has the chart redrawn, by Refresh.
func (s *surface) OnMoment(f func()) { s.onMoment = f }

// Moment is the X at which the crosshair stands on this chart, and whether there
// is one.
func (s *surface) Moment() (at float64, ok bool) {
	if s.renderer == nil || !s.hover.On {
		return 0, false
	}
	return s.renderer.Moment(s.model(), s.pointing())
}

// Echo shows the moment that another chart points at, from the next drawing on;
// not where the crosshair stands on this one.
func (s *surface) Echo(at float64, on bool) {
	s.echo = chart.Hover{On: on, All: true, Held: true, At: at, Echo: true}
}

// Echoed is the moment of another chart that this one shows, and whether it shows one.
func (s *surface) Echoed() (at float64, ok bool) { return s.echo.At, s.echo.On }

// PaceBy has what the pointer shows wait for the next redraw of the window, for
// which post is asked, while busy says that something is measured. Otherwise it
// follows the pointer at once.
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

// NamePhases has the chart name the phases above the plot where it is tall
// enough, or leave that to the pointer, from the next drawing on.
func (s *surface) NamePhases(on bool) { s.model().HideNames = !on }
