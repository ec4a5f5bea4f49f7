package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGo stands for the go command that scripts/fuzz.sh runs: a package with four fuzz targets, two of which fail.
const fakeGo = `#!/bin/sh
case "$*" in
list*) echo pkg ;;
*-list*) printf 'FuzzFine\nFuzzDeadline\nFuzzBroken\nFuzzBrokenLate\nok pkg 0.1s\n' ;;
*FuzzFine*) echo elapsed; echo PASS ;;
*FuzzDeadline*) echo 'FAIL: context deadline exceeded'; exit 1 ;;
*FuzzBroken\$*) echo 'Failing input written to testdata/fuzz/x'; exit 1 ;;
*FuzzBrokenLate*) echo 'Failing input written to testdata/fuzz/y'; echo 'context deadline exceeded'; exit 1 ;;
esac
case "$*" in *-fuzz\ *) case "$*" in *'-fuzztime 7s -fuzzminimizetime 1x pkg') ;; *) echo "unexpected: $*"; exit 2 ;; esac ;; esac
`

// The fuzz runner goes on after a failure, names what failed at its end, and does not take Go's own deadline for one.
func TestFuzzRunner(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(fakeGo), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "scripts/fuzz.sh")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FUZZTIME=7s")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%v, want exit status 1", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; last != "failed: FuzzBroken FuzzBrokenLate" {
		t.Errorf("it ends with %q:\n%s", last, out)
	}
	for _, target := range []string{"pkg FuzzFine", "pkg FuzzDeadline", "pkg FuzzBroken", "pkg FuzzBrokenLate"} {
		if !strings.Contains(string(out), target+"\n") {
			t.Errorf("%s was not run:\n%s", target, out)
		}
	}
}
