package metal

import (
	"fmt"
	"slices"
	"strings"
)

// chip is one chip in Apple's specifications. Its bins differ in the number of GPU cores, and some in memory bandwidth.
type chip struct {
	name string
	bins []bin
}

type bin struct {
	cores     int     // of the GPU
	bandwidth float64 // of memory, bytes per second
}

// chips lists the chips of Macs. The figures are Apple's: the technical specifications of the Macs that carry a chip
// (support.apple.com/specs) and the announcements of each generation (apple.com/newsroom, 2020 to 2026), where "up to"
// is the largest bin. They do not list the M1: 68.25 GB/s is the bandwidth of its memory, 128 bits of LPDDR4X-4266.
func chips() []chip {
	const gb = 1e9
	same := func(bandwidth float64, cores ...int) []bin {
		var bins []bin
		for _, c := range cores {
			bins = append(bins, bin{c, bandwidth})
		}
		return bins
	}
	return []chip{
		{"M1", same(68.25*gb, 7, 8)},
		{"M1 Pro", same(200*gb, 14, 16)},
		{"M1 Max", same(400*gb, 24, 32)},
		{"M1 Ultra", same(800*gb, 48, 64)},
		{"M2", same(100*gb, 8, 10)},
		{"M2 Pro", same(200*gb, 16, 19)},
		{"M2 Max", same(400*gb, 30, 38)},
		{"M2 Ultra", same(800*gb, 60, 76)},
		{"M3", same(100*gb, 8, 10)},
		{"M3 Pro", same(150*gb, 14, 18)},
		{"M3 Max", []bin{{30, 300 * gb}, {40, 400 * gb}}},
		{"M3 Ultra", same(819*gb, 60, 80)},
		{"M4", same(120*gb, 8, 10)},
		{"M4 Pro", same(273*gb, 16, 20)},
		{"M4 Max", []bin{{32, 410 * gb}, {40, 546 * gb}}},
		{"M5", same(153*gb, 8, 10)},
		{"M5 Pro", same(307*gb, 16, 20)},
		{"M5 Max", []bin{{32, 460 * gb}, {40, 614 * gb}}},
		{"A18 Pro", same(60*gb, 5)}, // MacBook Neo
	}
}

// chipName extracts the chip from the processor's brand string: "M3 Max" of "Apple M3 Max"; empty if it is not Apple's.
func chipName(brand string) string {
	name, ok := strings.CutPrefix(strings.TrimSpace(brand), "Apple ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(name)
}

// bandwidth is the memory bandwidth in the chip's specification, in bytes per second. For a chip or bin that is not listed
// it is 0, with the reason; nothing is inferred from similar chips.
func bandwidth(name string, cores int) (bytesPerSecond float64, why string) {
	all := chips()
	i := slices.IndexFunc(all, func(c chip) bool { return c.name == name })
	switch {
	case name == "":
		return 0, "the chip is unknown"
	case i < 0:
		return 0, fmt.Sprintf("no known specification of the chip %s", name)
	}
	bins := all[i].bins
	if cores == 0 && bins[0].bandwidth == bins[len(bins)-1].bandwidth {
		return bins[0].bandwidth, ""
	}
	j := slices.IndexFunc(bins, func(b bin) bool { return b.cores == cores })
	if j < 0 {
		return 0, fmt.Sprintf("no known specification of the chip %s with %d GPU cores", name, cores)
	}
	return bins[j].bandwidth, ""
}
