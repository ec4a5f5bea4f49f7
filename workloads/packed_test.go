package workloads

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// point is a result of which a series has hundreds.
func point(i int) Result {
	r := Result{
		ID: ResultID(0, i), Workload: "soak", Case: fmt.Sprintf("product 256, %d s", i), Variant: "f32", Status: OK,
		Started: time.Unix(int64(1000+i), 0), Stop: measure.StopBudget,
		Settings: []Setting{{"work", "product"}, {"size", 256}, {"elapsed", float64(i)}},
	}
	for range 64 {
		r.Samples = append(r.Samples, float64(i))
	}
	r.Values.Set(Time, stats.Interval{Median: float64(i), Lo: float64(i) - 1, Hi: math.Inf(1)})
	for n := range 30 {
		r.Values.SetNumber(Metrics()[n+1].Name, float64(i*n))
	}
	r.Values.SetText(Clock, HostClock)
	return r
}

// Unpacking restores what was packed, whatever differs from earlier results.
func TestPackedKeepsAll(t *testing.T) {
	odd := point(7)
	odd.Status, odd.Failure = Failed, Failure{WrongOutput, "wrong result"}
	warned := point(8)
	warned.Warn(Retried, "done again")
	other := point(9)
	other.Values.SetText(Clock, "another")
	aside := point(10)
	aside.SetAside = []measure.SetAside{{At: 3, Samples: []float64{1}, Why: "other programs"}}
	fewer := point(11)
	fewer.Values = fewer.Values[:3]
	marked := point(12)
	marked.Marks = Marks("fastest")
	all := []Result{point(1), point(2), odd, warned, point(3), other, aside, fewer, marked, {ID: "1.99", Settings: []Setting{{"elapsed", 3}}}, point(4)}
	var p Packed
	for i := range all {
		p.Add(&all[i])
	}
	for i, r := range p.All() {
		if want, got := fmt.Sprintf("%+v", all[i]), fmt.Sprintf("%+v", r); got != want {
			t.Errorf("result %d: got %s, want %s", i, got, want)
		}
		if !reflect.DeepEqual(r.Settings, all[i].Settings) { // including their types
			t.Errorf("result %d has settings %v, want %v", i, r.Settings, all[i].Settings)
		}
	}
}

// Numbers of many results are stored together, and each result gets its own.
func TestPackedNumbersLieTogether(t *testing.T) {
	var p Packed
	var all []Result
	for i := range 100 {
		r := point(i)
		if i == 50 { // more than fit into a piece
			r.Samples = make([]float64, 5000)
			r.Samples[4999] = 7
		}
		p.Add(&r)
		all = append(all, r)
	}
	for i, r := range p.All() {
		if !slices.Equal(r.Samples, all[i].Samples) || r.Number(Time) != all[i].Number(Time) {
			t.Fatalf("result %d: time %g, samples %g", i, r.Number(Time), r.Samples)
		}
	}
	if got := testing.AllocsPerRun(100, func() { p.keep(all[0].Samples, nil) }); got > 0.5 {
		t.Errorf("%g allocations for the samples of a result", got)
	}
}

// Unpacked results belong to the caller: changing them changes no packed one.
func TestUnpackedIsACopy(t *testing.T) {
	var p Packed
	for i := range 2 {
		r := point(i)
		p.Add(&r)
	}
	was := p.All()
	was[0].Values[0].Median, was[0].Settings[0].Value = 99, "changed"
	if again := p.All(); again[0].Values[0].Median != 0 || again[1].Setting("work") != "product" {
		t.Errorf("the packed result changed: %v, %v", again[0].Values[0], again[1].Settings)
	}
}

func TestPackedMark(t *testing.T) {
	var p Packed
	r := point(5)
	p.Add(&r)
	f := Finding{Kind: "drift", Result: r.ID}
	if !p.Mark(f) || p.Mark(Finding{Kind: "drift", Result: "9.9"}) || p.Mark(Finding{Kind: "drift"}) {
		t.Error("a mark is at the result of its ID, and at no other")
	}
	p.Mark(f)
	if all := p.All(); len(all[0].Marks) != 1 || !all[0].Marked("drift") {
		t.Errorf("got marks %v", all[0].Marks)
	}
	if r.Marks != nil {
		t.Error("the caller's result was marked")
	}
}

// A series of hundreds takes a third of the memory of the results themselves, not counting samples.
func TestPackedIsSmall(t *testing.T) {
	const n = 240
	before := heap()
	var p Packed
	for i := range n {
		r := point(i)
		r.Samples = nil
		p.Add(&r)
	}
	each := float64(heap()-before) / n
	if each > 650 {
		t.Errorf("a result takes %.0f B, want at most 650", each)
	}
	runtime.KeepAlive(&p)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
