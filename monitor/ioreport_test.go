package monitor

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"
)

func TestWithoutDie(t *testing.T) {
	for _, c := range []struct {
		channel, base string
		died          bool
	}{
		{"CPU Energy", "CPU Energy", false},
		{"DIE_0_CPU Energy", "CPU Energy", true}, // M1 Ultra
		{"DIE_11_CPU Energy", "CPU Energy", true},
		{"DIE0_CPU Energy", "CPU Energy", true}, // the spellings of macOS 27
		{"DIE0 CPU Energy", "CPU Energy", true},
		{"DIE_CPU Energy", "DIE_CPU Energy", false},
		{"DIE0", "DIE0", false},
		{"DIE0CPU", "DIE0CPU", false},
		{"DIE_0_", "", true},
		{"", "", false},
	} {
		if base, died := withoutDie(c.channel); base != c.base || died != c.died {
			t.Errorf("%q: %q, %v; want %q, %v", c.channel, base, died, c.base, c.died)
		}
	}
}

// energyRows are channels of the group "Energy Model" without values.
func energyRows(channels ...string) []reportRow {
	rows := make([]reportRow, len(channels))
	for i, c := range channels {
		rows[i] = reportRow{group: energyGroup, channel: c, unit: "mJ"}
	}
	return rows
}

// Channel names of an M1 Ultra with macOS 27 are as listed in lablup/all-smi#415 and #424, those of chips with one die as matched by
// vladkens/macmon and metaspartan/mactop. What a chip publishes in parts must not count twice.
func TestRailsTakeEachPartOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []reportRow
		want map[string][]string
	}{
		{
			"one die",
			energyRows("EACC_CPU0", "PACC0_CPU0", "PCPU1DTL01", "CPU Energy", "GPU", "GPU SRAM", "ANE", "DRAM", "GPU Energy", "ISP"),
			map[string][]string{
				PowerCPU: {"CPU Energy"}, PowerGPU: {"GPU Energy"}, PowerGPUSRAM: {"GPU SRAM"}, PowerANE: {"ANE"}, PowerDRAM: {"DRAM"},
			},
		}, {
			"M1 Ultra",
			energyRows("DIE_0_CPU Energy", "DIE_1_CPU Energy", "DIE_0_EACC_CPU0", "GPU0_0", "GPU SRAM0_0", "ANE0_0", "ANE0_1",
				"DRAM0_0", "DRAM0_1", "DCS0_0", "AMCC0_1", "apciec2 Energy", "PCIe Port 0 Energy", "GPU Energy"),
			map[string][]string{
				PowerCPU: {"DIE_0_CPU Energy", "DIE_1_CPU Energy"}, PowerGPU: {"GPU Energy"}, PowerGPUSRAM: {"GPU SRAM0_0"},
				PowerANE: {"ANE0_0", "ANE0_1"}, PowerDRAM: {"DRAM0_0", "DRAM0_1"},
			},
		}, {
			"whole and dies", energyRows("DIE_0_CPU Energy", "CPU Energy", "ANE0", "ANE"),
			map[string][]string{PowerCPU: {"CPU Energy"}, PowerANE: {"ANE"}},
		}, {
			"no channel of the driver", energyRows("GPU0_0", "GPU0_1", "GPUX", "DRAM_", "ANE0_"),
			map[string][]string{PowerGPU: {"GPU0_0", "GPU0_1"}},
		}, {"another group", []reportRow{{group: "Energy Counters", channel: "CPU Energy"}}, nil},
	} {
		for _, r := range rails() {
			var got []string
			for _, i := range r.rows(c.rows) {
				got = append(got, c.rows[i].channel)
			}
			if !slices.Equal(got, c.want[r.metric]) {
				t.Errorf("%s, %s: %q, want %q", c.name, r.metric, got, c.want[r.metric])
			}
		}
	}
}

func TestOnlyFewChannelsAreWanted(t *testing.T) {
	states := reportRow{group: "GPU Stats", subgroup: "GPU Performance States", channel: "GPUPH", unit: "24Mticks"}
	boost := reportRow{group: "GPU Stats", subgroup: "GPU Boost Controller Performance States", channel: "BSTGPUPH"}
	died := states
	died.channel = "DIE0 GPUPH"
	for _, c := range []struct {
		row  reportRow
		want bool
	}{
		{states, true},
		{died, true},
		{boost, false},
		{energyRows("CPU Energy")[0], true},
		{energyRows("DIE_1_CPU Energy")[0], true},
		{energyRows("PCPU1DTL01")[0], false},
		{reportRow{group: "CPU Stats", channel: "CPU Energy"}, false},
	} {
		if got := wantedChannel(c.row); got != c.want {
			t.Errorf("%s %s: %v, want %v", c.row.group, c.row.channel, got, c.want)
		}
	}
}

// element is a driver's record with the layout of XNU's IOReportTypes.h: provider, channel, type, stamp, four values.
func element(stamp uint64, value int64) []byte {
	b := make([]byte, elementSize)
	binary.LittleEndian.PutUint64(b, 0x1000003e5)
	copy(b[8:], "yrgE UPG") // "GPU Ergy", most significant letter first
	copy(b[16:], []byte{1, 0, 2, 0, 1, 0, 0, 0})
	binary.LittleEndian.PutUint64(b[24:], stamp)
	binary.LittleEndian.PutUint64(b[32:], uint64(value))
	return b
}

func TestDecodeElement(t *testing.T) {
	// Shaped like an IOReportElement of XNU's IOReportTypes.h: format "simple", category power, one element.
	raw := "e503000001000000" + "7972674520555047" + "0100020001000000" + "00e40b5402000000" +
		"b896980000000000" + "0000000000000000" + "0000000000000000" + "0000000000000000"
	b, err := hex.DecodeString(raw)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := decodeElement(b); !ok || e != (reportElement{stamp: 10_000_000_000, value: 10_000_056}) {
		t.Errorf("got %+v, %v", e, ok)
	}
	state := slices.Clone(b)
	state[16] = 2 // format "state"
	unstamped := element(0, 1)
	for name, bad := range map[string][]byte{"state": state, "short": b[:56], "long": append(b, 0), "no stamp": unstamped, "none": nil} {
		if _, ok := decodeElement(bad); ok {
			t.Errorf("%s: was decoded", name)
		}
	}
}

func FuzzDecodeElement(f *testing.F) {
	f.Add(element(1, 2))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, ok := decodeElement(b)
		if ok && (len(b) != elementSize || e.stamp == 0) {
			t.Errorf("%x: %+v", b, e)
		}
		if !ok && e != (reportElement{}) {
			t.Errorf("%x: a value without ok", b)
		}
	})
}

// FuzzEnergyChannel gives a counter arbitrary values: power is finite and not negative, or there is a reason.
func FuzzEnergyChannel(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, true)
	f.Add([]byte{255, 0, 255, 0, 128, 128}, false)
	f.Fuzz(func(t *testing.T, moves []byte, stamped bool) {
		c := energyChannel{rail: &rail{}}
		row := reportRow{channel: "x", unit: "mJ"}
		s := reportSample{tick: 1e-9, ticks: 1}
		for _, m := range moves {
			s.ticks += uint64(m&15) * 1e8
			row.value += int64(m>>4) - 4
			row.element = nil
			if stamped {
				row.element = element(s.ticks-uint64(m&3)*1e7, row.value)
			}
			watts, _, reason := c.watts(&row, &s)
			if reason == "" && !(watts >= 0 && !math.IsInf(watts, 0)) || reason != "" && watts != 0 {
				t.Fatalf("%v W, reason %q", watts, reason)
			}
			if len(c.points) > len(moves) {
				t.Fatalf("%d points are kept", len(c.points))
			}
		}
	})
}
