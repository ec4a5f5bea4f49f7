package graph

import (
	"slices"
)

// Align is the alignment of values in a plan's memory, in bytes.
const Align = 256

// Interval is how long a value is needed, and where it is stored.
type Interval struct {
	Value       int
	Bytes       int
	First, Last int // steps
	Offset      int // in the shared memory
}

// Memory is where a plan stores the results of its steps; inputs are not part of it.
type Memory struct {
	Intervals []Interval
	Before    int // bytes if each value had its own memory
	Peak      int // bytes with values sharing memory
}

// intervals lists what the steps write, with outputs kept to the end.
func intervals(g *Graph, steps []Step) []Interval {
	var all []Interval
	at := map[int]int{}
	for s, step := range steps {
		for _, a := range step.Args {
			if a == None || g.Values[a].input() {
				continue
			}
			k, known := at[a]
			if !known {
				k = len(all)
				at[a] = k
				bytes := (max(1, g.Type.Bytes(Elements(g.Values[a].Shape))) + Align - 1) / Align * Align
				all = append(all, Interval{Value: a, Bytes: bytes, First: s})
			}
			all[k].Last = s
		}
	}
	for i := range all {
		if g.output(all[i].Value) {
			all[i].Last = len(steps) - 1
		}
	}
	return all
}

// plan places values, the largest first, at the lowest offset that is free while they are needed. Without reuse, each has its own
// memory.
func plan(g *Graph, steps []Step, reuse bool) Memory {
	m := Memory{Intervals: intervals(g, steps)}
	var order []int
	for i := range m.Intervals {
		m.Intervals[i].Offset = m.Before
		m.Before += m.Intervals[i].Bytes
		order = append(order, i)
	}
	if m.Peak = m.Before; !reuse {
		return m
	}
	slices.SortStableFunc(order, func(a, b int) int { return m.Intervals[b].Bytes - m.Intervals[a].Bytes })
	m.Peak = 0
	var placed []Interval // sorted by offset
	for _, i := range order {
		one := &m.Intervals[i]
		one.Offset = room(placed, one)
		placed = append(placed, *one)
		slices.SortFunc(placed, func(a, b Interval) int { return a.Offset - b.Offset })
		m.Peak = max(m.Peak, one.Offset+one.Bytes)
	}
	return m
}

// room returns the lowest offset at which a value overlaps none that is needed at the same time.
func room(placed []Interval, one *Interval) int {
	at := 0
	for _, p := range placed {
		apart := p.Last < one.First || one.Last < p.First
		if !apart && p.Offset < at+one.Bytes && at < p.Offset+p.Bytes {
			at = p.Offset + p.Bytes
		}
	}
	return at
}
