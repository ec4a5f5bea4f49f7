package monitor

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// Values from public listings of the SMC, with the types and the bytes: smc -l on an M1 (exelban/stats#181), on a MacBook Pro of 2019
// (theopolis/smc-fuzzer#3), the battery's voltage on an M2 (leaperone/smctl#4), fpe2 by kennss/SiliconScope#41, ioft by Linux's macsmc
// driver: 48.16 bits, little-endian.
func TestDecodeSMC(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	for _, c := range []struct {
		kind  string
		bytes []byte
		order binary.ByteOrder
		want  float64
	}{
		{"flt ", []byte{0x00, 0x00, 0xa0, 0x41}, little, 20},
		{"flt ", []byte{0x39, 0x9a, 0x24, 0x45}, big, 2633.639},
		{"ioft", []byte{0x33, 0x33, 0x22, 0, 0, 0, 0, 0}, little, 34.2},
		{"ioft", []byte{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, little, -1},
		{"ui8 ", []byte{3}, little, 3},
		{"si8 ", []byte{0xff}, little, -1},
		{"ui16", []byte{0xcf, 0x2f}, little, 12239},
		{"ui16", []byte{0x04, 0xd2}, big, 1234},
		{"si16", []byte{0xfe, 0xff}, little, -2},
		{"ui32", []byte{0, 0, 0x03, 0x5f}, big, 863},
		{"ui32", []byte{0x5f, 0x03, 0, 0}, little, 863},
		{"si32", []byte{0xff, 0xff, 0xff, 0xff}, big, -1},
		{"sp78", []byte{0x34, 0x80}, little, 52.5}, // fixed-point numbers are big-endian everywhere
		{"sp78", []byte{0xff, 0x80}, big, -0.5},
		{"fpe2", []byte{0x00, 0x33}, big, 12.75},
		{"fp88", []byte{0xff, 0x80}, big, 255.5},
		{"sp1e", []byte{0x40, 0x00}, big, 1},
	} {
		if got, ok := decodeSMC(c.kind, c.bytes, c.order); !ok || math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%s %x: %v, %v; want %v", c.kind, c.bytes, got, ok, c.want)
		}
	}
	for _, c := range []struct {
		kind  string
		bytes []byte
	}{
		{"flt ", []byte{0, 0, 0xc0, 0x7f}}, // not a number
		{"flt ", []byte{0, 0, 0x80, 0x7f}}, // infinite
		{"flt ", []byte{0, 0, 0}},
		{"ioft", []byte{0, 0, 0, 0}},
		{"ui16", []byte{1}},
		{"hex_", []byte{1, 2}},
		{"flag", []byte{1}},
		{"fp78", []byte{1, 2}},
		{"sp88", []byte{1, 2}},
		{"spzz", []byte{1, 2}},
		{"sp", []byte{1, 2}},
		{"", nil},
	} {
		if got, ok := decodeSMC(c.kind, c.bytes, little); ok {
			t.Errorf("%q %x is %v", c.kind, c.bytes, got)
		}
	}
}

func FuzzDecodeSMC(f *testing.F) {
	f.Add("flt ", []byte{0, 0, 0xa0, 0x41})
	f.Add("sp78", []byte{0x34, 0x80})
	f.Add("ioft", []byte{0x33, 0x33, 0x22, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, kind string, b []byte) {
		v, ok := decodeSMC(kind, b, binary.LittleEndian)
		if ok && (math.IsNaN(v) || math.IsInf(v, 0) || len(b) == 0 || len(kind) != 4) {
			t.Errorf("%q %x: %v", kind, b, v)
		}
	})
}

// smcFake answers like a controller, with the layout that SMCKit, Stats and macmon share: the message's 80 bytes.
type smcFake struct {
	keys  map[string]smcValue
	err   error
	calls int
}

type smcValue struct {
	kind  string
	bytes []byte
}

func float4(v float32) smcValue {
	return smcValue{"flt ", binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))}
}

// names are the keys in the controller's order.
func (f *smcFake) names() []string {
	names := []string{"#KEY"}
	for k := range f.keys {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func (f *smcFake) value(key string) (smcValue, bool) {
	if key == "#KEY" {
		return smcValue{"ui32", binary.BigEndian.AppendUint32(nil, uint32(len(f.keys)+1))}, true
	}
	v, ok := f.keys[key]
	return v, ok
}

func (f *smcFake) call(ask smcMessage) (answer smcMessage, err error) {
	f.calls++
	if f.err != nil {
		return answer, f.err
	}
	key := letters4(binary.LittleEndian.Uint32(ask[0:]))
	if ask[42] == 8 { // the key of an index
		index := binary.LittleEndian.Uint32(ask[44:])
		names := f.names()
		if int(index) >= len(names) {
			answer[40] = 0x84
			return answer, nil
		}
		binary.LittleEndian.PutUint32(answer[0:], number4(names[index]))
		return answer, nil
	}
	v, ok := f.value(key)
	switch {
	case !ok:
		answer[40] = 0x84
	case ask[42] == 9: // information about a key
		binary.LittleEndian.PutUint32(answer[28:], uint32(len(v.bytes)))
		binary.LittleEndian.PutUint32(answer[32:], number4(v.kind))
	case ask[42] == 5 && binary.LittleEndian.Uint32(ask[28:]) == uint32(len(v.bytes)):
		copy(answer[48:], v.bytes)
	default:
		answer[40] = 0x89 // bad argument
	}
	return answer, nil
}

func newFakeSMC(keys map[string]smcValue) (*smc, *smcFake) {
	fake := &smcFake{keys: keys}
	return newSMC(fake, binary.LittleEndian), fake
}

func TestSMCReadsKeys(t *testing.T) {
	s, fake := newFakeSMC(map[string]smcValue{"PSTR": float4(14.5), "LSFD": {"hex_", []byte{1, 2, 3}}, "Big!": {"hex_", make([]byte, 33)}})
	for range 2 {
		if v, err := s.number("PSTR"); err != nil || v != 14.5 {
			t.Errorf("PSTR is %v, %v", v, err)
		}
	}
	if fake.calls != 3 {
		t.Errorf("%d calls for two reads, want 3: a key's type is asked for once", fake.calls)
	}
	for key, part := range map[string]string{
		"Tp01": "has no such key", "LSFD": `LSFD of type "hex_" in 3 bytes is not a number`, "Big!": "33 bytes long, want 1 to 32",
	} {
		if v, err := s.number(key); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, %v; want an error with %q", key, v, err, part)
		}
	}
	fake.err = errors.New("port is dead")
	if _, err := s.number("PSTR"); err == nil || !strings.Contains(err.Error(), "port is dead") {
		t.Errorf("dead port: %v", err)
	}
}

func TestSMCFindsKeysByBisection(t *testing.T) {
	keys := map[string]smcValue{}
	for i := range 2000 { // as many as an M2 has
		keys[letters4(uint32(0x41414141+i*7919))] = float4(1)
	}
	for _, k := range []string{"TCMb", "Te04", "Te05", "Tg0f", "Tp01", "Tp05", "Tp09", "zzzz"} {
		keys[k] = float4(1)
	}
	s, fake := newFakeSMC(keys)
	for prefix, want := range map[string][]string{
		"Tp": {"Tp01", "Tp05", "Tp09"}, "Tg": {"Tg0f"}, "Ts": nil, "zz": {"zzzz"}, "\x01\x01": nil, "\xff\xff": nil,
	} {
		fake.calls = 0
		got, err := s.keys(prefix, 8)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", prefix, got, err, want)
		}
		if fake.calls > 20 {
			t.Errorf("%q took %d calls", prefix, fake.calls)
		}
	}
	if got, _ := s.keys("Tp", 2); len(got) != 2 {
		t.Errorf("the limit gives %q", got)
	}
	fake.err = errors.New("port is dead")
	if _, err := s.keys("Te", 8); err == nil {
		t.Error("no error")
	}
}

// smcBytes answers with pieces of a fuzzer's bytes.
type smcBytes struct{ rest []byte }

func (f *smcBytes) call(smcMessage) (answer smcMessage, err error) {
	if len(f.rest) == 0 {
		return answer, errors.New("no more")
	}
	f.rest = f.rest[copy(answer[:], f.rest):]
	return answer, nil
}

// FuzzSMCAnswers: whatever the controller answers, a value is finite or there is an error, and searches end.
func FuzzSMCAnswers(f *testing.F) {
	_, fake := newFakeSMC(map[string]smcValue{"Tp01": float4(50)})
	var script []byte
	for _, ask := range []smcMessage{request(smcReadInfo, "Tp01"), request(smcReadValue, "Tp01"), {smcCommand: smcReadIndex}} {
		answer, _ := fake.call(ask)
		script = append(script, answer[:]...)
	}
	f.Add(script)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSMC(&smcBytes{b}, binary.LittleEndian)
		if v, err := s.number("Tp01"); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%v without an error", v)
		}
		keys, err := s.keys("Tp", 4)
		if err == nil && len(keys) > 4 {
			t.Errorf("%d keys", len(keys))
		}
	})
}
