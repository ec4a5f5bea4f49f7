package metal

import "testing"

func TestChipName(t *testing.T) {
	for brand, want := range map[string]string{
		"Apple M3 Max": "M3 Max", "Apple M1": "M1", " Apple M5 Pro\n": "M5 Pro",
		"Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz": "", "Apple": "", "": "", "VirtualApple @ 2.50GHz": "",
	} {
		if got := chipName(brand); got != want {
			t.Errorf("%q: %q, want %q", brand, got, want)
		}
	}
}

func TestBandwidth(t *testing.T) {
	cases := []struct {
		chip  string
		cores int
		want  float64 // 0: unknown
	}{
		{"M1", 8, 68.25e9},
		{"M1", 0, 68.25e9}, // all bins are alike
		{"M3 Max", 30, 300e9},
		{"M3 Max", 40, 400e9},
		{"M3 Max", 0, 0}, // bins differ
		{"M4 Max", 40, 546e9},
		{"M4 Max", 36, 0}, // no such bin
		{"M5 Max", 32, 460e9},
		{"M9", 10, 0},
		{"", 10, 0},
	}
	for _, c := range cases {
		got, why := bandwidth(c.chip, c.cores)
		if got != c.want {
			t.Errorf("%q with %d cores: %g B/s, want %g", c.chip, c.cores, got, c.want)
		}
		if (got == 0) != (why != "") {
			t.Errorf("%q with %d cores: %g B/s, reason %q", c.chip, c.cores, got, why)
		}
	}
}

// TestChipTable checks what is true of all chips: a larger bin is never slower, and bandwidths are in bytes.
func TestChipTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range chips() {
		if seen[c.name] || len(c.bins) == 0 {
			t.Errorf("%s: listed twice, or without bins", c.name)
		}
		seen[c.name] = true
		for i, b := range c.bins {
			if b.bandwidth < 50e9 || b.bandwidth > 2e12 || b.cores < 5 || b.cores > 100 {
				t.Errorf("%s: bin %+v is out of all bounds", c.name, b)
			}
			if i > 0 && (b.cores <= c.bins[i-1].cores || b.bandwidth < c.bins[i-1].bandwidth) {
				t.Errorf("%s: bins out of order: %+v", c.name, c.bins)
			}
		}
	}
	for _, generation := range []string{"M1", "M2", "M3", "M4", "M5"} {
		if !seen[generation] || !seen[generation+" Pro"] || !seen[generation+" Max"] {
			t.Errorf("the chips of %s are not all listed", generation)
		}
	}
}
