package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/monitor"
	"assay/workloads"
)

// Fields of Perfetto's messages (perfetto/protos/trace); their numbers never change.
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

// trackRun is the process of all tracks; the others are numbered as they come.
const trackRun = 1

// trace writes packets of a trace. It keeps the first error.
type trace struct {
	to      io.Writer
	started time.Time
	tracks  uint64 // so far
	err     error
}

// message is a protobuf message under construction.
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

// raw adds the fields of another message.
func (m message) raw(fields message) message { return append(m, fields...) }

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

// track describes another track and returns its ID.
func (t *trace) track(name string) uint64 {
	return t.describe(message{}.varint(trackParent, trackRun).text(trackName, name))
}

// counterTrack describes a track of values in a unit.
func (t *trace) counterTrack(name, unit string) uint64 {
	return t.describe(message{}.varint(trackParent, trackRun).text(trackName, name).part(trackCounter, message{}.text(counterUnit, unit)))
}

func (t *trace) describe(d message) uint64 {
	t.tracks++
	t.packet(message{}.part(packetDescriptor, message{}.varint(trackID, t.tracks).raw(d)))
	return t.tracks
}

// event writes an event at a time in seconds since the start of the run.
func (t *trace) event(at float64, e message) {
	ns := t.started.UnixNano() + int64(at*1e9)
	t.packet(message{}.varint(packetTime, uint64(ns)).part(packetEvent, e))
}

func eventOf(kind, track uint64) message {
	return message{}.varint(eventType, kind).varint(eventTrack, track)
}

// WritePerfetto writes the run as a trace for Perfetto's viewer (ui.perfetto.dev): workloads, cases and the phases within them as slices,
// the first command buffers of each phase in the queue and on the device, the run's events, those of the pool, and a counter for each
// metric of the monitor.
func WritePerfetto(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	t := &trace{to: w, started: r.Meta.Started}
	t.describe(message{}.part(trackProcess, message{}.varint(processID, 1).text(processName, processTitle(r))))
	replay := NewReplay(r)
	t.slices("Workloads, cases and phases", workSlices(replay))
	t.flights(replay)
	t.events(replay)
	t.counters(replay)
	return cmp.Or(t.err, t.pool(replay))
}

// processTitle names the run, and says what its figures are not suitable for.
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

// events writes what happened, and what the pool did on a separate track.
func (t *trace) events(p *Replay) {
	list := slices.DeleteFunc(slices.Clone(p.Run.Events), func(e bundle.Event) bool { return e.Kind == bundle.PhasesDone })
	slices.SortStableFunc(list, func(a, b bundle.Event) int { return a.Time.Compare(b.Time) }) // the clock may have been set back
	track, pool := t.track("Events"), uint64(0)
	for i := range list {
		e, on := &list[i], track
		m := message{}
		if s := e.Pool; s != nil {
			if pool == 0 {
				pool = t.track("Pool events")
			}
			on = pool
			m = m.note("act", s.Act).note("cause", s.Cause).note("count", strconv.FormatInt(s.Count, 10)).note("bytes", strconv.FormatInt(s.Bytes, 10))
		}
		t.event(max(0, p.at(e.Time)), eventOf(instant, on).text(eventName, e.Title).text(eventCategory, string(e.Kind)).
			note("text", e.Text).note("case", e.Case).note("variant", e.Variant).raw(m))
	}
}

// counters writes the readings that have a value, one track per metric.
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
				track = t.counterTrack(r.Title, r.Unit)
				tracks[r.Metric] = track
			}
			at := p.at(s.Time.Add(-r.Late))
			t.event(at, eventOf(counter, track).double(eventValue, r.Value))
		}
	}
}
