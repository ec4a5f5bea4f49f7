package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
	"assay/workloads"
)

// Fields of Perfetto's messages (perfetto/protos/trace), which never change their numbers.
const (
	fieldPacket = 1 // of Trace

	packetTime       = 8 // of TracePacket; ns
	packetSequence   = 10
	packetEvent      = 11
	packetDescriptor = 60

	trackID      = 1 // of TrackDescriptor
	trackName    = 2
	trackProcess = 3
	trackParent  = 5
	trackCounter = 8

	processID   = 1 // of ProcessDescriptor
	processName = 6

	counterUnit = 6 // of CounterDescriptor

	eventNotes    = 4 // of TrackEvent
	eventType     = 9
	eventTrack    = 11
	eventCategory = 22
	eventName     = 23
	eventValue    = 44

	noteText = 6 // of DebugAnnotation
	noteName = 10
)

// Types of TrackEvent.
const (
	sliceBegin = 1
	sliceEnd   = 2
	instant    = 3
	counter    = 4
)

// Tracks of every trace; counters follow.
const (
	trackRun = iota + 1
	trackWork
	trackEvents
	trackPool
	trackAllocated
	trackLeased
	trackFirstCounter
)

// trace writes packets of a trace. The first error stays.
type trace struct {
	to      io.Writer
	started time.Time
	err     error
}

// message is a protobuf message in the making.
type message []byte

func (m message) varint(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) part(field protowire.Number, p message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), p)
}

func (m message) double(field protowire.Number, v float64) message {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), math.Float64bits(v))
}

// note adds an annotation that the viewer shows with an event.
func (m message) note(name, text string) message {
	if text == "" {
		return m
	}
	return m.part(eventNotes, message{}.text(noteName, name).text(noteText, text))
}

func (t *trace) packet(p message) {
	if t.err == nil {
		_, t.err = t.to.Write(message{}.part(fieldPacket, p.varint(packetSequence, 1)))
	}
}

func (t *trace) track(d message) { t.packet(message{}.part(packetDescriptor, d)) }

// event writes an event at a time in seconds since the start of the run.
func (t *trace) event(at float64, e message) {
	ns := t.started.UnixNano() + int64(at*1e9)
	t.packet(message{}.varint(packetTime, uint64(ns)).part(packetEvent, e))
}

func eventOf(kind, track uint64) message {
	return message{}.varint(eventType, kind).varint(eventTrack, track)
}

// WritePerfetto writes the run as a trace for Perfetto's viewer (ui.perfetto.dev): workloads and cases as slices, the run's events, and
// a counter for each metric of the monitor. Samples have no times of their own in a run, so a case tells their figures.
func WritePerfetto(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	t := &trace{to: w, started: r.Meta.Started}
	t.track(message{}.varint(trackID, trackRun).part(trackProcess, message{}.varint(processID, 1).text(processName, processTitle(r))))
	t.track(message{}.varint(trackID, trackWork).varint(trackParent, trackRun).text(trackName, "Workloads and cases"))
	t.track(message{}.varint(trackID, trackEvents).varint(trackParent, trackRun).text(trackName, "Events"))
	replay := NewReplay(r)
	t.work(replay)
	events := slices.Clone(r.Events)
	slices.SortStableFunc(events, func(a, b bundle.Event) int { return a.Time.Compare(b.Time) }) // the clock may have been set back
	for _, e := range events {
		at := max(0, replay.at(e.Time))
		t.event(at, eventOf(instant, trackEvents).text(eventName, e.Title).text(eventCategory, string(e.Kind)).
			note("text", e.Text).note("case", e.Case).note("variant", e.Variant))
	}
	t.counters(replay)
	return cmp.Or(t.err, t.pool(replay))
}

// processTitle names the run, and what its figures are not.
func processTitle(r *bundle.Run) string {
	title := "Assay " + r.Meta.ID
	if e := &r.Meta.Engine; e.Engine != "" {
		title += fmt.Sprintf(" on %s (%s engine, %s)", plain.Text(e.Device), plain.Text(e.Engine), plain.Text(r.Meta.WhyEngine()))
	}
	if r.Meta.Engine.Simulated {
		title += ", simulated: times are not from real hardware"
	}
	if text := r.Meta.Caveat(); text != "" {
		title += ", " + text
	}
	return title
}

// work writes the jobs and in them the cases.
func (t *trace) work(p *Replay) {
	next := 0
	for _, j := range p.Jobs {
		t.event(j.From, eventOf(sliceBegin, trackWork).text(eventName, j.Workload).text(eventCategory, "workload"))
		for ; next < len(p.Cases) && p.Cases[next].Workload == j.Workload && p.Cases[next].From <= j.To; next++ {
			c := &p.Cases[next]
			e := eventOf(sliceBegin, trackWork).text(eventName, c.Case).text(eventCategory, "case")
			for i := range p.Run.Results {
				if r := &p.Run.Results[i]; r.Workload == c.Workload && r.Case == c.Case && p.at(r.Started) == c.From {
					e = e.note(r.Variant, timeInWords(r))
				}
			}
			t.event(c.From, e)
			t.event(c.To, eventOf(sliceEnd, trackWork))
		}
		t.event(j.To, eventOf(sliceEnd, trackWork))
	}
}

// timeInWords is a result's time, or why it has none.
func timeInWords(r *workloads.Result) string {
	if r.Status != workloads.OK {
		return r.WithoutTime()
	}
	return FormatInterval(r.Time()) + ", " + si.Counted(len(r.Samples), "sample")
}

// counters writes the readings that have a value, a track for each metric.
func (t *trace) counters(p *Replay) {
	tracks := map[string]uint64{}
	for i := range p.Run.Snapshots {
		s := &p.Run.Snapshots[i]
		for k := range s.Readings {
			r := &s.Readings[k]
			if r.Status != monitor.OK || r.Text != "" {
				continue
			}
			track, known := tracks[r.Metric]
			if !known {
				track = trackFirstCounter + uint64(len(tracks))
				tracks[r.Metric] = track
				t.track(message{}.varint(trackID, track).varint(trackParent, trackRun).text(trackName, r.Title).
					part(trackCounter, message{}.text(counterUnit, r.Unit)))
			}
			at := p.at(s.Time.Add(-r.Late))
			t.event(at, eventOf(counter, track).double(eventValue, r.Value))
		}
	}
}
