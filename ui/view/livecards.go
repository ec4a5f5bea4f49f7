package view

import (
	"assay/internal/chart"
	"assay/monitor"
)

// liveCard is one card of live charts: its metrics, their meaning, and good values.
type liveCard struct {
	title   string
	tells   string // in one or two plain sentences
	metrics []liveMetric
	max     float64 // of the left axis; 0: from the data
	bands   []chart.Band
	limits  []string     // metrics whose alert rules are drawn as limits
	states  []liveMetric // shown as words; the first known one
	idle    string       // shown instead of 0 between runs; empty: 0
	part    string       // of a run's readings
}

// liveMetric is a metric on a card. Metrics with a second unit use the right axis.
type liveMetric struct {
	name   string // on the card, brief
	metric string
	unit   chart.Unit
	whole  bool // values are whole numbers
	// optional says that a system without the metric lacks nothing.
	optional bool
}

// liveCards are all cards, in the order of the catalog's groups.
func liveCards() []liveCard {
	var cards []liveCard
	for _, g := range monitor.Groups() {
		c := liveCard{title: g.Title, tells: g.About, max: g.Max, idle: g.Idle, part: g.Part}
		for _, m := range monitor.Catalog() {
			if m.Group == g.ID {
				c.add(&m)
			}
		}
		cards = append(cards, c)
	}
	return cards
}

// add puts a metric on the card, shown as the catalog says.
func (c *liveCard) add(m *monitor.Metric) {
	short := liveMetric{name: m.Short, metric: m.ID, unit: chart.Unit(m.Unit), whole: m.Whole, optional: m.Optional}
	if m.Unit == m.Short {
		short.unit = chart.None // the name includes it
	}
	switch m.Show {
	case monitor.AsLine:
		c.metrics = append(c.metrics, short)
	case monitor.AsWord:
		c.states = append(c.states, short)
	}
	c.bands = append(c.bands, bandsOf(m.Good)...)
	if m.Limits {
		c.limits = append(c.limits, m.ID)
	}
}

// bandsOf returns ranges as charts shade them.
func bandsOf(good []monitor.Range) []chart.Band {
	var bands []chart.Band
	for _, r := range good {
		bands = append(bands, chart.Band{Lo: r.Lo, Hi: r.Hi, Label: r.Label})
	}
	return bands
}

// axes returns the left and the right axis of the card's metrics: the first unit is on the left.
func (c *liveCard) axes(metrics []liveMetric) (y, right chart.Axis) {
	y, right = chart.Axis{FromZero: true, Max: c.max}, chart.Axis{FromZero: true}
	for i, m := range metrics {
		switch {
		case i == 0:
			y.Whole = m.whole
		case m.unit != metrics[0].unit:
			right.Whole = m.whole
		}
	}
	return y, right
}

// rules are the limits of a card at which its alerts are raised.
func (c *liveCard) rules(all []monitor.Rule) []chart.Rule {
	var list []chart.Rule
	for _, r := range all {
		for _, metric := range c.limits {
			if r.Metric == metric && r.While == "" && !r.Off {
				list = append(list, chart.Rule{Y: r.Raise, Label: "alert at " + monitor.Format(r.Raise, c.unit(metric))})
			}
		}
	}
	return list
}

// unit returns the unit of a metric of the card.
func (c *liveCard) unit(metric string) string {
	for _, m := range c.metrics {
		if m.metric == metric {
			return string(m.unit)
		}
	}
	return ""
}

// state returns the name and the word of the first known state; both are empty if there is none.
func (c *liveCard) state(s *monitor.Snapshot) (of, word string) {
	for _, m := range c.states {
		if word, ok := Known(s, m.metric); ok {
			return m.name, word
		}
	}
	return "", ""
}

// missing lists the metrics of the card without a value, each with the reason.
func (c *liveCard) missing(r *Record) []gap {
	var list []gap
	for _, m := range c.metrics {
		if _, ok := r.last(m.metric); !ok && !m.elsewhere(r.Latest()) {
			list = append(list, gap{m.name, whyNot(r.Latest(), m.metric)})
		}
	}
	if _, word := c.state(r.Latest()); word == "" && len(c.states) > 0 && !c.states[0].elsewhere(r.Latest()) {
		list = append(list, gap{c.states[0].name, whyNot(r.Latest(), c.states[0].metric)})
	}
	return list
}

// elsewhere reports whether no source of this system reads the metric, and none should.
func (m *liveMetric) elsewhere(s *monitor.Snapshot) bool {
	_, read := s.Find(m.metric)
	return m.optional && !read
}

// gap is a metric that is not available, and why.
type gap struct{ name, why string }

// whyNot returns the reason why a metric has no value now.
func whyNot(s *monitor.Snapshot, metric string) string {
	r, ok := s.Find(metric)
	switch {
	case len(s.Readings) == 0:
		return "no reading yet"
	case !ok:
		return "not read on this system"
	case r.Status == monitor.OK:
		return "the source is late"
	}
	return r.Reason
}
