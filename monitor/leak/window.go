package leak

import "math"

// window holds the floors of cells in groups, and the line through them.
type window struct {
	groups  int
	floor   [most]float64 // B
	line    Line          // B per iteration
	seconds Line          // B/s
}

// windowOf computes the floors of at least fewest cells from the right, so that an interval that never touched its floor gets that of
// a later one. A floor is the minimum from the interval's start on and is placed there, so that the line through steady growth is the
// growth itself. The last interval has none after it: its floor is the previous one's, and not a point of the line.
func windowOf(cells []cell) window {
	w := window{groups: most}
	n := len(cells)
	if n < most {
		w.groups = fewest
	}
	var iterations, seconds [most]float64
	floor, step := int64(math.MaxInt64), int64(0)
	for g := w.groups - 1; g >= 0; g-- {
		first := g * n / w.groups
		for i := (g+1)*n/w.groups - 1; i >= first; i-- {
			if lower := min(floor, cells[i].live); i < n-1 && !(g == most-1) {
				step, floor = max(step, floor-lower), lower
			} else {
				floor = lower
			}
		}
		w.floor[g] = float64(floor)
		iterations[g] = float64(cells[first].first - cells[0].first)
		seconds[g] = cells[first].begin.Sub(cells[0].begin).Seconds()
	}
	fitted := w.groups
	if w.groups == most {
		fitted--
		w.floor[fitted] = w.floor[fitted-1]
	}
	w.line = fitLine(iterations[:fitted], w.floor[:fitted], float64(step))
	w.seconds = fitLine(seconds[:fitted], w.floor[:fitted], float64(step))
	return w
}

// trail holds the cells of growth since it began, oldest first, in bounded memory.
type trail []cell

// maxTrail is the maximum number of cells in a trail.
const maxTrail = 128

// add appends a cell that is later than all of the trail. A full trail merges its cells in pairs.
func (t *trail) add(c cell) {
	n := len(*t)
	if n > 0 && c.begin.Before((*t)[n-1].end.Add(1)) {
		return
	}
	if n == maxTrail {
		for i := range n / 2 {
			(*t)[i] = (*t)[2*i].with((*t)[2*i+1])
		}
		*t = (*t)[:n/2]
	}
	*t = append(*t, c)
}

// with merges c and the later cell d.
func (c cell) with(d cell) cell {
	return cell{begin: c.begin, end: d.end, first: c.first, iteration: d.iteration, live: min(c.live, d.live)}
}
