package view

import (
	"math"
	"testing"
	"time"

	"assay/internal/series"
	"assay/monitor"
)

var dawn = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// valueOf is a reading of a metric.
func valueOf(metric string, v float64) monitor.Reading {
	return monitor.Reading{Metric: metric, Value: v, Unit: "B", Status: monitor.OK}
}

func at(seconds float64) time.Time { return dawn.Add(time.Duration(seconds * float64(time.Second))) }

// values lists the record's values of a metric after a time.
func values(r *Record, metric string, after float64) (xs, ys []float64) {
	if _, ok := r.last(metric); ok {
		r.each(after, func(row *series.Row) {
			xs, ys = append(xs, row.At), append(ys, row.Value(r.column(metric)))
		})
	}
	return xs, ys
}

// Eight hours at four snapshots per second stay within bounds, keep the single spike, and stay in order.
func TestRecordIsBoundedAndKeepsExtremes(t *testing.T) {
	r := &Record{}
	const rate, hours = 4, 8
	for i := range hours * 3600 * rate {
		v := 1.0
		if i == 3600*rate { // after an hour, for a quarter of a second
			v = 100
		}
		r.Add(monitor.Snapshot{Time: at(float64(i) / rate), Readings: []monitor.Reading{valueOf("m", v)}})
		if recent, buckets := r.store.Size(); recent > 2*maxRecent || buckets > 2*maxBuckets || r.store.Len() > maxRecent {
			t.Fatalf("after %d snapshots there is room for %d recent ones and %d buckets", i+1, recent, buckets)
		}
	}
	xs, ys := values(r, "m", -1)
	if xs[0] > 60 || xs[len(xs)-1] != hours*3600-0.25 {
		t.Errorf("the record reaches from %v to %v s", xs[0], xs[len(xs)-1])
	}
	spike := 0.0
	for i := range xs {
		if i > 0 && xs[i] <= xs[i-1] {
			t.Fatalf("sample %d at %v s comes after %v s", i, xs[i], xs[i-1])
		}
		spike = max(spike, ys[i])
	}
	if spike != 100 {
		t.Error("the spike after an hour is gone")
	}
	if n := r.store.Len(); n != 600*rate {
		t.Errorf("%d recent samples, want those of ten minutes", n)
	}
}

func TestRecordLeavesGapsAndTakesNewMetrics(t *testing.T) {
	r := NewRecord([]monitor.Snapshot{
		{Time: at(0), Readings: []monitor.Reading{valueOf("a", 1)}},
		{Time: at(1), Readings: []monitor.Reading{{Metric: "a", Status: monitor.Unavailable, Reason: "gone"}, valueOf("b", 5)}},
		{Time: at(0.5), Readings: []monitor.Reading{valueOf("a", 9)}}, // the clock was set back
		{Time: at(2), Readings: []monitor.Reading{valueOf("a", 3), valueOf("b", 6)}},
	})
	xs, a := values(r, "a", -1)
	_, b := values(r, "b", -1)
	if len(xs) != 3 || a[0] != 1 || !math.IsNaN(a[1]) || a[2] != 3 {
		t.Errorf("a is %v at %v", a, xs)
	}
	if !math.IsNaN(b[0]) || b[1] != 5 || b[2] != 6 {
		t.Errorf("b is %v", b)
	}
	if last, ok := r.last("a"); !ok || !last.at.Equal(at(2)) {
		t.Errorf("a was last seen %v", last.at)
	}
	if _, ok := r.last("c"); ok {
		t.Error("c was never read")
	}
}

func TestRecordOfARun(t *testing.T) {
	r := &Record{}
	for i := range 2000 {
		r.Add(monitor.Snapshot{Time: at(float64(i)), Readings: []monitor.Reading{valueOf("m", 1)}})
	}
	r.BeginRun(at(1999), "Batching")
	r.BeginCase(at(2000), "matmul 64")
	r.BeginCase(at(2001), "matmul 64")
	r.BeginCase(at(2002), "matmul 128")
	r.EndRun(at(2004))
	if len(r.cases) != 2 || !r.cases[0].To.Equal(at(2002)) || !r.cases[1].To.Equal(at(2004)) || !r.runs[0].To.Equal(at(2004)) {
		t.Errorf("cases %v, runs %v", r.cases, r.runs)
	}
	r.BeginRun(at(2010), "Fusion")
	if xs, _ := values(r, "m", -1); xs[0] < 1399 || r.turn != 2 {
		t.Errorf("after two new runs it begins with what is %v s old", 2000-xs[0])
	}
	const most = 512
	for i := range 3 * most {
		r.Mark(Mark{At: at(float64(i))})
	}
	if len(r.marks) != most || !r.marks[most-1].At.Equal(at(3*most-1)) {
		t.Errorf("%d marks are kept", len(r.marks))
	}
}
