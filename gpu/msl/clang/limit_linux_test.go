package clang

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func TestMemoryOfClangIsLimited(t *testing.T) {
	cmd := exec.Command("sh", "-c", "read x; ulimit -v")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limitMemory(cmd.Process.Pid)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || strings.TrimSpace(out.String()) != "4194304" {
		t.Errorf("%v, a limit of %s KiB, want 4194304", err, out.String())
	}
}
