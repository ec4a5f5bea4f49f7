package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"assay/internal/offline"
)

// offlineChild makes this test's process forbid itself network sockets and then act as the app, with these arguments, one per line.
const offlineChild = "ASSAY_OFFLINE_COMMAND"

// commandOffline runs a command of the app in a process that ends when it opens a network socket.
func commandOffline(t *testing.T, home string, args ...string) (string, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run", "^TestNothingOpensANetworkSocket$")
	cmd.Env = append(os.Environ(), offlineChild+"="+strings.Join(args, "\n"), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Nothing opens a network socket except --prometheus: the kernel ends a process that does.
func TestNothingOpensANetworkSocket(t *testing.T) {
	if args := os.Getenv(offlineChild); args != "" {
		if err := offline.Forbid(); err != nil {
			fmt.Println(err)
			os.Exit(99)
		}
		os.Exit(run(strings.Split(args, "\n")))
	}
	if runtime.GOOS != "linux" {
		t.Skip("the filter of system calls is Linux's")
	}
	home := t.TempDir()
	if out, err := commandOffline(t, home, "monitor", "--count", "1", "--prometheus", "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "bad system call") {
		if strings.Contains(out, "forbid sockets") {
			t.Skip(out)
		}
		t.Fatalf("the filter lets a server start: %v\n%s", err, out)
	}
	for _, args := range [][]string{
		{"monitor", "--count", "2", "--interval", "100ms"},
		{"run", "batching", "--quick", "--engine", "cpu", "--time", "50ms", "--set", "sweep=matmul", "--set", "min_size=8", "--set", "max_size=16"},
		{"report", "last"},
		{"doctor"},
		{"list"},
		{"alerts"},
		{"watch", "--for", "300ms", "--interval", "100ms", "--", "sleep", "0.2"},
	} {
		out, err := commandOffline(t, home, args...)
		if err != nil && strings.Contains(err.Error(), "signal") {
			t.Errorf("assay %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if err != nil && args[0] != "watch" && args[0] != "doctor" { // these two may report something or nothing
			t.Errorf("assay %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
