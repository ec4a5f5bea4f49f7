package view

import (
	"assay/internal/chart"
	"assay/monitor"
)

// liveCard is one card of live charts: what it shows, what that tells, and what is good.
type liveCard struct {
	title   string
	tells   string // in one or two plain sentences
	metrics []liveMetric
	max     float64 // of the left axis; 0: from the data
	bands   []chart.Band
	limits  []string     // metrics whose alert rules are drawn as limits
	states  []liveMetric // told in words, the first that is known
	idle    string       // what the figure says in place of 0 while no run goes on; empty: 0
}

// liveMetric is a metric on a card. Those of a second unit are on the right axis.
type liveMetric struct {
	name   string // on the card, brief
	metric string
	unit   chart.Unit
}

// Units without rules of their own.
const (
	unitBuffers chart.Unit = "buffers"
	unitFlops   chart.Unit = "FLOP/s"
	unitTraffic chart.Unit = "B/s"
	unitWatts   chart.Unit = "W"
)

// liveCards are all cards, those of the engine first.
func liveCards() []liveCard { return append(engineCards(), machineCards()...) }

// engineCards tell of the engine and its pool.
func engineCards() []liveCard {
	return []liveCard{
		{
			title: "Throughput", idle: "no run",
			tells: "What the kernels get done each second. Good: level while a case is sampled.",
			metrics: []liveMetric{
				{"compute", monitor.EngineFlops, unitFlops}, {"traffic", monitor.EngineBytes, unitTraffic},
			},
		}, {
			title: "Live buffers",
			tells: "What the run holds on the device. Good: back to the same floor after each case; a rising floor is a leak.",
			metrics: []liveMetric{
				{"bytes", monitor.EngineLive, chart.Bytes}, {"count", monitor.EngineBuffers, unitBuffers},
			},
		}, {
			title: "Pool reuse", max: 1,
			tells: "Buffers reused, not made anew. Good: training 80–95 %, batch inference 60–80 %, one-off 0–20 %.",
			metrics: []liveMetric{
				{"whole run", monitor.PoolReuse, chart.Ratio}, {"last minute", monitor.PoolReuseRecent, chart.Ratio},
			},
			bands: []chart.Band{
				{Lo: 0.8, Hi: 0.95, Label: "training"}, {Lo: 0.6, Hi: 0.8, Label: "inference"}, {Lo: 0, Hi: 0.2, Label: "one-off"},
			},
		}, {
			title: "Pool memory",
			tells: "Cached waits for reuse; stranded lies in sizes that nobody asks for. Good: little stranded.",
			metrics: []liveMetric{
				{"stranded", monitor.PoolStranded, chart.Bytes}, {"cached", monitor.PoolCached, chart.Bytes},
			},
			limits: []string{monitor.PoolStranded},
		}, {
			title:   "Queue",
			tells:   "Command buffers handed over and not finished. Good: 1 or more while sampling, so that the device never waits.",
			metrics: []liveMetric{{"command buffers", monitor.QueueDepth, chart.None}},
		},
	}
}

// machineCards tell of the machine.
func machineCards() []liveCard {
	return []liveCard{
		{
			title: "Memory and pressure", max: 1,
			tells: "How full the memory is, and how often tasks wait for it. Good: below 90 % in use, below 10 % waiting.",
			metrics: []liveMetric{
				{"in use", monitor.HostMemoryFull, chart.Ratio},
				{"waiting", monitor.MemoryPressure, chart.Ratio},
				{"engine’s working set", monitor.EngineWorkingSet, chart.Ratio},
			},
			limits: []string{monitor.HostMemoryFull},
			states: []liveMetric{{name: "pressure", metric: monitor.MemoryPressureLevel}},
		}, {
			title: "Assay’s memory",
			tells: "What Assay itself takes. Good: level; what rises from run to run is a leak.",
			metrics: []liveMetric{
				{"resident", monitor.ProcessRSS, chart.Bytes},
				{"footprint", monitor.ProcessFootprint, chart.Bytes},
				{"Go heap", monitor.ProcessHeap, chart.Bytes},
			},
		}, {
			title: "CPU",
			tells: "How busy the processor is. Good: quiet before a run, or other programs take part in your times.",
			metrics: []liveMetric{
				{"all cores", monitor.HostCPU, chart.Ratio},
				{"Assay, of one core", monitor.ProcessCPU, chart.Ratio},
				{"tasks waiting", monitor.CPUPressure, chart.Ratio},
			},
		}, {
			title: "Heat and throttling",
			tells: "Heat lowers the clocks, and times measured then are too long. Good: nominal, and no throttling.",
			metrics: []liveMetric{
				{"hottest", monitor.Temperature, chart.Celsius},
				{"CPU", monitor.TemperatureCPU, chart.Celsius},
				{"GPU", monitor.TemperatureGPU, chart.Celsius},
				{"throttled", monitor.Throttling, chart.Ratio},
			},
			states: []liveMetric{
				{name: "thermal state", metric: monitor.ThermalState}, {name: "thermal pressure", metric: monitor.ThermalPressure},
			},
		}, {
			title: "Power",
			tells: "What the parts draw. Good: level while a case is sampled; a step down under load is throttling.",
			metrics: []liveMetric{
				{"all", monitor.Power, unitWatts},
				{"chip", monitor.PowerSoC, unitWatts},
				{"CPU", monitor.PowerCPU, unitWatts},
				{"GPU", monitor.PowerGPU, unitWatts},
				{"neural engine", monitor.PowerANE, unitWatts},
				{"memory", monitor.PowerDRAM, unitWatts},
			},
		}, {
			title: "GPU", max: 1,
			tells: "How long the GPU is on, and how fast it runs then. Good: busy and at its top clock while sampling.",
			metrics: []liveMetric{
				{"busy", monitor.GPUBusy, chart.Ratio},
				{"in use", monitor.GPUUtilization, chart.Ratio},
				{"of top clock", monitor.GPUClockShare, chart.Ratio},
			},
		}, {
			title: "Swap",
			tells: "Memory moved to disk to make room. Good: none that grows during a run.",
			metrics: []liveMetric{
				{"used", monitor.HostSwap, chart.Bytes}, {"growth", monitor.HostSwapGrowth, unitTraffic},
			},
		},
	}
}

// counted reports whether values of a unit are whole numbers.
func counted(u chart.Unit) bool { return u == chart.None || u == unitBuffers }

// axes are the left and the right axis of the card's metrics: the first unit is on the left.
func (c *liveCard) axes(metrics []liveMetric) (y, right chart.Axis) {
	y, right = chart.Axis{FromZero: true, Max: c.max}, chart.Axis{FromZero: true}
	for i, m := range metrics {
		switch {
		case i == 0:
			y.Whole = counted(m.unit)
		case m.unit != metrics[0].unit:
			right.Whole = counted(m.unit)
		}
	}
	return y, right
}

// rules are the limits of a card, where its alerts are raised.
func (c *liveCard) rules() []chart.Rule {
	var list []chart.Rule
	for _, r := range monitor.Rules() {
		for _, metric := range c.limits {
			if r.Metric == metric && r.While == "" {
				list = append(list, chart.Rule{Y: r.Raise, Label: "alert at " + monitor.Format(r.Raise, c.unit(metric))})
			}
		}
	}
	return list
}

// unit is that of a metric of the card.
func (c *liveCard) unit(metric string) string {
	for _, m := range c.metrics {
		if m.metric == metric {
			return string(m.unit)
		}
	}
	return ""
}

// state is the first state that is known, of what it is and in a word; both are empty where there is none.
func (c *liveCard) state(s *monitor.Snapshot) (of, word string) {
	for _, m := range c.states {
		if word, ok := Known(s, m.metric); ok {
			return m.name, word
		}
	}
	return "", ""
}

// missing are the metrics of the card that have no value, each with the reason.
func (c *liveCard) missing(r *Record) []gap {
	var list []gap
	for _, m := range c.metrics {
		if _, ok := r.last(m.metric); !ok {
			list = append(list, gap{m.name, whyNot(r.Latest(), m.metric)})
		}
	}
	if _, word := c.state(r.Latest()); word == "" {
		for _, m := range c.states[:min(1, len(c.states))] {
			list = append(list, gap{m.name, whyNot(r.Latest(), m.metric)})
		}
	}
	return list
}

// gap is what is not available, and why.
type gap struct{ name, why string }

// whyNot is the reason why a metric has no value now.
func whyNot(s *monitor.Snapshot, metric string) string {
	r, ok := s.Find(metric)
	switch {
	case len(s.Readings) == 0:
		return "nothing was read yet"
	case !ok:
		return "not read on this system"
	case r.Status == monitor.OK:
		return "the reader answers late"
	}
	return r.Reason
}
