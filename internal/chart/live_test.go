package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// retained is the number of values for which a live chart has memory.
func (l *Live) retained() int {
	n := cap(l.xs)
	for i := range l.ys {
		h := l.whole[i]
		n += cap(l.ys[i]) + cap(h.xs) + cap(h.ys) + cap(h.sums) + cap(h.counts)
	}
	return n
}

// TestEightHoursHoldFlat appends 8 h at 4 Hz: memory does not grow, and the whole run still shows its one spike, its dip and its mean.
func TestEightHoursHoldFlat(t *testing.T) {
	l := NewLive(LiveConfig{Lines: []LiveSeries{{Name: "Memory", Unit: Bytes}, {Name: "Power", Unit: "W"}}, Window: WholeRun})
	before := l.retained()
	const samples = 8 * 3600 * 4
	sum := 0.0
	for i := range samples {
		v := 100 + float64(i%10)
		switch i {
		case 50_001:
			v = 900
		case 70_002:
			v = 3
		}
		sum += v
		if err := l.Append(float64(i)/4, v, 5); err != nil {
			t.Fatal(err)
		}
	}
	if after := l.retained(); after != before {
		t.Errorf("room grew from %d to %d numbers", before, after)
	}
	s := &l.m.Series[0]
	if s.Len() > 2*maxBuckets || s.Len() < maxBuckets/2 {
		t.Errorf("%d points shown for the whole run", s.Len())
	}
	if slices.Max(s.Y) != 900 || slices.Min(s.Y) != 3 {
		t.Errorf("range %g … %g, want 3 … 900", slices.Min(s.Y), slices.Max(s.Y))
	}
	if !slices.IsSorted(s.X) || s.X[0] > 60 || s.X[s.Len()-1] < 8*3600-60 {
		t.Errorf("times from %g to %g, sorted %v", s.X[0], s.X[s.Len()-1], slices.IsSorted(s.X))
	}
	if mean, n := l.whole[0].mean(0); n != samples || math.Abs(mean-sum/samples) > 1e-9*mean {
		t.Errorf("mean %g of %d, want %g of %d", mean, n, sum/samples, samples)
	}
	l.SetWindow(60)
	if s.Len() != 242 || s.X[s.Len()-1] != float64(samples-1)/4 {
		t.Errorf("a minute shows %d points up to %g", s.Len(), s.X[s.Len()-1])
	}
	if n := testing.AllocsPerRun(100, func() { _ = l.Append(l.now+1, 1, 1) }); n != 0 {
		t.Errorf("%v allocations per sample", n)
	}
}

func TestHistoryKeepsGaps(t *testing.T) {
	h := newHistory()
	for i := range 4 * maxBuckets {
		v := float64(i)
		if i >= maxBuckets && i < 2*maxBuckets {
			v = math.NaN()
		}
		h.add(float64(i), v)
	}
	gaps := 0
	for _, y := range h.ys {
		if math.IsNaN(y) {
			gaps++
		}
	}
	if want := len(h.ys) / 4; gaps < want-4 || gaps > want+4 {
		t.Errorf("%d of %d points are missing, want a quarter", gaps, len(h.ys))
	}
}

func TestPauseFreezesThePicture(t *testing.T) {
	l := NewLive(LiveConfig{Series: []string{"a"}, Capacity: 8, Window: 5})
	for i := range 10 {
		_ = l.Append(float64(i), float64(i))
	}
	l.SetPaused(true)
	xs, ys := slices.Clone(l.m.Series[0].X), slices.Clone(l.m.Series[0].Y)
	for i := 10; i < 40; i++ {
		_ = l.Append(float64(i), float64(i))
	}
	if s := &l.m.Series[0]; !slices.Equal(s.X, xs) || !slices.Equal(s.Y, ys) || string(s.Value) != "9" || l.m.X.Max != 9 {
		t.Errorf("the paused picture moved: %v %v %q", s.X, s.Y, s.Value)
	}
	if !strings.Contains(l.Summary(), "Paused") || l.Last(0) != 39 {
		t.Errorf("summary %q, last %g", l.Summary(), l.Last(0))
	}
	l.SetPaused(false)
	if s := &l.m.Series[0]; l.m.X.Max != 39 || s.Y[s.Len()-1] != 39 || string(s.Value) != "39" {
		t.Errorf("resumed at %g with %q", l.m.X.Max, s.Value)
	}
}

func TestUnitsShareOutTheAxes(t *testing.T) {
	l := NewLive(LiveConfig{Lines: []LiveSeries{
		{Name: "a", Unit: "FLOP/s"}, {Name: "b", Unit: "B/s", Source: "engine", Provenance: "measured"}, {Name: "c", Unit: "W"},
	}})
	_ = l.Append(0, 2e12, 1e9, 7)
	s := l.m.Series
	if s[0].Right || !s[1].Right || s[2].Right || l.m.Y.Unit != "FLOP/s" || l.m.Y2.Unit != "B/s" {
		t.Errorf("right: %v %v %v, units %q %q", s[0].Right, s[1].Right, s[2].Right, l.m.Y.Unit, l.m.Y2.Unit)
	}
	if string(s[1].Value) != "1 GB/s" || s[1].Note != "engine, measured" {
		t.Errorf("value %q, note %q", s[1].Value, s[1].Note)
	}
	if s[2].Len() != 0 || !strings.Contains(l.Summary(), "c: not drawn") {
		t.Errorf("the third unit has %d points; %q", s[2].Len(), l.Summary())
	}
}

func TestSummary(t *testing.T) {
	l := NewLive(LiveConfig{Lines: []LiveSeries{{Name: "Power", Unit: "W"}, {Name: "Fan", Unit: "W"}}})
	if got := l.Summary(); got != "No data yet." {
		t.Errorf("empty: %q", got)
	}
	for i, v := range []float64{4, 10, 7} {
		_ = l.Append(float64(i*10), v, math.NaN())
	}
	if got, want := l.Summary(), "Last 20 s. Power: last 7 W, min 4 W, max 10 W, mean 7 W. Fan: no reading."; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	l.SetUnavailable("needs root")
	if got := l.Summary(); got != "Not available: needs root." {
		t.Errorf("unavailable: %q", got)
	}
	m := barsModel()
	if got := m.Summary(); !strings.HasPrefix(got, "unfused: 5 points, min 39 µs at Multiply, max 120 µs at Softmax.") {
		t.Errorf("plot: %q", got)
	}
}

// TestReasonIsWhole checks that a chart shows the whole reason in every size that can hold it.
func TestReasonIsWhole(t *testing.T) {
	reason := "this machine has no GPU energy counter that can be read without administrator rights"
	for _, size := range [][2]int{{160, 96}, {200, 60}, {320, 140}, {900, 90}} {
		r, seen := watch(t)
		img := render(r, Model{Unavailable: reason, Y: Axis{Unit: "W"}}, DarkStyle(), size[0], size[1], 1)
		checkTexts(t, "reason", img.Rect, *seen)
		var words []string
		for _, s := range *seen {
			if s.words != "Not available" {
				words = append(words, s.words)
			}
		}
		if got := strings.Join(words, " "); got != reason {
			t.Errorf("%v: says %q", size, got)
		}
	}
}

func TestLiveKeepsTheNewestSamples(t *testing.T) {
	l := NewLive(LiveConfig{Series: []string{"a"}, Capacity: 3, Window: 2})
	for i := range 20 {
		if err := l.Append(float64(i), float64(10*i)); err != nil {
			t.Fatal(err)
		}
	}
	s := &l.m.Series[0]
	if s.Len() != 3 || s.X[0] != 17 || s.Y[2] != 190 || l.Last(0) != 190 {
		t.Errorf("kept X %v Y %v", s.X, s.Y)
	}
	l.Clear()
	if !math.IsNaN(l.Last(0)) || s.Len() != 0 {
		t.Error("Clear kept samples")
	}
}

func TestLiveRejectsBadSamples(t *testing.T) {
	l := NewLive(LiveConfig{Series: []string{"a"}})
	if l.Append(5, 1) != nil {
		t.Fatal("good sample refused")
	}
	for _, err := range []error{l.Append(6), l.Append(4, 1), l.Append(math.NaN(), 1)} {
		if err == nil {
			t.Error("bad sample accepted")
		}
	}
}

func TestLiveAppendDoesNotAllocate(t *testing.T) {
	l := NewLive(LiveConfig{Series: []string{"a", "b"}, Y: Axis{Unit: "B/s"}, Capacity: 50})
	now, vs := 0.0, []float64{1.5e9, 2.25e9}
	if n := testing.AllocsPerRun(200, func() { now++; _ = l.Append(now, vs...) }); n != 0 {
		t.Errorf("%v allocations per sample", n)
	}
}
