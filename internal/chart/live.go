package chart

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// WholeRun is the window that shows everything since the first sample.
const WholeRun = math.MaxFloat64

// LiveSeries describes one value of a live chart.
type LiveSeries struct {
	Name string
	// Unit is that of the left axis if empty. A chart has at most two units, the second on the right axis; a third is
	// listed but not drawn.
	Unit Unit
	// Source says where the value is read, Provenance how it is obtained, such as "measured" or "estimated". The pointer shows both.
	Source, Provenance string
}

// LiveConfig describes a live chart.
type LiveConfig struct {
	Series []string     // names of values in the unit of Y; one value each per Append
	Lines  []LiveSeries // additional values, after those of Series
	Y      Axis
	Right  Axis    // range and title of the right axis; its unit is that of the lines
	Window float64 // seconds shown, or WholeRun; 60 if not positive
	// Capacity is the number of individual samples in memory; 2400 if not positive. A longer window shows the minimum
	// and maximum of intervals.
	Capacity int
	Bands    []Band
	Rules    []Rule
}

// Live is the model of a chart of some values over the last seconds or a whole run. Append adds a sample; drawing is up to the owner.
// Its memory is bounded, however long it runs.
// however long it runs.
type Live struct {
	m      Model
	window float64
	cap    int
	taken  int         // samples since the start
	begun  float64     // time of the first
	now    float64     // time of the newest
	xs     []float64   // the current samples end at len; see push
	ys     [][]float64 // per series
	whole  []*history  // per series
	third  []bool      // per series: of a third unit
	values [][]byte    // legend texts, reused
	paused bool
}

// NewLive makes an empty live chart.
func NewLive(c LiveConfig) *Live {
	l := &Live{window: c.Window, cap: c.Capacity}
	if !(l.window > 0) {
		l.window = 60
	}
	if l.cap <= 0 {
		l.cap = 2400
	}
	var lines []LiveSeries
	for _, name := range c.Series {
		lines = append(lines, LiveSeries{Name: name})
	}
	l.m = Model{Y: c.Y, Y2: c.Right, Bands: c.Bands, Rules: c.Rules}
	l.m.Y2.Unit = ""
	l.addLines(append(lines, c.Lines...))
	l.showNow()
	return l
}

// addLines creates the series and assigns the two axes.
func (l *Live) addLines(lines []LiveSeries) {
	l.xs = make([]float64, 0, 2*l.cap)
	right := false
	for i, c := range lines {
		if c.Unit == "" {
			c.Unit = l.m.Y.Unit
		}
		if i == 0 {
			l.m.Y.Unit = c.Unit
		}
		onRight := c.Unit != l.m.Y.Unit
		if onRight && !right {
			l.m.Y2.Unit, right = c.Unit, true
		}
		l.third = append(l.third, onRight && c.Unit != l.m.Y2.Unit)
		l.m.Series = append(l.m.Series, Series{
			Name: c.Name, Right: onRight && !l.third[i], Note: note(c.Source, c.Provenance),
		})
		l.ys = append(l.ys, make([]float64, 0, 2*l.cap))
		l.whole = append(l.whole, newHistory())
		l.values = append(l.values, make([]byte, 0, 32))
	}
	for i := range l.m.Series {
		l.m.Series[i].Fill = len(lines) <= 2 && !right && len(l.m.Bands) == 0 // over bands, a fill would produce a third color
	}
}

func note(source, provenance string) string {
	if source == "" || provenance == "" {
		return source + provenance
	}
	return source + ", " + provenance
}

// Append adds a sample at t seconds, one value per series; NaN is a missing
// value. It clears SetUnavailable. Samples must come in order of time.
func (l *Live) Append(t float64, values ...float64) error {
	switch {
	case len(values) != len(l.ys):
		return fmt.Errorf("chart: sample has %d values, the chart has %d series", len(values), len(l.ys))
	case !finite(t):
		return fmt.Errorf("chart: sample time %v is not finite", t)
	case l.taken > 0 && t < l.now:
		return fmt.Errorf("chart: sample at %g s comes after one at %g s", t, l.now)
	}
	if l.taken == 0 {
		l.begun = t
	}
	l.taken++
	l.now = t
	l.xs = push(l.xs, t, l.cap)
	for i, v := range values {
		l.ys[i] = push(l.ys[i], v, l.cap)
		l.whole[i].add(t, v)
	}
	l.m.Unavailable = ""
	if !l.paused {
		l.showNow()
	}
	return nil
}

// push appends v to a buffer with capacity 2·n. A full buffer first moves its last n-1 values to the front, so the
// current samples are always one slice.
func push(b []float64, v float64, n int) []float64 {
	if len(b) == cap(b) {
		keep := copy(b, b[len(b)-(n-1):])
		b = b[:keep]
	}
	return append(b, v)
}

func last(b []float64, n int) []float64 { return b[max(0, len(b)-n):] }

// showNow sets the model to the window that ends at the newest sample.
func (l *Live) showNow() {
	span := l.span()
	l.m.X = Axis{Scale: Window, Unit: Seconds, Min: l.now - span, Max: l.now}
	xs := last(l.xs, l.cap)
	from, _ := slices.BinarySearch(xs, l.now-span)
	from = max(0, from-1) // the line enters from before the window
	far := l.far(span)
	for i := range l.m.Series {
		s := &l.m.Series[i]
		s.paired = far
		if s.X, s.Y = xs[from:], last(l.ys[i], l.cap)[from:]; far {
			s.X, s.Y = l.whole[i].xs, l.whole[i].ys
		}
		if l.third[i] {
			s.X, s.Y = nil, nil
		}
		if len(l.ys[i]) > 0 {
			l.values[i] = unitOf(&l.m, s).Append(l.values[i][:0], l.Last(i))
			s.Value = l.values[i]
		}
	}
}

// far reports whether a window starts before the individual samples.
func (l *Live) far(span float64) bool {
	return l.taken > l.cap && last(l.xs, l.cap)[0] > l.now-span
}

// span is how many seconds the chart shows. For the whole run it grows in steps, so that the axis is stable in between.
func (l *Live) span() float64 {
	if l.window < WholeRun/2 {
		return l.window
	}
	run := l.now - l.begun
	for _, s := range [...]float64{
		60, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10800, 14400, 21600, 28800, 43200, 64800, 86400,
	} {
		if run <= s {
			return s
		}
	}
	return math.Ceil(run/43200) * 43200
}

// SetWindow shows the given last seconds, or the WholeRun, up to now. Nonpositive values are ignored.
func (l *Live) SetWindow(seconds float64) {
	if seconds > 0 {
		l.window = seconds
		l.resume()
	}
}

// Window is how many seconds the chart shows, or WholeRun.
func (l *Live) Window() float64 { return l.window }

// SetPaused freezes the picture while samples are still added, or shows the newest again.
func (l *Live) SetPaused(paused bool) {
	if paused == l.paused {
		return
	}
	l.paused, l.m.Paused = paused, paused
	if !paused {
		l.resume()
		return
	}
	for i := range l.m.Series {
		s := &l.m.Series[i]
		s.X, s.Y, s.Value = slices.Clone(s.X), slices.Clone(s.Y), slices.Clone(s.Value)
	}
}

// resume shows the newest samples again.
func (l *Live) resume() {
	l.paused, l.m.Paused = false, false
	l.showNow()
}

// Paused reports whether the picture is frozen.
func (l *Live) Paused() bool { return l.paused }

// SetPhases sets the phases of the run, replacing the previous list.
func (l *Live) SetPhases(phases []Phase) { l.m.Phases = append(l.m.Phases[:0], phases...) }

// SetEvents sets the events, replacing the previous list.
func (l *Live) SetEvents(events []Event) { l.m.Events = append(l.m.Events[:0], events...) }

// SetStates sets the states, replacing the previous list.
func (l *Live) SetStates(name string, states []State) {
	l.m.StateName, l.m.States = name, append(l.m.States[:0], states...)
}

// SetSource sets the source of a series and how it is derived.
func (l *Live) SetSource(series int, source, provenance string) {
	if series >= 0 && series < len(l.m.Series) {
		l.m.Series[series].Note = note(source, provenance)
	}
}

// SetEpoch gives the time at which t is 0, for the pointer to show the time of day.
func (l *Live) SetEpoch(t time.Time) { l.m.Epoch = t }

// SetUnavailable shows why there are no values, until the next Append. An empty
// reason shows the samples again.
func (l *Live) SetUnavailable(reason string) { l.m.Unavailable = reason }

// Clear removes all samples, phases, events and states.
func (l *Live) Clear() {
	l.xs, l.taken, l.begun, l.now = l.xs[:0], 0, 0, 0
	l.m.Phases, l.m.Events, l.m.States = l.m.Phases[:0], l.m.Events[:0], l.m.States[:0]
	for i := range l.ys {
		l.ys[i] = l.ys[i][:0]
		l.whole[i].clear()
		l.m.Series[i].Value = nil
	}
	l.paused, l.m.Paused = false, false
	l.showNow()
}

// Last is the newest value of a series, NaN if there is none.
func (l *Live) Last(series int) float64 {
	if series < 0 || series >= len(l.ys) || len(l.ys[series]) == 0 {
		return math.NaN()
	}
	return l.ys[series][len(l.ys[series])-1]
}

// Model is what the chart shows now. Append and the setters change it in place.
func (l *Live) Model() *Model { return &l.m }
