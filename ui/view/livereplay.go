package view

import (
	"math"
	"time"

	"fyne.io/fyne/v2"

	"assay/internal/chart"
	"assay/internal/series"
	"assay/monitor"
	uichart "assay/ui/chart"
	"assay/ui/kit"
)

// RecordOf returns the record of a run that is over, from its start (time 0), its snapshots, oldest first, its spans, and its
// events.
func RecordOf(began time.Time, snapshots []monitor.Snapshot, spans []Span, marks []Mark) *Record {
	r := &Record{}
	r.start(began)
	for i := range snapshots {
		r.Add(snapshots[i])
	}
	for _, s := range spans {
		r.cases.Append(s)
	}
	r.marks = series.Newest(marks)
	return r
}

// replayChart draws the metrics of a card for a run that is over.
type replayChart struct {
	metrics []liveMetric
	most    float64 // maximum of the first metric
	state   string  // name of the worst state
	word    string  // its word
	plot    *uichart.Plot
}

// newReplayChart draws a record, with the plot of another replay unless that is nil.
func newReplayChart(card *liveCard, r *Record, kept *replayChart, least fyne.Size) *replayChart {
	c := &replayChart{}
	m := &chart.Model{
		X: chart.Axis{Unit: chart.Seconds, Max: r.length()}, Bands: card.bands, Rules: card.rules(monitor.Rules()),
	}
	for _, metric := range card.metrics {
		if _, ok := r.last(metric.metric); ok {
			c.metrics = append(c.metrics, metric)
		}
	}
	m.Y, m.Y2 = card.axes(c.metrics)
	for _, metric := range c.metrics {
		m.Series = append(m.Series, r.series(metric, m))
	}
	for i := range m.Series {
		m.Series[i].Fill = len(m.Series) <= 2 && m.Y2.Unit == chart.None && len(m.Bands) == 0 // as on a live chart
	}
	c.most = c.highest(m)
	m.Phases, m.Events = r.phasesSince(nil, math.Inf(-1)), r.eventsSince(math.Inf(-1))
	m.StateName, m.States = r.statesSince(card, math.Inf(-1))
	c.state, c.word = worst(m.StateName, m.States)
	if kept != nil {
		c.plot = kept.plot
		c.plot.SetModel(m)
		return c
	}
	c.plot = uichart.NewPlot(m)
	c.plot.OnFocus = func() { kit.Reveal(c.plot) }
	c.plot.SetHoverAll(true)
	c.plot.SetMinSize(least)
	return c
}

// highest returns the highest value of the first metric; NaN if there is none.
func (*replayChart) highest(m *chart.Model) float64 {
	most := math.NaN()
	for _, s := range m.Series[:min(1, len(m.Series))] {
		for _, y := range s.Y {
			if !(y <= most) && !math.IsNaN(y) {
				most = y
			}
		}
	}
	return most
}

// worst returns the worst of some states and its metric; both are empty if there is none.
func worst(name string, states []chart.State) (of, word string) {
	level := math.Inf(-1)
	for _, s := range states {
		if s.Level > level {
			of, word, level = "worst "+name, s.Label, s.Level
		}
	}
	return of, word
}

// length returns the time from the beginning to the last snapshot, in seconds.
func (r *Record) length() float64 { return max(0, r.seconds(r.latest.Time)) }

// series returns the whole series of a metric, on the axis of its unit: the first unit is on the left.
func (r *Record) series(metric liveMetric, m *chart.Model) chart.Series {
	if len(m.Series) == 0 {
		m.Y.Unit = metric.unit
	}
	last, _ := r.last(metric.metric)
	s := chart.Series{
		Name: metric.name, Right: metric.unit != m.Y.Unit, Note: last.reading.Source + ", " + string(last.reading.Provenance),
		Value: []byte{}, // the crosshair's
	}
	if s.Right {
		m.Y2.Unit = metric.unit
	}
	column := r.column(metric.metric)
	r.each(math.Inf(-1), func(row *series.Row) {
		s.X, s.Y = append(s.X, row.At), append(s.Y, row.Value(column))
	})
	return s
}

func (c *replayChart) object() momentChart  { return c.plot }
func (c *replayChart) complete() bool       { return true }
func (c *replayChart) update() bool         { return false }
func (c *replayChart) redraw()              { c.plot.Refresh() }
func (c *replayChart) show(Window, float64) {}
func (c *replayChart) freeze(bool)          {}

// figure returns the maximum of the first metric, and the worst state.
func (c *replayChart) figure() figure {
	f := figure{state: c.state, word: c.word}
	if len(c.metrics) > 0 {
		m := c.metrics[0]
		f.words, f.of = m.unit.Format(c.most), m.name+", max"
	}
	return f
}
