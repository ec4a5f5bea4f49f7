package ui

import (
	"math"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/monitor"
	"assay/ui/chart"
)

// liveWindow is how many seconds the live charts show.
const liveWindow = 120

// liveCard is one live chart with what it shows now and where that comes from.
type liveCard struct {
	title   string
	unit    chart.Unit
	max     float64 // of the axis; 0: from the data
	metrics []liveMetric
	now     []string // metrics told in words beside the title
	weight  float32  // part of the height
}

type liveMetric struct{ name, metric string }

// liveCards are the charts from top to bottom.
func liveCards() []liveCard {
	return []liveCard{
		{
			title: "Throughput", unit: "/s", weight: 1, now: []string{monitor.EngineFlops, monitor.EngineBytes},
			metrics: []liveMetric{{"FLOP", monitor.EngineFlops}, {"bytes", monitor.EngineBytes}},
		}, {
			title: "Pool reuse", unit: chart.Ratio, max: 1, weight: 0.9, now: []string{monitor.PoolReuse},
			metrics: []liveMetric{{"from the pool", monitor.PoolReuse}},
		}, {
			title: "Memory", unit: chart.Bytes, weight: 1, now: []string{monitor.EngineLive, monitor.ProcessRSS},
			metrics: []liveMetric{{"live in the engine", monitor.EngineLive}, {"Assay", monitor.ProcessRSS}},
		}, {
			title: "Pressure", unit: chart.Ratio, max: 1, weight: 0.9, now: []string{monitor.MemoryPressure},
			metrics: []liveMetric{{"host memory used", monitor.HostMemoryFull}, {"stalled on memory", monitor.MemoryPressure}},
		}, {
			title: "Heat", unit: chart.Celsius, weight: 1, now: []string{monitor.ThermalState, monitor.Throttling},
			metrics: []liveMetric{{"hottest sensor", monitor.Temperature}},
		},
	}
}

// livePanel is the column of live charts.
type livePanel struct {
	views  []*liveView
	object fyne.CanvasObject
	epoch  time.Time // seconds on the charts count from here
}

type liveView struct {
	card   liveCard
	now    *text
	source *text
	chart  *chart.Live
	seen   time.Time // the last sample with a value
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
	config := chart.LiveConfig{Y: chart.Axis{Unit: c.unit, FromZero: true, Max: c.max}, Window: liveWindow}
	for _, m := range c.metrics {
		config.Series = append(config.Series, m.name)
	}
	v := &liveView{card: c, now: newCaption("", 1), source: newCaption("", 1), chart: chart.NewLive(config)}
	v.chart.SetMinSize(fyne.NewSize(200, 56))
	v.chart.SetUnavailable("Waiting for the first reading")
	v.now.align = fyne.TextAlignTrailing
	v.now.color = theme.ColorNameForeground
	return v
}

func (v *liveView) object() fyne.CanvasObject {
	head := container.NewBorder(nil, nil, newHeading(v.card.title).whole(), nil, v.now)
	return newPanel(container.NewBorder(head, v.source, nil, nil, v.chart), 8)
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
		v.chart.Refresh()
	}
}

// add takes in one snapshot. What has no value leaves a gap.
func (v *liveView) add(s *monitor.Snapshot, at float64) {
	values := make([]float64, len(v.card.metrics))
	for i, m := range v.card.metrics {
		value, ok := s.Value(m.metric)
		if values[i] = value; !ok {
			values[i] = math.NaN()
			continue
		}
		v.seen = s.Time
	}
	// A clock that was set back gives a sample before the last: it is left out.
	_ = v.chart.Append(at, values...)
	if v.seen.IsZero() || s.Time.Sub(v.seen) > liveWindow*time.Second {
		v.chart.SetUnavailable(v.missing(s))
	}
}

// missing is why none of the card's metrics has a value.
func (v *liveView) missing(s *monitor.Snapshot) string {
	text := reading(s, v.card.metrics[0].metric)
	return strings.ToUpper(text[:1]) + text[1:]
}

// tell writes what is so now and where it was read.
func (v *liveView) tell(s *monitor.Snapshot) {
	var now, sources []string
	for _, metric := range v.card.now {
		if text, ok := known(s, metric); ok {
			if metric == monitor.Throttling {
				text = "throttled " + text
			}
			now = append(now, text)
		}
	}
	for _, m := range v.card.metrics {
		r, ok := s.Find(m.metric)
		switch {
		case !ok || r.Status != monitor.OK:
			sources = append(sources, m.name+" "+reading(s, m.metric))
		case r.Source != "":
			sources = append(sources, r.Source)
		}
	}
	v.now.set(strings.Join(now, " · "))
	v.source.set(strings.Join(compact(sources), "; "))
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

// weightedLayout stacks objects and shares the height between them by weight.
type weightedLayout struct {
	weights []float32
	gap     float32
}

func (l *weightedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.Size{}
	total, unit := float32(0), float32(0)
	for i, c := range o {
		least := c.MinSize()
		size.Width = max(size.Width, least.Width)
		total += l.weights[i]
		unit = max(unit, least.Height/l.weights[i])
	}
	size.Height = unit*total + l.gap*float32(len(o)-1)
	return size
}

func (l *weightedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	total := float32(0)
	for _, w := range l.weights {
		total += w
	}
	room := size.Height - l.gap*float32(len(o)-1)
	y := float32(0)
	for i, c := range o {
		height := room * l.weights[i] / total
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, height))
		y += height + l.gap
	}
}
