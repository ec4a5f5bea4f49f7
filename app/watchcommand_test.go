package app

import (
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ready is an output that signals when something was written to it.
type ready chan struct{}

func (r ready) Write(p []byte) (int, error) {
	select {
	case r <- struct{}{}:
	default:
	}
	return len(p), nil
}

// A child that ignores a signal is ended with the next one, even if the leader of the group has already gone.
func TestCommandEndsWithItsGroup(t *testing.T) {
	for _, ignored := range []string{"INT", "INT TERM"} {
		t.Run(ignored, func(t *testing.T) {
			out := make(ready, 1)
			c, err := startCommand(&WatchRequest{
				Command: []string{"sh", "-c", "(trap '' " + ignored + "; echo ready; exec sleep 100 >/dev/null 2>&1) & wait"}, Stdout: out,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(-c.pid(), syscall.SIGKILL) })
			c.timeout = 50 * time.Millisecond
			<-out
			c.end()
			if !c.gone() {
				t.Error("a child lives on")
			}
		})
	}
}

// Lines end with a line feed, a carriage return, or the end of the output. A redrawn line is marked when its mark changes.
func TestMarksOfLines(t *testing.T) {
	for _, c := range []struct{ output, pattern, want string }{
		{"epoch 1\nepoch 2\n", `epoch \d+`, "epoch 1|epoch 2"},
		{"epoch 1\nepoch 2", `epoch \d+`, "epoch 1|epoch 2"},
		{"epoch 1\nepoch 1\n", `epoch \d+`, "epoch 1|epoch 1"},
		{"epoch 1\r\nepoch 2\r\n\r\nepoch 2\r\n", `epoch \d+$`, "epoch 1|epoch 2|epoch 2"},
		{"\repoch 1: 1 %\repoch 1: 2 %\r\x1b[K\repoch 1: 3 %\repoch 2: 0 %", `epoch \d+`, "epoch 1|epoch 2"},
		{"\r1 %\r2 %\n\r1 %\r2 %\n", `\d %`, "1 %|2 %|1 %|2 %"},
		{"a\n\nb\r\n", `^.*$`, "a||b"},
		{strings.Repeat("x", 2*maxLine) + " epoch 1\nepoch 2", `epoch \d+`, "epoch 2"},
	} {
		for _, size := range []int{1, 7, len(c.output)} {
			var marks []string
			var passed strings.Builder
			m := &marker{to: &passed, pattern: regexp.MustCompile(c.pattern), mark: func(text string) { marks = append(marks, text) }}
			for part := range slices.Chunk([]byte(c.output), size) {
				if n, err := m.Write(part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			m.end()
			if got := strings.Join(marks, "|"); got != c.want || passed.String() != c.output {
				t.Errorf("%.40q by %d: marks %q, want %q", c.output, size, got, c.want)
			}
		}
	}
}
