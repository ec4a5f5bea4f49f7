package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// The fuzz runner continues after a failure, names the failures at its end, and does not mistake Go's own deadline for one.
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

// named uses every kind of C name that cgo distinguishes.
const named = `package named

// #include <stdint.h>
// #define COUNT 3
// #define HALF 0.5
// #define TEXT "text"
// typedef struct { int32_t x; } pair;
// enum color { red = 7 };
// static int twice(int n) { return 2 * n; }
// static double level;
import "C"

func all() (int, float64, string, C.pair, C.enum_color, C.int, C.double) {
	return C.COUNT, C.HALF, C.TEXT, C.pair{x: C.int32_t(1)}, C.red, C.twice(2), C.level
}
`

// With scripts/cc, cgo writes what it writes with gcc for every kind of name, and the query that is slow in gcc is put differently.
func TestCgoCompiler(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("scripts/cc is for gcc on Linux")
	}
	wrapper, err := filepath.Abs("scripts/cc")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gcc"), []byte("#!/bin/sh\necho \"$*\" >>"+bin+"/asked\nexec "+gcc+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "named.go"), []byte(named), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(compiler string) string {
		cmd := exec.Command("go", "tool", "cgo", "-objdir", "out", "named.go")
		cmd.Dir = source
		cmd.Env = append(os.Environ(), "CC="+compiler, "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", compiler, err, out)
		}
		types, err := os.ReadFile(filepath.Join(source, "out", "_cgo_gotypes.go"))
		if err != nil {
			t.Fatal(err)
		}
		return string(types)
	}
	want, got := write("gcc"), write(wrapper)
	if want != got || !strings.Contains(got, "_Ciconst_COUNT") || !strings.Contains(got, "_Csconst_TEXT") {
		t.Errorf("with gcc cgo writes\n%s\nwith scripts/cc\n%s", want, got)
	}
	asked, err := os.ReadFile(filepath.Join(bin, "asked"))
	if err != nil || !strings.Contains(string(asked), " -x c /") {
		t.Errorf("gcc was called with\n%s%v", asked, err)
	}
}
