package report

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/workloads"
	"assay/workloads/measure"
)

// field is a field of a message: a number or bytes.
type field struct {
	number uint64
	bytes  []byte
}

// fields decodes a message.
func fields(t *testing.T, b []byte) map[protowire.Number][]field {
	t.Helper()
	out := map[protowire.Number][]field{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("field %d is of the unexpected type %d", number, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		out[number] = append(out[number], f)
	}
	return out
}

// traced is a trace, read back by the numbers of Perfetto's published messages.
type traced struct {
	names    map[uint64]string    // of tracks
	slices   map[string][]drawn   // by track, in the order that they end
	instants map[string][]string  // their names, by track
	values   map[string][]float64 // by track
}

// drawn is a slice of a trace: its name and those of its parents, "workload/case/sampling", and when, in ns.
type drawn struct {
	path     string
	from, to uint64
	notes    map[string]string
}

// readTrace fails the test if an event is on no track, time runs backward on one, or slices do not nest and end.
func readTrace(t *testing.T, trace []byte) *traced {
	t.Helper()
	out := &traced{map[uint64]string{}, map[string][]drawn{}, map[string][]string{}, map[string][]float64{}}
	last, open := map[uint64]uint64{}, map[uint64][]drawn{}
	for _, p := range fields(t, trace)[1] {
		packet := fields(t, p.bytes)
		for _, d := range packet[60] {
			track := fields(t, d.bytes)
			name := ""
			if len(track[2]) > 0 {
				name = string(track[2][0].bytes)
			}
			id := track[1][0].number
			if _, twice := out.names[id]; twice {
				t.Errorf("track %d is described twice", id)
			}
			out.names[id] = name
		}
		for _, b := range packet[11] {
			event, at := fields(t, b.bytes), packet[8][0].number
			track := event[11][0].number
			name, described := out.names[track]
			if !described || at < last[track] {
				t.Fatalf("an event at %d on track %d, described: %v; before it %d", at, track, described, last[track])
			}
			last[track] = at
			switch event[9][0].number {
			case 1:
				d := drawn{path: string(event[23][0].bytes), from: at, notes: map[string]string{}}
				if n := len(open[track]); n > 0 {
					d.path = open[track][n-1].path + "/" + d.path
				}
				for _, note := range event[4] {
					n := fields(t, note.bytes)
					d.notes[string(n[10][0].bytes)] = string(n[6][0].bytes)
				}
				open[track] = append(open[track], d)
			case 2:
				n := len(open[track]) - 1
				if n < 0 {
					t.Fatalf("a slice ends on %s that did not begin", name)
				}
				d := open[track][n]
				d.to = at
				open[track] = open[track][:n]
				out.slices[name] = append(out.slices[name], d)
			case 3:
				out.instants[name] = append(out.instants[name], string(event[23][0].bytes))
			case 4:
				out.values[name] = append(out.values[name], math.Float64frombits(event[44][0].number))
			}
		}
	}
	for track, left := range open {
		if len(left) > 0 {
			t.Errorf("%d slices of %s are open", len(left), out.names[track])
		}
	}
	return out
}

// find returns the slice of a path on a track; nil: there is none.
func (tr *traced) find(track, path string) *drawn {
	for i := range tr.slices[track] {
		if tr.slices[track][i].path == path {
			return &tr.slices[track][i]
		}
	}
	return nil
}

const workTrack = "Workloads, cases and phases"

func TestPerfetto(t *testing.T) {
	r, all := exportRun(t)
	pool := bundle.Event{Time: runstest.Began().Add(time.Second), Kind: bundle.PoolActed, Title: "Evicted", Pool: &bundle.PoolSum{Act: "evicted", Count: 3}}
	r.Events = append(r.Events, pool)
	var out bytes.Buffer
	if err := WritePerfetto(&out, r, all); err != nil {
		t.Fatal(err)
	}
	trace, replay := readTrace(t, out.Bytes()), NewReplay(r)
	if len(trace.instants["Pool events"]) != 1 || len(trace.instants["Events"]) != len(r.Events)-1 || len(replay.Cases) == 0 {
		t.Errorf("%v instants of %d events, %d cases", trace.instants, len(r.Events), len(replay.Cases))
	}
	for _, c := range replay.Cases {
		if trace.find(workTrack, c.Workload) == nil || trace.find(workTrack, c.Workload+"/"+c.Case) == nil {
			t.Errorf("no slice for %s of %s: %v", c.Case, c.Workload, trace.slices)
		}
	}
	for _, s := range r.Snapshots {
		for _, reading := range s.Readings {
			if got := trace.values[reading.Title]; reading.Status == "ok" && reading.Text == "" && len(got) == 0 {
				t.Errorf("%s has no counter: %v", reading.Metric, trace.values)
			}
		}
	}
	if len(r.Snapshots) == 0 || len(trace.values) == 0 {
		t.Error("the run has no readings to compare")
	}
}

// phasedRun is a run of one case with phases, after a discarded attempt and a cooldown.
func phasedRun(t *testing.T) *bundle.Run {
	t.Helper()
	at := func(s float64) time.Time { return runstest.Began().Add(time.Duration(s * 1e9)) }
	span := func(p measure.Phase, variant string, from, to float64) measure.Span {
		return measure.Span{Phase: p, Workload: "sweep", Case: "size 64", Variant: variant, From: at(from), To: at(to)}
	}
	b, err := bundle.Create(t.TempDir(), plainMeta0(), []workloads.Workload{runstest.Workload()})
	runstest.Check(t, err)
	first, lap, cool := span(measure.Sampling, "", 3, 4), span(measure.Sampling, "", 4, 5), span(measure.Cooling, "", 1, 2)
	first.Count, first.Busy, cool.Why, lap.Why = 2, 0.75, "18 % slower", "other programs used 63 % of the CPU"
	first.Flights = []measure.Flight{
		{Variant: "f32", From: at(3), Submitted: 1e-5, Wall: 0.5, Gap: 0.125, Device: 0.25, Launches: 7},
		{Variant: "f16", From: at(3.25), Submitted: 1e-5, Wall: 0.625, Gap: math.NaN(), Device: 0.5, Launches: 1},
	}
	spans := []measure.Span{span(measure.Sampling, "", 0.5, 1), cool, span(measure.Verifying, "f32", 2.25, 2.5), span(measure.Verifying, "f16", 2.5, 3), first, lap}
	runstest.Check(t, b.Phases(spans))
	result := runstest.Verified(64, 12)
	result.Started = at(2.125)
	runstest.Check(t, b.ResultsAt(at(5.5), result))
	runstest.Check(t, b.Finish(bundle.Finished, nil))
	r, err := bundle.Load(b.Dir())
	runstest.Check(t, err)
	return r
}

func TestPerfettoHasPhasesAndDispatches(t *testing.T) {
	r := phasedRun(t)
	var out bytes.Buffer
	runstest.Check(t, WritePerfetto(&out, r, nil))
	trace := readTrace(t, out.Bytes())
	began := uint64(runstest.Began().UnixNano())
	for _, want := range []struct {
		track, path string
		from, to    float64
		note, text  string
	}{
		{workTrack, "sweep", 0.5, 5.5, "", ""},
		{workTrack, "sweep/sampling", 0.5, 1, "case", "size 64"},
		{workTrack, "sweep/cooling down", 1, 2, "why", "18 % slower"},
		{workTrack, "sweep/size 64", 2.125, 5.5, "", ""},
		{workTrack, "sweep/size 64/verifying", 2.25, 3, "", ""},
		{workTrack, "sweep/size 64/verifying/f16", 2.5, 3, "", ""},
		{workTrack, "sweep/size 64/sampling", 3, 5, "", ""},
		{workTrack, "sweep/size 64/sampling/lap 1", 3, 4, "command buffers", "2"},
		{workTrack, "sweep/size 64/sampling/lap 2", 4, 5, "why", "other programs used 63 % of the CPU"},
		{"Queue", "command buffer", 3, 3.5, "dispatches", "7"},
		{"Queue 2", "command buffer", 3.25, 3.875, "begin on the device", "not available: it was timed by the host"},
		{"Device", "f32", 3.125, 3.375, "phase", "sampling"},
	} {
		s := trace.find(want.track, want.path)
		switch {
		case s == nil:
			t.Errorf("%s has no %s: %+v", want.track, want.path, trace.slices[want.track])
		case s.from != began+uint64(want.from*1e9) || s.to != began+uint64(want.to*1e9) || s.notes[want.note] != want.text:
			t.Errorf("%s is from %d to %d, with %v", want.path, s.from-began, s.to-began, s.notes)
		}
	}
	if n := len(trace.slices["Device"]); n != 1 {
		t.Errorf("%d slices on the device, where one is known", n)
	}
}

// The replay has the same phases, and says what the time was spent on.
func TestReplayHasPhases(t *testing.T) {
	p := NewReplay(phasedRun(t))
	if len(p.Phases) != 6 || p.Phases[1].Name != measure.Cooling || p.Phases[1].From != 1 || p.Phases[1].To != 2 {
		t.Fatalf("%+v", p.Phases)
	}
	if marks := p.Marks; len(marks) != 0 {
		t.Errorf("phases are marks: %+v", marks)
	}
	p.End = 10
	want := "sampling 25.0 % (2.50 s), cooling down 10.0 % (1.00 s), verifying 7.50 % (750 ms), other 57.5 % (5.75 s)"
	if got := p.TimeSpent(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r, _ := exportRun(t)
	if got := NewReplay(r).TimeSpent(); got != "" {
		t.Errorf("a run without phases: %s", got)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestPerfettoOnAFullDisk(t *testing.T) {
	r, all := exportRun(t)
	if err := WritePerfetto(full{}, r, all); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
}
