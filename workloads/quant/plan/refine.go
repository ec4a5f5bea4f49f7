package plan

import (
	"cmp"
	"slices"
	"sort"
)

// maxRefinements is the maximum number of changes to a plan. Each makes it smaller; few are found.
const maxRefinements = 1000

// trade is a different choice for a tensor, with its effect.
type trade struct {
	at    int
	to    Choice
	bytes int64   // added or saved
	noise float64 // removed or added
}

// refine makes a plan smaller as long as its noise stays within the wanted amount: by different choices for single tensors, or for
// pairs, where one tensor gets fewer bits and the other more. It considers every option of a tensor, including those that no step
// leads to.
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

// trades returns all other choices that save bytes, and all that spend bytes to reduce noise.
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

// most returns the trade that saves the most bytes without adding more noise than there is room for.
func most(smaller []trade, room float64) (best trade, ok bool) {
	for _, t := range smaller {
		if t.noise <= room && t.bytes > best.bytes {
			best, ok = t, true
		}
	}
	return best, ok
}

// cheapest holds the two trades of different tensors that cost the fewest bytes among those that save at least that much noise.
type cheapest struct {
	noise         float64
	first, second trade
}

// swap returns the pair of trades of two tensors that together saves the most bytes without adding more noise than there is room for.
func swap(smaller, larger []trade, room float64) (a, b trade, ok bool) {
	slices.SortStableFunc(larger, func(x, y trade) int { return cmp.Compare(y.noise, x.noise) })
	var by []cheapest // sorted by noise saved, the most first
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
		i := sort.Search(len(by), func(i int) bool { return by[i].noise < need }) // all entries before it save enough
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
