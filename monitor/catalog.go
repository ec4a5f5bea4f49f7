package monitor

import (
	"slices"
	"strings"
	"sync"
)

// Metric describes something that is measured on the machine, this process or the engine. Cards in the window, timelines in
// reports, monitor.csv, alert rules and the command line are derived from it.
type Metric struct {
	ID       string  // stable, "host.cpu"
	Title    string  // for people, "Host CPU"
	Short    string  // its name within its group, "all cores"
	Unit     string  // SI unit of its values: "ratio", "B", "W", "°C", "FLOP/s"; empty for states and plain numbers
	About    string  // what the value measures, in one sentence
	Group    string  // ID of the group it is shown with; empty: only in tables
	Show     Show    // how the group shows it
	Good     []Range // usual values, for comparison
	Limits   bool    // the thresholds of the alert rules are drawn too
	Whole    bool    // values are whole numbers
	Timeline bool    // reports draw it over the run
	Optional bool    // a system that does not read it lacks nothing: the metric belongs to another system
	Joint    bool    // several sources may read it; the highest value or the worst state counts
	Parts    bool    // its parts have metrics of their own, whose IDs extend its ID: "host.temperature.gpu_die"
	Rules    []Rule  // alerts on it
	States   []State // for a metric that is a word: its values, the best first
	Max      float64 // the highest value that a rule may have; 0: the maximum for its unit
}

// Show is how a group shows a metric.
type Show uint8

// Ways to show a metric.
const (
	NotShown Show = iota
	AsLine        // a line on the group's chart
	AsWord        // the state in a word; if there are several, the first known one
)

// Range is a named range of values, such as what is usual for some kind of work.
type Range struct {
	Lo, Hi float64
	Label  string
}

// Group is a set of metrics that are shown together as one card.
type Group struct {
	ID    string
	Title string
	About string  // what it shows and what is good, in two short sentences
	Max   float64 // of the axis; 0: from the data
	Idle  string  // shown in place of 0 between runs; empty: 0
	Part  string  // the part of a run's readings it belongs to: PartCounters, PartMemory, PartPower
}

// Parts of the readings of a run.
const (
	PartCounters = "Counters"
	PartMemory   = "Memory"
	PartPower    = "Power"
)

// Parts lists the parts in the order in which they are shown.
func Parts() []string { return []string{PartCounters, PartMemory, PartPower} }

// Catalog lists all metrics; those of a group are in the order in which they are shown.
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

// Lookup returns the metric with that ID or, for a part that is not in the catalog, the metric that it is a part of.
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

// Template returns a reading of a metric in the catalog, without a value. For an ID that is not in the catalog, the title is the ID.
func Template(id, source string) Reading {
	r := Reading{Metric: id, Title: id, Source: source}
	if m, ok := Lookup(id); ok {
		r.Title, r.Unit = m.Title, m.Unit
	}
	return r
}

// part returns the template for a part of the metric, with the part's name in the ID and the title.
func (r Reading) part(label string) Reading {
	r.Metric += "." + metricName(label)
	return r.covering(label)
}

// covering states in the title what a value covers, if that differs from machine to machine.
func (r Reading) covering(what string) Reading {
	r.Title += " (" + what + ")"
	return r
}
