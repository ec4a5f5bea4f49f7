package cpu

import (
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	machine := systemMemory{1000, 800, 7}
	const stat = "anon 90\nfile 350\nshmem 50\ninactive_anon 1\ninactive_file 200\nactive_file 100\nslab 11\n"
	for _, c := range []struct {
		name  string
		group cgroup
		want  systemMemory
	}{
		{"no limit", cgroup{"max\n", "500\n", stat}, machine},
		{"in use", cgroup{"600\n", "500\n", ""}, systemMemory{600, 100, 7}},
		{"files are cached", cgroup{"600\n", "500\n", stat}, systemMemory{600, 400, 7}},
		{"over the limit", cgroup{"600\n", "700\n", ""}, systemMemory{600, 0, 7}},
		{"less in use than cached", cgroup{"600\n", "100\n", stat}, systemMemory{600, 600, 7}},
		{"a limit beyond the machine", cgroup{"5000\n", "100\n", stat}, machine},
		{"no use known", cgroup{"600\n", "", stat}, systemMemory{600, 800, 7}},
		{"damaged numbers", cgroup{"600\n", "500\n", "inactive_file\nactive_file x\n"}, systemMemory{600, 100, 7}},
	} {
		if got := machine.limit(c.group); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSpareMemory(t *testing.T) {
	m := systemMemory{total: 1000, available: 600, resident: 150}
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
		if got := m.spare(c.booked, c.base); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
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
