package view

import "math"

// mostStretches bounds how many stretches are kept: a chart is about half as many pixels wide.
const mostStretches = 1024

// stretches are equal parts of a long time, each with the least and the most of every metric. When there are too many,
// neighbours are joined: what was seen in an hour takes as much room as what was seen in a minute.
type stretches struct {
	list  []stretch
	width float64 // of each, in seconds
	start float64 // of the first
}

type stretch struct {
	slot  int // which one it is, from start
	least []float64
	most  []float64
	fell  []bool // the most came before the least
}

// add takes in the next sample.
func (p *stretches) add(s sample) {
	if len(p.list) == 0 {
		p.width, p.start = 1, s.at
	}
	slot := int((s.at - p.start) / p.width)
	if n := len(p.list); n > 0 && p.list[n-1].slot == slot {
		p.list[n-1].take(s.values, s.values, nil)
		return
	}
	if len(p.list) == mostStretches {
		p.join()
		p.add(s)
		return
	}
	first := stretch{slot: slot}
	first.take(s.values, s.values, nil)
	p.list = append(p.list, first)
}

// join makes each stretch twice as long.
func (p *stretches) join() {
	p.width *= 2
	kept := p.list[:0]
	for _, s := range p.list {
		s.slot /= 2
		if n := len(kept); n > 0 && kept[n-1].slot == s.slot {
			kept[n-1].take(s.least, s.most, s.fell)
			continue
		}
		kept = append(kept, s)
	}
	clear(p.list[len(kept):])
	p.list = kept
}

// take widens the stretch to values that come after what it holds.
func (s *stretch) take(least, most []float64, fell []bool) {
	for len(s.least) < len(least) {
		s.least, s.most = append(s.least, math.NaN()), append(s.most, math.NaN())
		s.fell = append(s.fell, false)
	}
	for i := range least {
		lower, higher := least[i] < s.least[i], most[i] > s.most[i]
		switch {
		case math.IsNaN(least[i]):
		case math.IsNaN(s.least[i]):
			s.least[i], s.most[i], s.fell[i] = least[i], most[i], fell != nil && fell[i]
		case lower && higher:
			s.least[i], s.most[i], s.fell[i] = least[i], most[i], fell != nil && fell[i]
		case lower:
			s.least[i], s.fell[i] = least[i], true
		case higher:
			s.most[i], s.fell[i] = most[i], false
		}
	}
}

// before calls add with two samples for each stretch that ends before a time: its extremes in the order in which they came.
func (p *stretches) before(end float64, add func(*sample)) {
	for i := range p.list {
		s := &p.list[i]
		from := p.start + float64(s.slot)*p.width
		if from+p.width > end {
			return
		}
		first := sample{at: from + p.width/4, values: make([]float64, len(s.least))}
		second := sample{at: from + p.width*3/4, values: make([]float64, len(s.least))}
		for k := range s.least {
			first.values[k], second.values[k] = s.least[k], s.most[k]
			if s.fell[k] {
				first.values[k], second.values[k] = s.most[k], s.least[k]
			}
		}
		add(&first)
		add(&second)
	}
}
