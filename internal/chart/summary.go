package chart

import (
	"fmt"
	"math"
	"strings"
)

// Summary describes the chart in words: for each series the last, minimum, maximum and mean value in the window.
func (l *Live) Summary() string {
	if reason := trimSpace(l.m.Unavailable); l.m.Unavailable != "" {
		return strings.TrimSuffix("Not available: "+reason, ": ") + "."
	}
	if l.taken == 0 {
		return "No data yet."
	}
	var b strings.Builder
	from, to := l.m.X.Min, l.m.X.Max
	fmt.Fprintf(&b, "Last %s.", appendAgo(nil, min(to-from, max(to-l.begun, 1))))
	if l.paused {
		b.WriteString(" Paused.")
	}
	for i := range l.m.Series {
		s := &l.m.Series[i]
		if l.third[i] {
			fmt.Fprintf(&b, " %s: not drawn, a third unit.", s.Name)
			continue
		}
		st := rangeOf(s, from, to)
		if st.n == 0 {
			fmt.Fprintf(&b, " %s: no reading.", s.Name)
			continue
		}
		if s.paired && !l.paused {
			st.mean, _ = l.whole[i].mean(from)
		}
		u := unitOf(&l.m, s)
		newest := string(s.Value)
		if newest == u.Format(math.NaN()) {
			newest = "no reading"
		}
		fmt.Fprintf(&b, " %s: last %s, min %s, max %s", s.Name, newest, u.Format(st.lo), u.Format(st.hi))
		if !s.paired || !l.paused { // the frozen buckets have no mean of their own
			fmt.Fprintf(&b, ", mean %s", u.Format(st.mean))
		}
		b.WriteString(".")
	}
	return b.String()
}

// stats describes the values of a series in a range of X.
type stats struct {
	lo, hi, mean float64
	loX, hiX     float64
	n            int // finite values
}

func rangeOf(s *Series, from, to float64) stats {
	st := stats{lo: math.Inf(1), hi: math.Inf(-1)}
	sum := 0.0
	for j := range s.Len() {
		x, y := s.At(j)
		if !(x >= from && x <= to) {
			continue
		}
		if !finite(y) {
			continue
		}
		if y < st.lo {
			st.lo, st.loX = y, x
		}
		if y > st.hi {
			st.hi, st.hiX = y, x
		}
		sum += y
		st.n++
	}
	st.mean = sum / float64(max(1, st.n))
	return st
}

// Summary describes the chart in words: for each series the number of points, the minimum and maximum with their positions, then the
// marks and the rules.
func (m *Model) Summary() string {
	if m.Unavailable != "" {
		return "Not available: " + m.Unavailable + "."
	}
	var b strings.Builder
	for i := range m.Series {
		s := &m.Series[i]
		st := rangeOf(s, math.Inf(-1), math.Inf(1))
		if st.n == 0 {
			continue
		}
		u := unitOf(m, s)
		fmt.Fprintf(&b, "%s: %d points, min %s at %s, max %s at %s. ",
			s.Name, st.n, u.Format(st.lo), xWords(m, st.loX), u.Format(st.hi), xWords(m, st.hiX))
	}
	m.summarizeBoxes(&b)
	for i := range m.Marks {
		fmt.Fprintf(&b, "%s at %s. ", m.Marks[i].Label, xWords(m, m.Marks[i].X))
	}
	for i := range m.Rules {
		fmt.Fprintf(&b, "%s at %s. ", m.Rules[i].Label, m.Y.Unit.Format(m.Rules[i].Y))
	}
	if b.Len() == 0 {
		return "No data yet."
	}
	return strings.TrimSpace(b.String())
}

// summarizeBoxes says how many boxes there are, and the minimum and maximum of their values.
func (m *Model) summarizeBoxes(b *strings.Builder) {
	lo, hi := -1, -1
	for i := range m.Boxes {
		if v := m.Boxes[i].Value; finite(v) {
			if lo < 0 || v < m.Boxes[lo].Value {
				lo = i
			}
			if hi < 0 || v > m.Boxes[hi].Value {
				hi = i
			}
		}
	}
	if lo >= 0 {
		fmt.Fprintf(b, "%s: %d boxes, min %s at %s, max %s at %s. ", m.Ramp.Title, len(m.Boxes),
			m.Ramp.Unit.Format(m.Boxes[lo].Value), boxPlace(m, &m.Boxes[lo]), m.Ramp.Unit.Format(m.Boxes[hi].Value), boxPlace(m, &m.Boxes[hi]))
	}
}

// xWords describes a position on X in words.
func xWords(m *Model, x float64) string {
	if i := int(math.Round(x)); m.X.Scale == Category && i >= 0 && i < len(m.X.Categories) {
		return m.X.Categories[i]
	}
	if m.X.Scale == Log2 && m.X.Unit == None {
		return string(appendTrimmed(nil, x, 2))
	}
	return m.X.Unit.Format(x)
}
