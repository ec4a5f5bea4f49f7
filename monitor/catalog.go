package monitor

import (
	"slices"
	"strings"
	"sync"
)

// Metric describes something that is measured on the machine, this process or the engine. Cards of the window, timelines of
// reports, monitor.csv, alert rules and the command line are derived from it.
type Metric struct {
	ID       string  // stable, "host.cpu"
	Title    string  // for people, "Host CPU"
	Short    string  // its name within its group, "all cores"
	Unit     string  // SI unit of its values: "ratio", "B", "W", "°C", "FLOP/s"; empty for states and bare numbers
	About    string  // what the value measures, in one sentence
	Group    string  // ID of the group that it is shown with; empty: only in tables
	Show     Show    // how it is shown there
	Good     []Range // usual values, for comparison
	Limits   bool    // the thresholds of the alert rules are drawn, too
	Whole    bool    // values are whole numbers
	Timeline bool    // reports draw it over the run
	Optional bool    // a system that does not read it lacks nothing: the metric is another's
	Joint    bool    // several sources may read it: the highest value or the worst state counts
	Parts    bool    // there are metrics of its parts, whose IDs extend its own: "host.temperature.gpu_die"
	Rules    []Rule  // alerts on it
	States   []State // of a metric that is a word: its values, the best first
	Max      float64 // the highest value that a rule may have; 0: that of its unit
}

// Show is how a metric is shown with its group.
type Show uint8

// Ways to show a metric.
const (
	NotShown Show = iota
	AsLine        // a line on the group's chart
	AsWord        // the state in a word; of several, the first that is known
)

// Range is a range of values with a name, such as what is usual for some kind of work.
type Range struct {
	Lo, Hi float64
	Label  string
}

// Group is a set of metrics that are shown together, as one card.
type Group struct {
	ID    string
	Title string
	About string  // what it shows and what is good, in two short sentences
	Max   float64 // of the axis; 0: from the data
	Idle  string  // in place of 0 between runs; empty: 0
	Part  string  // of what is told of a run: PartCounters, PartMemory, PartPower
}

// Parts of the readings of a run.
const (
	PartCounters = "Counters"
	PartMemory   = "Memory"
	PartPower    = "Power"
)

// Parts lists them in the order in which they are shown.
func Parts() []string { return []string{PartCounters, PartMemory, PartPower} }

// Catalog lists all metrics, those of a group in the order in which they are shown.
func Catalog() []Metric {
	return slices.Concat(engineMetrics(), memoryMetrics(), processMetrics(), machineMetrics(), gpuMetrics(), nvidiaMetrics(), watchedMetrics())
}

// Groups lists the groups in the order in which they are shown.
func Groups() []Group {
	return slices.Concat(engineGroups(), machineGroups(), gpuGroups(), swapGroups(), watchedGroups())
}

// catalogByID is the catalog by ID.
var catalogByID = sync.OnceValue(func() map[string]Metric {
	byID := map[string]Metric{}
	for _, m := range Catalog() {
		byID[m.ID] = m
	}
	return byID
})

// Lookup returns the metric of an ID; for a part that is not in the catalog, the metric that it is a part of.
func Lookup(id string) (m Metric, ok bool) {
	if m, ok = catalogByID()[id]; ok {
		return m, true
	}
	for dot := strings.LastIndexByte(id, '.'); dot > 0; dot = strings.LastIndexByte(id[:dot], '.') {
		if m = catalogByID()[id[:dot]]; m.Parts {
			return m, true
		}
	}
	return Metric{}, false
}

// Template is a reading of a metric of the catalog without a value. For an ID that is not in it, the title is the ID.
func Template(id, source string) Reading {
	r := Reading{Metric: id, Title: id, Source: source}
	if m, ok := Lookup(id); ok {
		r.Title, r.Unit = m.Title, m.Unit
	}
	return r
}

// part is the template of a part of the metric: with its name in the ID and in the title.
func (r Reading) part(label string) Reading {
	r.Metric += "." + metricName(label)
	return r.covering(label)
}

// covering says in the title what a value covers, where that differs from machine to machine.
func (r Reading) covering(what string) Reading {
	r.Title += " (" + what + ")"
	return r
}
