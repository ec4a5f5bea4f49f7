package view

import (
	"math"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/monitor"
	"assay/ui/chart"
	"assay/ui/kit"
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
			{unit: chart.Ratio, max: 1, metrics: []liveMetric{
				{"host used", monitor.HostMemoryFull}, {"stalled", monitor.MemoryPressure},
			}},
		}},
		{"Heat", 1, []liveChart{
			{unit: chart.Celsius, metrics: []liveMetric{{"hottest", monitor.Temperature}}, state: monitor.ThermalState},
		}},
	}
}

// LivePanel is the column of live charts.
type LivePanel struct {
	views  []*liveView
	layout *kit.WeightedLayout
	list   *fyne.Container
	Object fyne.CanvasObject
	epoch  time.Time // seconds on the charts count from here
}

// liveView is a card on the screen.
type liveView struct {
	card   liveCard
	state  *kit.Text // in words, beside the heading
	source *kit.Text
	body   *fyne.Container
	plots  *fyne.Container
	charts []*chart.Live
	seen   []time.Time // per chart: the last sample with a value
}

func NewLivePanel(history []monitor.Snapshot) *LivePanel {
	p := &LivePanel{}
	var cards []fyne.CanvasObject
	var weights []float32
	for _, c := range liveCards() {
		v := newLiveView(c)
		p.views = append(p.views, v)
		cards = append(cards, v.object())
		weights = append(weights, c.weight)
	}
	p.layout = &kit.WeightedLayout{Weights: weights, Gap: 8}
	p.list = container.New(p.layout, cards...)
	p.Object = kit.Edged(kit.Inset(p.list, 10, 10), kit.AtLeft, kit.NewLine())
	p.Add(history)
	return p
}

func newLiveView(c liveCard) *liveView {
	v := &liveView{card: c, source: kit.NewCaption("", 3), state: kit.NewCaption("", 1), seen: make([]time.Time, len(c.charts))}
	for _, lc := range c.charts {
		config := chart.LiveConfig{Y: chart.Axis{Unit: lc.unit, FromZero: true, Max: lc.max}, Window: liveWindow}
		for _, m := range lc.metrics {
			config.Series = append(config.Series, m.name)
		}
		live := chart.NewLive(config)
		live.SetMinSize(fyne.NewSize(200, 52))
		live.SetUnavailable(reasonBelow)
		v.charts = append(v.charts, live)
	}
	return v
}

func (v *liveView) object() fyne.CanvasObject {
	v.state.Align = fyne.TextAlignTrailing
	head := container.NewBorder(nil, nil, kit.NewHeading(v.card.title).Whole(), nil, v.state)
	var charts []fyne.CanvasObject
	var weights []float32
	for _, c := range v.charts {
		charts = append(charts, kit.OnPanel(c))
		weights = append(weights, 1)
	}
	v.plots = container.New(&kit.WeightedLayout{Weights: weights, Gap: 4}, charts...)
	v.body = container.New(cardLayout{}, head, v.plots, v.source)
	return kit.NewPanel(v.body, 9)
}

// cardLayout is a heading, charts that take the room there is, and a text that wraps below them.
type cardLayout struct{}

func (cardLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	head, charts := o[0].MinSize(), fyne.Size{}
	if o[1].Visible() {
		charts = o[1].MinSize()
	}
	return fyne.NewSize(max(head.Width, charts.Width), head.Height+4+charts.Height+o[2].MinSize().Height)
}

func (cardLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head, words := o[0].MinSize().Height, o[2].(*kit.Text).HeightFor(size.Width)
	charts := size.Height - head - 4 - words
	if !o[1].Visible() {
		charts = 0
	}
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

// Add takes in snapshots, oldest first, and redraws once.
func (p *LivePanel) Add(snapshots []monitor.Snapshot) {
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
	for i, v := range p.views {
		if v.tell(&snapshots[len(snapshots)-1]) {
			p.layout.Weights[i] = v.weight()
			p.list.Refresh()
		}
		for _, c := range v.charts {
			c.Refresh()
		}
	}
}

// gap says why a metric has no value; its name is left out where the card shows nothing else.
func (v *liveView) gap(m liveMetric, why string) string {
	if len(v.card.charts) == 1 && len(v.card.charts[0].metrics) == 1 {
		return strings.ToUpper(why[:1]) + why[1:]
	}
	return m.name + " " + why
}

// empty reports whether nothing was ever read.
func (v *liveView) empty() bool {
	for _, seen := range v.seen {
		if !seen.IsZero() {
			return false
		}
	}
	return true
}

// weight is the card's part of the height: small while all it can say is why there is nothing.
func (v *liveView) weight() float32 {
	if v.empty() {
		return 0.05
	}
	return v.card.weight
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
			c.SetUnavailable(reasonBelow)
		}
	}
}

// reasonBelow stands in a chart without values: why it has none is written below it, where there is always room.
const reasonBelow = " "

// tell writes a state in words, and where the values were read or why there are none.
// It reports whether the card must be laid out anew.
func (v *liveView) tell(s *monitor.Snapshot) bool {
	var sources, gaps []string
	for _, c := range v.card.charts {
		if words, ok := Known(s, c.state); ok {
			v.state.Set(words)
		}
		for _, m := range c.metrics {
			if r, ok := s.Find(m.metric); ok && r.Status == monitor.OK {
				sources = append(sources, r.Source)
			} else {
				gaps = append(gaps, v.gap(m, reading(s, m.metric)))
			}
		}
	}
	words := strings.Join(append(gaps, abbreviate(sources)...), "; ")
	if words == v.source.Content {
		return false
	}
	v.source.Set(words)
	kit.Show(v.plots, !v.empty())
	v.body.Refresh()
	return true
}

// abbreviate leaves out of each text what it begins with as the one before it, in whole words.
func abbreviate(list []string) []string {
	var out []string
	before := ""
	for _, s := range list {
		if s == before {
			continue
		}
		out = append(out, s[sharedWords(before, s):])
		before = s
	}
	return out
}

// sharedWords is the length of the words that a and b both begin with.
func sharedWords(a, b string) int {
	shared := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == ' ' {
			shared = i + 1
		}
	}
	return shared
}
