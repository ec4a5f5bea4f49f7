package machine

import (
	"testing"

	"assay/internal/cgroup"
)

func TestMemoryLimit(t *testing.T) {
	machine := Memory{1000, 800, 7}
	for limit, want := range map[cgroup.Memory]Memory{
		{Limit: 600, Available: 100}:   {600, 100, 7},
		{Limit: 900, Available: 850}:   {900, 800, 7},
		{Limit: 5000, Available: 4000}: machine,
	} {
		if got := machine.within(limit); got != want {
			t.Errorf("%+v: %+v, want %+v", limit, got, want)
		}
	}
}

func TestSpareMemory(t *testing.T) {
	m := Memory{Total: 1000, Available: 600, Resident: 150}
	for _, c := range []struct {
		name               string
		booked, base, want int64
	}{
		{"nothing booked", 0, 150, 600},
		{"all touched", 100, 50, 600},
		{"half touched", 200, 50, 500},
		{"nothing touched", 200, 150, 400},
		{"the process shrank", 200, 170, 400},
		{"more promised than there is", 900, 150, -300},
	} {
		if got := m.Spare(c.booked, c.base); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestReserve(t *testing.T) {
	for total, want := range map[int64]int64{80 << 20: 10 << 20, 512 << 20: 64 << 20, 1 << 40: 64 << 20} {
		if got := (Memory{Total: total}).Reserve(); got != want {
			t.Errorf("of %d B: %d, want %d", total, got, want)
		}
	}
}

func TestParseStatm(t *testing.T) {
	for text, want := range map[string]int64{"765 433 405 5 0 123 0\n": 433 * 4096, "765": 0, "765 x": 0, "": 0} {
		if got := parseStatm(text, 4096); got != want {
			t.Errorf("parseStatm(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestParseCPUName(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nmodel name\t: Another\n": "Some CPU @ 3 GHz",
		"processor\t: 0\nModel\t\t: Some Board\n":                                 "Some Board",
		"processor\t: 0\nmodel\t\t: 6\n":                                          "",
		"":                                                                        "",
	} {
		if got := parseCPUName([]byte(text)); got != want {
			t.Errorf("parseCPUName(%q) = %q, want %q", text, got, want)
		}
	}
}
