package cpu

import (
	"strings"
	"testing"
)

func TestParseMeminfo(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       systemMemory
		err        string
	}{
		{
			"usual", "MemTotal:       16000 kB\nMemFree:  10 kB\nMemAvailable:    9000 kB\nHugePages_Total:       0\n",
			systemMemory{16000 * 1024, 9000 * 1024},
			"",
		},
		{"no available", "MemTotal: 16000 kB\n", systemMemory{}, "MemAvailable"},
		{"no number", "MemTotal: lots kB\nMemAvailable: 1 kB\n", systemMemory{}, "MemTotal"},
		{"empty", "", systemMemory{}, "MemTotal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseMeminfo([]byte(c.text))
			if got != c.want || (err == nil) != (c.err == "") || (err != nil && !strings.Contains(err.Error(), c.err)) {
				t.Errorf("got %+v, %v; want %+v, an error with %q", got, err, c.want, c.err)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	machine := systemMemory{1000, 800}
	for _, c := range []struct {
		most, current string
		want          systemMemory
	}{
		{"max\n", "500\n", machine},
		{"600\n", "500\n", systemMemory{600, 100}},
		{"600\n", "700\n", systemMemory{600, 0}},
		{"5000\n", "100\n", machine},
	} {
		if got := machine.limit(c.most, c.current); got != c.want {
			t.Errorf("limit(%q, %q) = %+v, want %+v", c.most, c.current, got, c.want)
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
