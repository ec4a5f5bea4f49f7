package view

import (
	"math"
	"slices"

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
	WholeRun // since the run began, or since the first snapshot
)

// seconds returns the length of a chart's window.
func (w Window) seconds() float64 {
	switch w {
	case OneMinute:
		return 60
	case TenMinutes:
		return 600
	}
	return chart.WholeRun
}

// maxShaded is the maximum number of cases that are distinguished in a window; with more cases, only the runs are.
const maxShaded = 12

// liveChart draws the metrics of a card that have values from a record.
type liveChart struct {
	card    *liveCard
	record  *Record
	metrics []liveMetric // metrics on the chart
	window  Window
	live    *uichart.Live
	upto    float64 // the last sample added
	until   float64 // the end of the time shown; +Inf: now
	turn    int     // of the record, when the chart was filled
	rules   []chart.Rule
	values  []float64     // reused
	phases  []chart.Phase // reused
}

// newLiveChart makes the chart of the metrics of a card that ever had a value.
func newLiveChart(card *liveCard, r *Record, w Window, least fyne.Size) *liveChart {
	c := &liveChart{card: card, record: r, window: w, until: math.Inf(1)}
	for _, m := range card.metrics {
		if _, ok := r.last(m.metric); ok {
			c.metrics = append(c.metrics, m)
		}
	}
	c.rules = card.rules(r.Rules())
	y, right := card.axes(c.metrics)
	config := chart.LiveConfig{
		Y: y, Right: right, Window: w.seconds(), Capacity: maxRecent, Bands: card.bands, Rules: c.rules,
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

// complete reports whether the chart shows every metric with a value, and the limits in force.
func (c *liveChart) complete() bool {
	n := 0
	for _, m := range c.card.metrics {
		if _, ok := c.record.last(m.metric); ok {
			n++
		}
	}
	return n == len(c.metrics) && slices.Equal(c.rules, c.card.rules(c.record.Rules()))
}

// show chooses the window, ending at a time.
func (c *liveChart) show(w Window, until float64) {
	c.window, c.until = w, until
	c.live.SetWindow(w.seconds())
	c.fill()
}

// lead is how far before a window the chart takes samples, in seconds, so that the line enters from there.
const lead = 5

// from returns where the window begins, or a little before.
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

// fill refills the window from the record.
func (c *liveChart) fill() {
	c.live.Clear()
	c.live.SetEpoch(c.record.epoch)
	c.turn, c.upto = c.record.turn, math.Inf(-1)
	c.fillFrom(c.from() - 1e-6)
}

// fillFrom appends the record's samples after a time, up to the end of the chart.
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

// update takes new samples and reports whether there were any.
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

// figure returns the newest value of the first metric, and its age in seconds.
func (c *liveChart) figure() figure {
	f := figure{}
	f.state, f.word = c.card.state(c.record.Latest())
	if len(c.metrics) == 0 { // the state shows it
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

// redraw draws the chart, with phases, events and sources.
func (c *liveChart) redraw() {
	for i, m := range c.metrics {
		if last, ok := c.record.last(m.metric); ok {
			c.live.SetSource(i, last.reading.Source, string(last.reading.Provenance))
		}
	}
	from := c.from()
	c.phases = c.record.phasesSince(c.phases[:0], from)
	c.live.SetPhases(c.phases)
	c.live.SetEvents(c.record.eventsSince(from))
	c.live.SetStates(c.record.statesSince(c.card, from))
	c.live.Refresh()
}

// phasesSince appends the cases after a time to a list, or the runs if there are too many cases.
func (r *Record) phasesSince(list []chart.Phase, from float64) []chart.Phase {
	if cases := r.endingAfter(r.cases, from, maxShaded+1); len(cases) > 0 && len(cases) <= maxShaded {
		return r.appendPhases(list, cases)
	}
	return r.appendPhases(list, r.endingAfter(r.runs, from, len(r.runs)))
}

// endingAfter returns the spans of a list that end after a time; the newest if there are more than a limit.
func (r *Record) endingAfter(spans series.Spans, from float64, limit int) []Span {
	first := len(spans)
	for first > 0 && len(spans)-first < limit && r.end(spans[first-1]) > from {
		first--
	}
	return spans[first:]
}

// end returns the end of a span: +Inf if it has not ended.
func (r *Record) end(s Span) float64 {
	if s.To.IsZero() {
		return math.Inf(1)
	}
	return r.seconds(s.To)
}

// appendPhases appends spans to a list in the form that a chart draws.
func (r *Record) appendPhases(list []chart.Phase, spans []Span) []chart.Phase {
	for _, s := range spans {
		list = append(list, chart.Phase{From: r.seconds(s.From), To: r.end(s), Label: s.Label, Odd: s.Odd})
	}
	return list
}

// eventsSince returns the marks from the first one after a time.
func (r *Record) eventsSince(from float64) []chart.Event {
	if r.events == nil {
		for _, m := range r.marks {
			r.events = append(r.events, chart.Event{X: r.seconds(m.At), Label: m.Label, Severity: m.Severity})
		}
	}
	first := slices.IndexFunc(r.events, func(e chart.Event) bool { return e.X >= from })
	if first < 0 {
		return nil
	}
	return r.events[first:]
}
