package plan

import (
	"cmp"
	"slices"
	"sort"
)

// maxRefinements is the maximum number of changes to a plan. Each makes it smaller; few are found.
const maxRefinements = 1000

// trade is another choice for a tensor, with what it changes.
type trade struct {
	at    int
	to    Choice
	bytes int64   // more, or saved
	noise float64 // less, or added
}

// refine makes a plan smaller whose noise may grow to what is wanted: by other choices for single tensors, and for pairs, of which one
// keeps fewer bits and the other more. It considers every option of a tensor, also those that no step leads to. The noise stays within what is wanted.
func (p *Plan) refine(options [][]Choice, wanted float64) {
	for range maxRefinements {
		noise := p.noise()
		smaller, larger := p.trades(options)
		if t, ok := most(smaller, wanted-noise); ok {
			p.apply(t)
			continue
		}
		a, b, ok := swap(smaller, larger, wanted-noise)
		if !ok {
			return
		}
		p.apply(a)
		p.apply(b)
	}
}

func (p *Plan) noise() (sum float64) {
	for i := range p.Choices {
		sum += p.Choices[i].noise()
	}
	return sum
}

func (p *Plan) apply(t trade) {
	p.Bytes += t.to.Bytes() - p.Choices[t.at].Bytes()
	p.Choices[t.at] = t.to
}

// trades are all other choices that save bytes, and all that save noise for bytes.
func (p *Plan) trades(options [][]Choice) (smaller, larger []trade) {
	for i := range p.Choices {
		now := &p.Choices[i]
		for _, o := range options[i] {
			switch saved := now.Bytes() - o.Bytes(); {
			case saved > 0:
				smaller = append(smaller, trade{i, o, saved, o.noise() - now.noise()})
			case saved < 0:
				larger = append(larger, trade{i, o, -saved, now.noise() - o.noise()})
			}
		}
	}
	return smaller, larger
}

// most is the trade that saves most bytes of those that add no more noise than there is room for.
func most(smaller []trade, room float64) (best trade, ok bool) {
	for _, t := range smaller {
		if t.noise <= room && t.bytes > best.bytes {
			best, ok = t, true
		}
	}
	return best, ok
}

// cheapest are the two trades of different tensors that cost fewest bytes, among those that save at least so much noise.
type cheapest struct {
	noise         float64
	first, second trade
}

// swap is the pair of trades of two tensors that saves most bytes together, and adds no more noise than there is room for.
func swap(smaller, larger []trade, room float64) (a, b trade, ok bool) {
	slices.SortStableFunc(larger, func(x, y trade) int { return cmp.Compare(y.noise, x.noise) })
	var by []cheapest // the more noise is to be saved, the earlier
	var c cheapest
	for _, t := range larger {
		switch {
		case c.first.bytes == 0 || t.bytes < c.first.bytes && t.at == c.first.at:
			c.first = t
		case t.bytes < c.first.bytes:
			c.first, c.second = t, c.first
		case t.at != c.first.at && (c.second.bytes == 0 || t.bytes < c.second.bytes):
			c.second = t
		}
		c.noise = t.noise
		by = append(by, c)
	}
	var saved int64
	for _, s := range smaller {
		need := s.noise - room
		i := sort.Search(len(by), func(i int) bool { return by[i].noise < need }) // before it all save enough
		if i == 0 {
			continue
		}
		l := by[i-1].first
		if l.at == s.at {
			l = by[i-1].second
		}
		if l.bytes > 0 && s.bytes-l.bytes > saved {
			a, b, saved, ok = s, l, s.bytes-l.bytes, true
		}
	}
	return a, b, ok
}
