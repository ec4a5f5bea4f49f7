package metal

import (
	"slices"
	"strings"
	"testing"
)

func m3Host() host {
	return host{osBuild: "24F74", osMajor: 15, brand: "Apple M3 Max", cpuCores: []int{12, 4}, resourceLimit: 499000}
}

func TestCapabilities(t *testing.T) {
	c := capabilitiesOf(m3(), m3Host())
	if got := strings.Join(c.families, " "); got != "Apple9 Mac2 Metal3" {
		t.Errorf("families %q", got)
	}
	if c.chip != "M3 Max" || c.bin != "16-core CPU (12 + 4), 40-core GPU" || c.bandwidth != 400e9 {
		t.Errorf("chip %q, bin %q, %g B/s", c.chip, c.bin, c.bandwidth)
	}
	if c.matrix != yes || c.bfloat != yes || c.resourceLimit != 499000 {
		t.Errorf("simdgroup_matrix %s, bfloat %s, %d resources", c.matrix, c.bfloat, c.resourceLimit)
	}
	if len(c.missing) != 0 {
		t.Errorf("all is known, yet missing: %v", c.missing)
	}
	c.simdWidth = 32
	features := c.features()
	for _, want := range []string{
		"Apple9", "M3 Max", c.bin, "memory bandwidth 400 GB/s (spec)", "SIMD width 32",
		"1024 threads per threadgroup", "32 KiB threadgroup memory", "simdgroup_matrix", "bfloat",
	} {
		if !slices.Contains(features, want) {
			t.Errorf("features %q lack %q", features, want)
		}
	}
}

// A property that cannot be queried is shown as unknown, with the reason.
func TestCapabilitiesUnknown(t *testing.T) {
	c := capabilitiesOf(facts{name: "?", apple: 7}, host{})
	if c.chip != "" || c.cores != 0 || c.bandwidth != 0 || c.bfloat != unknown || c.bin != "" {
		t.Errorf("nothing was told, yet: %+v", c)
	}
	for _, what := range []string{"chip", "GPU cores", "memory bandwidth", "resource limit", "working set", "bfloat"} {
		if c.missing[what] == "" {
			t.Errorf("no reason why %s is unknown", what)
		}
	}
	for _, want := range []string{
		"chip unknown (the system does not report an Apple chip)",
		"GPU cores unknown (the IORegistry has no gpu-core-count for the device)",
		"memory bandwidth unknown (" + c.missing["memory bandwidth"] + ")",
		"SIMD width unknown (not reported)", "threads per threadgroup unknown (not reported)", "bfloat unknown",
	} {
		if features := c.features(); !slices.Contains(features, want) {
			t.Errorf("features %q lack %q", features, want)
		}
	}
}

func TestCapabilitiesByFamily(t *testing.T) {
	virtual := facts{name: "Apple Paravirtual device", apple: 5, mac: 2, unified: true}
	cases := []struct {
		name           string
		f              facts
		major          int
		matrix, bfloat answer
		atomics        answer
	}{
		{"virtual machine", virtual, 15, no, no, no},
		{"M1", facts{apple: 7}, 14, yes, yes, yes},
		{"M1 before macOS 14", facts{apple: 7}, 13, yes, no, yes},
		{"M1 before Metal 3", facts{apple: 7}, 12, yes, no, no},
		{"M1 under a system unknown", facts{apple: 7}, 0, yes, unknown, unknown},
		{"AMD with Metal 3", facts{mac: 2, metal: 3}, 14, no, yes, yes},
		{"Intel", intelIntegrated(), 14, no, no, no},
		{"M5", facts{apple: 10, metal: 4}, 26, yes, yes, yes},
	}
	for _, c := range cases {
		got := capabilitiesOf(c.f, host{osMajor: c.major})
		if got.matrix != c.matrix || got.bfloat != c.bfloat || got.floatAtomics != c.atomics {
			t.Errorf("%s: simdgroup_matrix %s, bfloat %s, atomic_float %s; want %s, %s, %s", c.name, got.matrix, got.bfloat,
				got.floatAtomics, c.matrix, c.bfloat, c.atomics)
		}
	}
}

// The processor's chip says nothing about a discrete or simulated GPU.
func TestChipIsTheGPUs(t *testing.T) {
	simulated := m3()
	simulated.simulated = true
	for _, f := range []facts{eGPU(), simulated} {
		if c := capabilitiesOf(f, m3Host()); c.chip != "" || c.bandwidth != 0 {
			t.Errorf("%s: chip %q, %g B/s", f.name, c.chip, c.bandwidth)
		}
	}
}

func TestDecodeInteger(t *testing.T) {
	for _, c := range []struct {
		raw  []byte
		want int64
	}{
		{[]byte{0x38, 0x9d, 0x07, 0}, 499000},
		{[]byte{0x38, 0x9d, 0x07, 0, 0, 0, 0, 0}, 499000},
		{[]byte{0xff, 0xff, 0xff, 0xff}, 0},
		{[]byte{1}, 0},
		{nil, 0},
	} {
		if got := decodeInteger(c.raw); got != c.want {
			t.Errorf("% x: %d, want %d", c.raw, got, c.want)
		}
	}
}
