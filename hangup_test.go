package main

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// inChild makes this test's process act as the app.
const inChild = "ASSAY_HANGUP_CHILD"

// monitoring starts the app's monitor as a separate process and returns once it prints.
func monitoring(t *testing.T) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^TestHangup$")
	cmd.Env = append(os.Environ(), inChild+"=1", "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	return cmd, lines
}

// A terminal that closes sends several hangups: the app ends as it does on an interrupt. Under nohup it keeps running.
func TestHangup(t *testing.T) {
	if os.Getenv(inChild) != "" {
		os.Exit(run([]string{"monitor", "--json", "--interval", "50ms"}))
	}
	send := func(cmd *exec.Cmd, s syscall.Signal) {
		if err := cmd.Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // so that the app does not inherit ignored hangups, as it would under nohup
	defer signal.Stop(hangups)
	cmd, lines := monitoring(t)
	terminal := cmd.Process
	go func() { // keep sending hangups until it ends
		for terminal.Signal(syscall.SIGHUP) == nil {
		}
	}()
	for lines.Scan() { // drain what it still prints
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("a hangup: %v, want exit status 130", err)
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	cmd, lines = monitoring(t)
	send(cmd, syscall.SIGHUP)
	for n := range 20 {
		if !lines.Scan() {
			t.Fatalf("an ignored hangup: it ended after %d lines", n)
		}
	}
	send(cmd, syscall.SIGTERM)
	for lines.Scan() {
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("an ignored hangup, then SIGTERM: %v, want exit status 130", err)
	}
}
