package report

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/monitor"
)

// replayed is a run of two cases, 10 s and 20 s after the start, that ended after 40 s.
func replayed() *bundle.Run {
	m := plainMeta0()
	m.State, m.Finished = bundle.Finished, runstest.Began().Add(40*time.Second)
	r := &bundle.Run{Meta: m}
	for i, name := range []string{"a", "a", "b"} {
		res := runstest.Verified(64, 12)
		res.Case, res.Variant = name, []string{"x", "y", "x"}[i]
		res.Started = runstest.Began().Add([]time.Duration{10, 10, 20}[i] * time.Second)
		r.Results = append(r.Results, res)
	}
	return r
}

func event(after float64, kind bundle.Kind, kase string) bundle.Event {
	return bundle.Event{Time: runstest.Began().Add(time.Duration(after * float64(time.Second))), Kind: kind, Title: string(kind), Workload: "sweep", Case: kase}
}

func TestReplaySpans(t *testing.T) {
	r := replayed()
	span := func(kase string, from, to float64, guessed bool) Span { return Span{"sweep", kase, from, to, guessed} }
	for _, test := range []struct {
		name   string
		events []bundle.Event
		want   []Span
		job    Span
	}{
		{"an old bundle", nil, []Span{span("a", 10, 20, true), span("b", 20, 40, true)}, span("", 10, 40, true)},
		{
			"ends recorded",
			[]bundle.Event{event(0, "started", ""), event(15, bundle.CaseOver, "a"), event(16, "alert", ""), event(33, bundle.CaseOver, "b"), event(40, "ended", "")},
			[]Span{span("a", 10, 15, false), span("b", 20, 33, false)},
			span("", 10, 33, false),
		},
		{
			"windows, told once they are verified",
			[]bundle.Event{event(20.5, bundle.CaseOver, "a"), event(41, bundle.CaseOver, "b")},
			[]Span{span("a", 10, 20, false), span("b", 20, 40, false)},
			span("", 10, 40, false),
		},
		{"the second cut off", []bundle.Event{event(15, bundle.CaseOver, "a")}, []Span{span("a", 10, 15, false), span("b", 20, 40, true)}, span("", 10, 40, true)},
		{"ends of other cases", []bundle.Event{event(5, bundle.CaseOver, "a"), event(12, bundle.CaseOver, "z")}, []Span{span("a", 10, 20, true), span("b", 20, 40, true)}, span("", 10, 40, true)},
	} {
		r.Events = test.events
		p := NewReplay(r)
		runstest.Same(t, test.name+": cases", p.Cases, test.want)
		runstest.Same(t, test.name+": jobs", p.Jobs, []Span{test.job})
		if p.End != 40 {
			t.Errorf("%s: ends after %v s, want 40", test.name, p.End)
		}
	}
}

func TestReplayMarks(t *testing.T) {
	r := replayed()
	r.Events = []bundle.Event{
		event(0, "started", ""), event(1, "alert", ""), event(2, bundle.CaseOver, "a"), event(3, bundle.Found, "a"), event(4, "leak", ""), event(40, "ended", ""),
	}
	var got []string
	for _, m := range NewReplay(r).Marks {
		got = append(got, string(m.Kind))
		if m.Kind == bundle.LeakFound && m.At != 4 {
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
	r.Snapshots = []monitor.Snapshot{{Time: runstest.Began().Add(25 * time.Second)}}
	if p := NewReplay(r); p.End != 25 || p.Cases[1].To != 25 {
		t.Errorf("replay %+v", p)
	}
	control := &bundle.Run{Meta: r.Meta, Snapshots: r.Snapshots}
	runstest.Same(t, "a run without results", NewReplay(control).Jobs, []Span{{Workload: "sweep", To: 25, Guessed: true}})
}

func TestLoadReplay(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(bundle.Finished, nil))
	p, err := LoadReplay(context.Background(), b.Dir())
	runstest.Check(t, err)
	all, err := bundle.Load(b.Dir())
	runstest.Check(t, err)
	runstest.Same(t, "snapshots", p.Run.Snapshots, all.Snapshots)
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
