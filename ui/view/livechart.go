package view

import (
	"math"

	"fyne.io/fyne/v2"

	"assay/internal/chart"
	"assay/internal/series"
	uichart "assay/ui/chart"
	"assay/ui/kit"
)

// Window is how far back live charts reach.
type Window int

// Windows of live charts.
const (
	OneMinute Window = iota
	TenMinutes
	WholeRun // since the run began, or the first snapshot where there was none
)

// seconds is the window of a chart.
func (w Window) seconds() float64 {
	switch w {
	case OneMinute:
		return 60
	case TenMinutes:
		return 600
	}
	return chart.WholeRun
}

// maxShaded is the maximum number of cases that are distinguished in a window; where there are more, only the runs are.
const maxShaded = 12

// liveChart draws the metrics of a card that have values out of a record.
type liveChart struct {
	card    *liveCard
	record  *Record
	metrics []liveMetric // those on the chart
	window  Window
	live    *uichart.Live
	upto    float64   // the last sample that was taken in
	until   float64   // the end of what may be shown; +Inf: now
	turn    int       // of the record, when the chart was filled
	values  []float64 // reused
}

// newLiveChart makes the chart of the metrics of a card that ever had a value.
func newLiveChart(card *liveCard, r *Record, w Window, least fyne.Size) *liveChart {
	c := &liveChart{card: card, record: r, window: w, until: math.Inf(1)}
	for _, m := range card.metrics {
		if _, ok := r.last(m.metric); ok {
			c.metrics = append(c.metrics, m)
		}
	}
	y, right := card.axes(c.metrics)
	config := chart.LiveConfig{
		Y: y, Right: right, Window: w.seconds(), Capacity: maxRecent, Bands: card.bands, Rules: card.rules(),
	}
	for _, m := range c.metrics {
		config.Lines = append(config.Lines, chart.LiveSeries{Name: m.name, Unit: m.unit})
	}
	c.live = uichart.NewLive(config)
	c.live.OnFocus = func() { kit.Reveal(c.live) }
	c.live.SetMinSize(least)
	c.values = make([]float64, len(c.metrics))
	c.fill()
	return c
}

// complete reports whether the chart shows all that has a value.
func (c *liveChart) complete() bool {
	n := 0
	for _, m := range c.card.metrics {
		if _, ok := c.record.last(m.metric); ok {
			n++
		}
	}
	return n == len(c.metrics)
}

// show chooses the window, of what was there up to a time.
func (c *liveChart) show(w Window, until float64) {
	c.window, c.until = w, until
	c.live.SetWindow(w.seconds())
	c.fill()
}

// lead is how far before a window the chart takes samples, in seconds: the line enters from there.
const lead = 5

// from is where the window begins, or a little before.
func (c *liveChart) from() float64 {
	newest, ok := c.record.newest()
	switch {
	case !ok:
		return 0
	case c.window == WholeRun:
		return c.record.begunBy(c.until)
	}
	return min(c.until, newest) - c.window.seconds() - lead
}

// fill draws the window again out of the record.
func (c *liveChart) fill() {
	c.live.Clear()
	c.live.SetEpoch(c.record.epoch)
	c.turn, c.upto = c.record.turn, math.Inf(-1)
	c.fillFrom(c.from() - 1e-6)
}

// fillFrom appends what the record has after a time, up to where the chart ends.
func (c *liveChart) fillFrom(after float64) {
	c.record.each(after, func(row *series.Row) {
		if row.At > c.until {
			return
		}
		for i, m := range c.metrics {
			c.values[i] = row.Value(c.record.column(m.metric))
		}
		_ = c.live.Append(row.At, c.values...) // the record is in order, and has as many values as the chart
		c.upto = row.At
	})
}

// update takes in what is new, and reports whether there was anything.
func (c *liveChart) update() bool {
	if c.turn != c.record.turn && c.window == WholeRun {
		c.fill()
		return true
	}
	upto := c.upto
	c.fillFrom(max(c.upto, c.from()-1e-6))
	return c.upto != upto
}

// object is part of cardPlot.
func (c *liveChart) object() momentChart { return c.live }

// freeze is part of cardPlot.
func (c *liveChart) freeze(on bool) {
	if c.until = math.Inf(1); on {
		c.until = c.upto
	}
	c.live.SetPaused(on)
}

// figure is the newest value of the first metric, and how old it is in seconds.
func (c *liveChart) figure() figure {
	f := figure{}
	f.state, f.word = c.card.state(c.record.Latest())
	if len(c.metrics) == 0 { // the state says it
		return f
	}
	m := c.metrics[0]
	last, _ := c.record.last(m.metric)
	f.words, f.of, f.age = m.unit.Format(last.reading.Value), m.name, c.record.latest.Time.Sub(last.at).Seconds()
	if f.age > 0 {
		f.why = whyNot(c.record.Latest(), m.metric)
	}
	if c.card.idle != "" && last.reading.Value == 0 && !c.record.running() {
		f.words, f.idle = c.card.idle, true
	}
	return f
}

// redraw draws the chart, with what went on and where its values come from.
func (c *liveChart) redraw() {
	for i, m := range c.metrics {
		if last, ok := c.record.last(m.metric); ok {
			c.live.SetSource(i, last.reading.Source, string(last.reading.Provenance))
		}
	}
	from := c.from()
	c.live.SetPhases(c.record.phasesSince(from))
	c.live.SetEvents(c.record.eventsSince(from))
	c.live.SetStates(c.record.statesSince(c.card, from))
	c.live.Refresh()
}

// phasesSince are the cases after a time, or the runs where those would be too many.
func (r *Record) phasesSince(from float64) []chart.Phase {
	if list := r.phases(r.cases, from); len(list) > 0 && len(list) <= maxShaded {
		return list
	}
	return r.phases(r.runs, from)
}

// phases are those of a list of spans that end after a time.
func (r *Record) phases(spans []Span, from float64) []chart.Phase {
	var list []chart.Phase
	for _, s := range spans {
		p := chart.Phase{From: r.seconds(s.From), To: math.Inf(1), Label: s.Label, Odd: s.Odd}
		if !s.To.IsZero() {
			p.To = r.seconds(s.To)
		}
		if p.To > from {
			list = append(list, p)
		}
	}
	return list
}

// eventsSince are the marks after a time.
func (r *Record) eventsSince(from float64) []chart.Event {
	var list []chart.Event
	for _, m := range r.marks {
		if x := r.seconds(m.At); x >= from {
			list = append(list, chart.Event{X: x, Label: m.Label, Severity: m.Severity})
		}
	}
	return list
}
