package report

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one of a message: a number or bytes.
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

// The trace is read back by the numbers of Perfetto's published messages: slices nest and end, time does not run backward on a
// track, and every event is on a track that was described before it.
func TestPerfetto(t *testing.T) {
	r, all := exportRun(t)
	var out bytes.Buffer
	if err := WritePerfetto(&out, r, all); err != nil {
		t.Fatal(err)
	}
	names, last, depth := map[uint64]string{}, map[uint64]uint64{}, 0
	slices, values := map[string]int{}, map[string][]float64{}
	instants := 0
	for _, p := range fields(t, out.Bytes())[1] {
		packet := fields(t, p.bytes)
		for _, d := range packet[60] {
			track := fields(t, d.bytes)
			name := ""
			if len(track[2]) > 0 {
				name = string(track[2][0].bytes)
			}
			names[track[1][0].number] = name
		}
		for _, b := range packet[11] {
			event, at := fields(t, b.bytes), packet[8][0].number
			track := event[11][0].number
			if _, described := names[track]; !described || at < last[track] {
				t.Fatalf("an event at %d on track %d, described: %v; before it %d", at, track, described, last[track])
			}
			last[track] = at
			switch event[9][0].number {
			case 1:
				depth++
				slices[string(event[23][0].bytes)]++
			case 2:
				depth--
			case 3:
				instants++
			case 4:
				values[names[track]] = append(values[names[track]], math.Float64frombits(event[44][0].number))
			}
			if depth < 0 || depth > 2 {
				t.Fatalf("slices nest %d deep", depth)
			}
		}
	}
	replay := NewReplay(r)
	if depth != 0 || instants != len(r.Events) || len(replay.Cases) == 0 {
		t.Errorf("%d slices are open, %d instants of %d events, %d cases", depth, instants, len(r.Events), len(replay.Cases))
	}
	for _, c := range replay.Cases {
		if slices[c.Case] == 0 || slices[c.Workload] == 0 {
			t.Errorf("no slice for %s of %s: %v", c.Case, c.Workload, slices)
		}
	}
	for _, s := range r.Snapshots {
		for _, reading := range s.Readings {
			if got := values[reading.Title]; reading.Status == "ok" && reading.Text == "" && len(got) == 0 {
				t.Errorf("%s has no counter: %v", reading.Metric, values)
			}
		}
	}
	if len(r.Snapshots) == 0 || len(values) == 0 {
		t.Error("the run has no readings to compare")
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
