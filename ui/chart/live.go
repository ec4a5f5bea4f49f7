package chart

import "assay/internal/chart"

// Live is the widget of a live chart. Append adds samples without drawing; the owner calls Refresh to show them.
type Live struct {
	surface
	*chart.Live
}

// NewLive makes an empty live chart.
func NewLive(c chart.LiveConfig) *Live {
	l := &Live{Live: chart.NewLive(c)}
	l.init(l, true, l.Model)
	l.move = l.moveTime
	return l
}

// SetWindow shows the given last seconds, or the WholeRun, up to now, and redraws. Nonpositive values are ignored.
func (l *Live) SetWindow(seconds float64) {
	l.Live.SetWindow(seconds)
	l.Refresh()
}

// SetPaused freezes the picture while samples are still added, or shows the newest
// again.
func (l *Live) SetPaused(paused bool) {
	if paused != l.Paused() {
		l.Live.SetPaused(paused)
		l.Refresh()
	}
}

// Refresh redraws the chart from its samples.
func (l *Live) Refresh() { l.redraw() }
