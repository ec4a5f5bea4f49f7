package ui

import (
	"math"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/monitor"
	"assay/ui/chart"
)

// liveWindow is how many seconds the live charts show.
const liveWindow = 120

// liveCard is a card of the right column: a heading and one or two live charts.
type liveCard struct {
	title  string
	weight float32 // part of the height
	charts []liveChart
}

// liveChart is metrics of one unit that share a chart.
type liveChart struct {
	unit    chart.Unit
	max     float64 // of the axis; 0: from the data
	metrics []liveMetric
	state   string // metric told in words in the heading; empty for none
}

type liveMetric struct{ name, metric string }

// liveCards are the cards from top to bottom.
func liveCards() []liveCard {
	return []liveCard{
		{"Throughput", 1, []liveChart{
			{unit: "/s", metrics: []liveMetric{{"FLOP", monitor.EngineFlops}, {"bytes", monitor.EngineBytes}}},
		}},
		{"Pool reuse", 1, []liveChart{
			{unit: chart.Ratio, max: 1, metrics: []liveMetric{{"served from the pool", monitor.PoolReuse}}},
		}},
		{"Memory and pressure", 1.8, []liveChart{
			{unit: chart.Bytes, metrics: []liveMetric{{"engine", monitor.EngineLive}, {"Assay", monitor.ProcessRSS}}},
			{unit: chart.Ratio, max: 1, metrics: []liveMetric{{"host used", monitor.HostMemoryFull}, {"stalled", monitor.MemoryPressure}}},
		}},
		{"Heat", 1, []liveChart{
			{unit: chart.Celsius, metrics: []liveMetric{{"hottest", monitor.Temperature}}, state: monitor.ThermalState},
		}},
	}
}

// livePanel is the column of live charts.
type livePanel struct {
	views  []*liveView
	object fyne.CanvasObject
	epoch  time.Time // seconds on the charts count from here
}

// liveView is a card on the screen.
type liveView struct {
	card   liveCard
	state  *text // in words, beside the heading
	source *text
	body   *fyne.Container
	charts []*chart.Live
	seen   []time.Time // per chart: the last sample with a value
}

func newLivePanel(history []monitor.Snapshot) *livePanel {
	p := &livePanel{}
	var cards []fyne.CanvasObject
	var weights []float32
	for _, c := range liveCards() {
		v := newLiveView(c)
		p.views = append(p.views, v)
		cards = append(cards, v.object())
		weights = append(weights, c.weight)
	}
	list := container.New(&weightedLayout{weights, 8}, cards...)
	p.object = stackOf(newFill(colorWindow, 0), container.NewBorder(nil, nil, newLine(), nil, inset(list, 10, 10)))
	p.add(history)
	return p
}

func newLiveView(c liveCard) *liveView {
	v := &liveView{card: c, source: newCaption("", 2), state: newCaption("", 1), seen: make([]time.Time, len(c.charts))}
	for _, lc := range c.charts {
		config := chart.LiveConfig{Y: chart.Axis{Unit: lc.unit, FromZero: true, Max: lc.max}, Window: liveWindow}
		for _, m := range lc.metrics {
			config.Series = append(config.Series, m.name)
		}
		live := chart.NewLive(config)
		live.SetMinSize(fyne.NewSize(200, 64))
		live.SetUnavailable("waiting for the first reading")
		v.charts = append(v.charts, live)
	}
	return v
}

func (v *liveView) object() fyne.CanvasObject {
	v.state.align = fyne.TextAlignTrailing
	head := container.NewBorder(nil, nil, newHeading(v.card.title).whole(), nil, v.state)
	var charts []fyne.CanvasObject
	var weights []float32
	for _, c := range v.charts {
		charts = append(charts, c)
		weights = append(weights, 1)
	}
	v.body = container.New(cardLayout{}, head, container.New(&weightedLayout{weights, 4}, charts...), v.source)
	return newPanel(v.body, 9)
}

// cardLayout is a heading, charts that take the room there is, and a text that wraps below them.
type cardLayout struct{}

func (cardLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	head, charts := o[0].MinSize(), o[1].MinSize()
	words := o[2].(*text)
	return fyne.NewSize(max(head.Width, charts.Width), head.Height+4+charts.Height+2*words.measure("Mg").Height)
}

func (cardLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head, words := o[0].MinSize().Height, o[2].(*text).heightFor(size.Width)
	charts := size.Height - head - 4 - words
	y := float32(0)
	for i, height := range []float32{head, charts, words} {
		o[i].Resize(fyne.NewSize(size.Width, height))
		o[i].Move(fyne.NewPos(0, y))
		y += height
		if i == 0 {
			y += 4
		}
	}
}

// add takes in snapshots, oldest first, and redraws once.
func (p *livePanel) add(snapshots []monitor.Snapshot) {
	if len(snapshots) == 0 {
		return
	}
	if p.epoch.IsZero() {
		p.epoch = snapshots[0].Time
	}
	for i := range snapshots {
		for _, v := range p.views {
			v.add(&snapshots[i], snapshots[i].Time.Sub(p.epoch).Seconds())
		}
	}
	for _, v := range p.views {
		v.tell(&snapshots[len(snapshots)-1])
		for _, c := range v.charts {
			c.Refresh()
		}
	}
}

// add takes in one snapshot. What has no value leaves a gap.
func (v *liveView) add(s *monitor.Snapshot, at float64) {
	for i, c := range v.charts {
		metrics := v.card.charts[i].metrics
		values := make([]float64, len(metrics))
		for k, m := range metrics {
			value, ok := s.Value(m.metric)
			if values[k] = value; !ok {
				values[k] = math.NaN()
				continue
			}
			v.seen[i] = s.Time
		}
		// A clock that was set back gives a sample before the last: it is left out.
		_ = c.Append(at, values...)
		if v.seen[i].IsZero() || s.Time.Sub(v.seen[i]) > liveWindow*time.Second {
			c.SetUnavailable(missing(s, metrics[0].metric))
		}
	}
}

// missing is why a metric has no value.
func missing(s *monitor.Snapshot, metric string) string {
	if r, ok := s.Find(metric); ok {
		return r.Reason
	}
	return "no source reads it on this system"
}

// tell writes where the values were read, and a state in words.
func (v *liveView) tell(s *monitor.Snapshot) {
	var parts []string
	for _, c := range v.card.charts {
		if words, ok := known(s, c.state); ok {
			v.state.set(words)
		}
		for _, m := range c.metrics {
			if r, ok := s.Find(m.metric); ok && r.Status == monitor.OK && r.Source != "" {
				parts = append(parts, r.Source)
			}
		}
	}
	if words := strings.Join(compact(parts), ", "); words != v.source.content {
		v.source.set(words)
		v.body.Refresh()
	}
}

// compact removes repeats.
func compact(list []string) []string {
	var out []string
	for _, s := range list {
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}
