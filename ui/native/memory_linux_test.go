package native

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestLibraryCode(t *testing.T) {
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"7f00a000-7f00c000 r-xp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", true},
		{"7f00a000-7f00c000 r--p 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", false}, // relocated data is read-only, too
		{"7f00a000-7f00c000 rwxp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", false},
		{"7f00a000-7f00c000 r-xp 00000000 00:00 0", false},
		{"7f00a000-7f00c000 r-xp 00000000 00:00 0    [vdso]", false},
		{"7f00a000-7f00c000 r-xp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1 (deleted)", false},
		{"7f00c000-7f00a000 r-xp 00001000 08:01 12   /usr/lib/libLLVM-15.so.1", false},
		{"", false},
	} {
		from, to, ok := libraryCode(c.line)
		if ok != c.ok || ok && (from != 0x7f00a000 || to != 0x7f00c000) {
			t.Errorf("libraryCode(%q) = %x, %x, %v", c.line, from, to, ok)
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
	if after := resident(t); after > before-60<<10 {
		t.Errorf("%d kB before, %d kB after", before, after)
	}
	if got := strings.Repeat("ab", 3); got != "ababab" {
		t.Error(got)
	}
}

// resident is what lies in memory, in kB.
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
