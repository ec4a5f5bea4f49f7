package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/monitor"
)

// replayed is a run of two cases, 10 s and 20 s after the start, that ended after 40 s.
func replayed() *Run {
	m := plainMeta0()
	m.State, m.Finished = Finished, began.Add(40*time.Second)
	r := &Run{Meta: m}
	for i, name := range []string{"a", "a", "b"} {
		res := okResult(64, 12)
		res.Case, res.Variant = name, []string{"x", "y", "x"}[i]
		res.Started = began.Add([]time.Duration{10, 10, 20}[i] * time.Second)
		r.Results = append(r.Results, res)
	}
	return r
}

func event(after float64, kind, kase string) Event {
	return Event{Time: began.Add(time.Duration(after * float64(time.Second))), Kind: kind, Title: kind, Workload: "sweep", Case: kase}
}

func TestReplaySpans(t *testing.T) {
	r := replayed()
	span := func(kase string, from, to float64, guessed bool) Span { return Span{"sweep", kase, from, to, guessed} }
	for _, test := range []struct {
		name   string
		events []Event
		want   []Span
		job    Span
	}{
		{"an old bundle", nil, []Span{span("a", 10, 20, true), span("b", 20, 40, true)}, span("", 10, 40, true)},
		{
			"ends recorded",
			[]Event{event(0, "started", ""), event(15, caseKind, "a"), event(16, "alert", ""), event(33, caseKind, "b"), event(40, "ended", "")},
			[]Span{span("a", 10, 15, false), span("b", 20, 33, false)},
			span("", 10, 33, false),
		},
		{"the second cut off", []Event{event(15, caseKind, "a")}, []Span{span("a", 10, 15, false), span("b", 20, 40, true)}, span("", 10, 40, true)},
		{"ends of other cases", []Event{event(5, caseKind, "a"), event(12, caseKind, "z")}, []Span{span("a", 10, 20, true), span("b", 20, 40, true)}, span("", 10, 40, true)},
	} {
		r.Events = test.events
		p := NewReplay(r)
		same(t, test.name+": cases", p.Cases, test.want)
		same(t, test.name+": jobs", p.Jobs, []Span{test.job})
		if p.End != 40 {
			t.Errorf("%s: ends after %v s, want 40", test.name, p.End)
		}
	}
}

func TestReplayMarks(t *testing.T) {
	r := replayed()
	r.Events = []Event{
		event(0, "started", ""), event(1, "alert", ""), event(2, caseKind, "a"), event(3, findingKind, "a"), event(4, "leak", ""), event(40, "ended", ""),
	}
	var got []string
	for _, m := range NewReplay(r).Marks {
		got = append(got, m.Kind)
		if m.Kind == "leak" && m.At != 4 {
			t.Errorf("the leak is at %v", m.At)
		}
	}
	if strings.Join(got, " ") != "alert finding leak" {
		t.Errorf("marks %v", got)
	}
}

func TestReplayOfRunsWithoutAnEnd(t *testing.T) {
	r := replayed()
	r.Meta.Finished = time.Time{}
	r.Snapshots = []monitor.Snapshot{{Time: began.Add(25 * time.Second)}}
	if p := NewReplay(r); p.End != 25 || p.Cases[1].To != 25 {
		t.Errorf("replay %+v", p)
	}
	control := &Run{Meta: r.Meta, Snapshots: r.Snapshots}
	same(t, "a run without results", NewReplay(control).Jobs, []Span{{Workload: "sweep", To: 25, Guessed: true}})
}

func TestLoadReplay(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	check(t, b.Finish(Finished, nil))
	p, err := LoadReplay(context.Background(), b.Dir())
	check(t, err)
	all, err := Load(b.Dir())
	check(t, err)
	same(t, "snapshots", p.Run.Snapshots, all.Snapshots)
	if p.Every != 1 || len(p.Run.Results) != 3 || len(p.Cases) != 3 {
		t.Errorf("every %d, %d results, cases %+v", p.Every, len(p.Run.Results), p.Cases)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := LoadReplay(ctx, b.Dir()); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, err := LoadReplay(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no run.json") {
		t.Errorf("no run: %v", err)
	}
}

// A case's end is recorded when its results are.
func TestBundleNotesCases(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	check(t, b.Results())
	check(t, b.Finish(Finished, nil))
	r, err := Load(b.Dir())
	check(t, err)
	var cases []string
	for _, e := range r.Events {
		if e.Kind == caseKind {
			cases = append(cases, e.Workload+" "+e.Case)
		}
	}
	if got := strings.Join(cases, ", "); got != "sweep size 64, sweep size 128" {
		t.Errorf("cases noted: %s", got)
	}
	if lines := eventLines(r); len(lines) != 1 {
		t.Errorf("the report lists %+v", lines)
	}
}

// longMonitor is monitor.csv of n ticks, one a second.
func longMonitor(n int) []byte {
	var buf bytes.Buffer
	w, _ := NewMonitorCSV(&buf)
	s := snapshot0()
	for i := range n {
		s.Time = began.Add(time.Duration(i) * time.Second)
		_ = w.Write(s) // into memory
	}
	return buf.Bytes()
}

func TestThinnedSnapshots(t *testing.T) {
	for _, test := range []struct{ n, every int }{
		{0, 1}, {1, 1}, {maxSnapshots, 1}, {maxSnapshots + 1, 2}, {2 * maxSnapshots, 2}, {2*maxSnapshots + 1, 4}, {5 * maxSnapshots, 8},
	} {
		kept, every, err := thinnedSnapshots(bytes.NewReader(longMonitor(test.n)))
		check(t, err)
		if want := (test.n + test.every - 1) / test.every; every != test.every || len(kept) != want {
			t.Errorf("of %d: %d kept, every %d; want %d, every %d", test.n, len(kept), every, want, test.every)
		}
		for i := range kept {
			if at := kept[i].Time.Sub(began).Seconds(); at != float64(i*every) || len(kept[i].Readings) != 3 {
				t.Fatalf("of %d: snapshot %d is at %v s with %d readings", test.n, i, at, len(kept[i].Readings))
			}
		}
	}
}

func TestWholeReader(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for in, want := range map[string]string{
		"": "", "torn": "", "a\n": "a\n", "a\nb": "a\n", "a\n\x00\x00": "a\n", "a\n" + long: "a\n", long + "\n" + long: long + "\n", long + long: "",
	} {
		path := filepath.Join(t.TempDir(), "f")
		check(t, os.WriteFile(path, []byte(in), 0o644))
		f, err := os.Open(path)
		check(t, err)
		r, p, err := wholeReader(f)
		check(t, err)
		var got bytes.Buffer
		_, err = got.ReadFrom(r)
		check(t, err)
		check(t, f.Close())
		if got.String() != want || p != (part{int64(len(in)), int64(len(want))}) {
			t.Errorf("of %d bytes: %d, %+v; want %d", len(in), got.Len(), p, len(want))
		}
	}
}

func BenchmarkReplayOfHours(b *testing.B) {
	data := longMonitor(4 * 3600)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for range b.N {
		if _, _, err := thinnedSnapshots(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
