package native

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"assay/internal/race"
)

const smaps = `55b2494b8000-55b2494ba000 r--p 00000000 fe:00 247278                     /opt/assay
Size:                  8 kB
Private_Dirty:         0 kB
Anonymous:             0 kB
Swap:                  0 kB
SwapPss:               0 kB
VmFlags: rd mr mw me
55b2494bb000-55b2494bc000 r--p 00000000 fe:00 247278                     /opt/assay
Private_Dirty:         4 kB
Swap:                  0 kB
55b2494bc000-55b2494bd000 r--p 00000000 fe:00 247278                     /opt/assay
Private_Dirty:         0 kB
Swap:                  4 kB
7ffd5f9ec000-7ffd5fa0d000 rw-p 00000000 00:00 0                          [stack]
Anonymous:            12 kB
`

func TestMappings(t *testing.T) {
	got := mappings(smaps)
	if len(got) != 4 {
		t.Fatalf("%d mappings: %v", len(got), got)
	}
	for i, changed := range []bool{false, true, true, true} {
		if got[i].changed != changed {
			t.Errorf("mapping %d: changed %v", i, got[i].changed)
		}
	}
	if from, to, ok := got[0].inFile("/opt/assay"); !ok || from != 0x55b2494b8000 || to != 0x55b2494ba000 {
		t.Errorf("%x, %x, %v", from, to, ok)
	}
	if _, _, ok := got[1].inFile("/opt/assay"); ok {
		t.Error("changed pages would be dropped")
	}
	if mappings("") != nil || len(mappings("Private_Dirty: 4 kB\n")) != 0 {
		t.Error("mappings in an empty file")
	}
}

func TestInFile(t *testing.T) {
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"7f00a000-7f00c000 r-xp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", true},
		{"7f00a000-7f00c000 r--p 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", true},
		{"7f00a000-7f00c000 r-xp 00001000 08:01 12   /opt/assay", true},
		{"7f00a000-7f00c000 r--p 00001000 08:01 12   /opt/assay.ttf", false},
		{"7f00a000-7f00c000 r--s 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", false},
		{"7f00a000-7f00c000 rw-p 00001000 08:01 12   /opt/assay", false},
		{"7f00a000-7f00c000 rwxp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", false},
		{"7f00a000-7f00c000 r-xp 00000000 00:00 0", false},
		{"7f00a000-7f00c000 r-xp 00000000 00:00 0    [vdso]", false},
		{"7f00a000-7f00c000 r-xp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1 (deleted)", false},
		{"7f00c000-7f00a000 r-xp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", false},
		{"", false},
	} {
		from, to, ok := mapping{head: c.line}.inFile("/opt/assay")
		if ok != c.ok || ok && (from != 0x7f00a000 || to != 0x7f00c000) {
			t.Errorf("%q: %x, %x, %v", c.line, from, to, ok)
		}
	}
}

// TestGiveBack checks that a program works after releasing its libraries' code, and uses less memory.
func TestGiveBack(t *testing.T) {
	garbage := make([]byte, 64<<20)
	for i := 0; i < len(garbage); i += 4096 {
		garbage[i] = 1
	}
	before := resident(t)
	runtime.KeepAlive(garbage)
	garbage = nil
	GiveBack()
	if after := resident(t); after > before-60<<10 && !race.On { // its own memory grows with what is freed
		t.Errorf("%d kB before, %d kB after", before, after)
	}
	if got := strings.Repeat("ab", 3); got != "ababab" {
		t.Error(got)
	}
}

// resident returns the resident memory, in kB.
func resident(t *testing.T) (kB int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, words, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(words, &kB); err != nil {
		t.Fatal(err)
	}
	return kB
}
