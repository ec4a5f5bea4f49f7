package monitor

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gpuRow is a channel GPUPH with times of OFF, P1, P2, …; a chip lists 15 states whether it has them or not.
func gpuRow(off int64, clocks ...int64) reportRow {
	r := reportRow{group: gpuGroup, subgroup: gpuStates, channel: "GPUPH", unit: "24Mticks"}
	r.states = []residency{{"OFF", off}}
	for i := range 15 {
		r.states = append(r.states, residency{"P" + strconv.Itoa(i+1), 0})
		if i < len(clocks) {
			r.states[i+1].ticks = clocks[i]
		}
	}
	return r
}

// clockTable is a table of the power manager: clock and voltage, 4 bytes each, little-endian.
func clockTable(clocks ...uint32) []byte {
	var b []byte
	for i, c := range clocks {
		b = binary.LittleEndian.AppendUint32(b, c)
		b = binary.LittleEndian.AppendUint32(b, uint32(600+10*i))
	}
	return b
}

// The GPU's clocks of an M2 Ultra (vladkens/macmon#68).
var ultraClocks = []uint32{0, 444e6, 612e6, 808e6, 968e6, 1110e6, 1236e6, 1338e6, 1398e6}

// Times of an M2 Ultra in 100 ms: macmon#17 while it is nearly idle, macmon#68 under load.
func TestGPUTimes(t *testing.T) {
	table, ok := decodeGPUClocks(clockTable(ultraClocks...))
	if !ok {
		t.Fatal("the table was not decoded")
	}
	for _, c := range []struct {
		name        string
		row         reportRow
		busy, clock float64
	}{
		{"nearly idle", gpuRow(2246524, 54648, 0, 0, 0, 338048), 0.14880, (54648*444e6 + 338048*1110e6) / 392696},
		{"under load", gpuRow(0, 0, 0, 0, 0, 0, 0, 0, 2692897), 1, 1398e6},
	} {
		times, ok := decodeGPUTimes([]reportRow{energyRows("ANE")[0], c.row})
		if !ok {
			t.Fatalf("%s: was not decoded", c.name)
		}
		if math.Abs(times.busy()-c.busy) > 1e-4 {
			t.Errorf("%s: busy %v, want %v", c.name, times.busy(), c.busy)
		}
		if mean, err := times.mean(table); err != nil || math.Abs(mean-c.clock) > 1 {
			t.Errorf("%s: clock %v, %v; want %v", c.name, mean, err, c.clock)
		}
	}
	off, _ := decodeGPUTimes([]reportRow{gpuRow(100)})
	if _, err := off.mean(table); err == nil || !strings.Contains(err.Error(), "was off") {
		t.Errorf("off: %v", err)
	}
	beyond, _ := decodeGPUTimes([]reportRow{gpuRow(0, 0, 0, 0, 0, 0, 0, 0, 0, 5)})
	if _, err := beyond.mean(table); err == nil || !strings.Contains(err.Error(), "missing from its table") {
		t.Errorf("a state beyond the table: %v", err)
	}
}

func TestGPUTimesSince(t *testing.T) {
	first, _ := decodeGPUTimes([]reportRow{gpuRow(1000, 10, 20)})
	second, _ := decodeGPUTimes([]reportRow{gpuRow(1300, 110, 620)})
	d, ok := second.since(first)
	if !ok || d.off != 300 || d.clock[0] != 100 || d.clock[1] != 600 || d.busy() != 0.7 {
		t.Errorf("got %+v, %v", d, ok)
	}
	if _, ok := first.since(second); ok {
		t.Error("times that went back were taken")
	}
	if _, ok := second.since(second); ok {
		t.Error("times that stand still were taken")
	}
	if _, ok := decodeGPUTimes([]reportRow{gpuRow(1, noReportValue)}); ok {
		t.Error("a state without value was taken")
	}
	if _, ok := decodeGPUTimes(energyRows("CPU Energy")); ok {
		t.Error("a sample without the GPU was decoded")
	}
}

// Two tables of an M5 Max from its I/O registry (vladkens/macmon#47): voltage-states14 is the GPU's, in Hz; voltage-states5 is a
// processor's clock periods.
const (
	m5GPU = "000000007d000000807825146202000080c5f71c850200000097e825ad02000000ff712fe402000000ceed34e902000000afe33a11030000" +
		"00879c402a03000080e373463e03000080bb2c4c610300008093e55184030000806b9e57b1030000805e0e5efc030000003d8f601f040000"
	m5CPU = "b7c3000085020000069e0000b20200004a810000c6020000b16f0000df020000396300000703" + "0000e358000025030000"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGPUClocksOfAnM5(t *testing.T) {
	clocks, err := gpuClocks([]voltageTable{{"voltage-states5", unhex(t, m5CPU)}, {"voltage-states14", unhex(t, m5GPU)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(clocks) != 13 || clocks[0] != 338e6 || clocks[12] != 1620e6 {
		t.Errorf("clocks %v, want 13 from 338 MHz to 1620 MHz", clocks)
	}
}

func TestGPUClocks(t *testing.T) {
	ultra, cpu := clockTable(ultraClocks...), clockTable(702e6, 948e6, 3504e6)
	inKHz := clockTable(0, 338_000, 1_620_000)
	short := clockTable(0, 444e6, 1398e6)
	for _, c := range []struct {
		name   string
		tables []voltageTable
		count  int
		top    float64
		reason string
	}{
		{"M2 Ultra", []voltageTable{{"voltage-states5-sram", cpu}, {"voltage-states9", ultra}}, 8, 1398e6, ""},
		{"the documented one of two", []voltageTable{{"voltage-states14", short}, {"voltage-states9", ultra}}, 8, 1398e6, ""},
		{"M2 Max, twice the same", []voltageTable{{"voltage-states14", ultra}, {"voltage-states14-sram", ultra}}, 8, 1398e6, ""},
		{"kHz", []voltageTable{{"voltage-states9", inKHz}}, 2, 1620e6, ""},
		{"two others", []voltageTable{{"voltage-states14", ultra}, {"voltage-states15", short}}, 0, 0, "several candidate tables"},
		{"processors only", []voltageTable{{"voltage-states5-sram", cpu}}, 0, 0, "no table of GPU clocks"},
		{"none", nil, 0, 0, "no table of GPU clocks"},
	} {
		clocks, err := gpuClocks(c.tables)
		if c.reason != "" {
			if err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%s: %v, %v; want an error with %q", c.name, clocks, err, c.reason)
			}
			continue
		}
		if err != nil || len(clocks) != c.count || clocks[len(clocks)-1] != c.top {
			t.Errorf("%s: %v, %v", c.name, clocks, err)
		}
	}
}

func TestDecodeGPUClocksRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":       nil,
		"one entry":   clockTable(0),
		"a part":      clockTable(0, 444e6)[:15],
		"not rising":  clockTable(0, 444e6, 444e6),
		"first not 0": clockTable(444e6, 612e6),
		"too slow":    clockTable(0, 100, 150),
		"too fast":    clockTable(0, 4_200_000_000),
		"too long":    make([]byte, 8*(maxGPUClocks+1)),
	} {
		if clocks, ok := decodeGPUClocks(b); ok {
			t.Errorf("%s: %v", name, clocks)
		}
	}
}

func FuzzDecodeGPUClocks(f *testing.F) {
	f.Add(clockTable(ultraClocks...))
	f.Add(clockTable(0, 338_000, 1_620_000))
	f.Add([]byte{0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		clocks, ok := decodeGPUClocks(b)
		if !ok {
			return
		}
		if !slices.IsSorted(clocks) || clocks[0] <= 0 || clocks[len(clocks)-1] > highestTop {
			t.Errorf("%x: %v", b, clocks)
		}
	})
}

func TestGPUThrottle(t *testing.T) {
	var g gpuThrottle
	for _, c := range []struct{ busy, share, want float64 }{
		{0.95, 0.9, 0}, // a limit from the start is not seen
		{1, 1, 0},
		{1, 0.75, 0.25},
		{0.91, 0.98, 0.02},
	} {
		if got, err := g.next(c.busy, c.share); err != nil || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("busy %v, clock %v: %v, %v; want %v", c.busy, c.share, got, err, c.want)
		}
	}
	if _, err := g.next(0.5, 0.3); err == nil || !strings.Contains(err.Error(), "mostly idle") {
		t.Errorf("idle: %v", err)
	}
	if g.best != 1 {
		t.Errorf("best %v, want 1", g.best)
	}
}
