package cpu_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestSlack(t *testing.T) {
	if got, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err != nil || got != 2_000_000 {
		t.Errorf("timer slack %d ns, %v; want 2 ms", got, err)
	}
}
