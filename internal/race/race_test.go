package race

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRangesAreSeen runs itself in a separate process, in which one goroutine reads what another writes.
func TestRangesAreSeen(t *testing.T) {
	if !On {
		t.Skip("needs the race detector")
	}
	if os.Getenv("ASSAY_RACING") != "" {
		b, done := make([]byte, 64), make(chan struct{})
		go func() { Writes(b[8:]); close(done) }()
		Reads(b)
		<-done
		return
	}
	self := exec.Command(os.Args[0], "-test.run=^TestRangesAreSeen$")
	self.Env = append(os.Environ(), "ASSAY_RACING=1")
	out, err := self.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "DATA RACE") {
		t.Errorf("the race detector saw no race (%v):\n%s", err, out)
	}
}
