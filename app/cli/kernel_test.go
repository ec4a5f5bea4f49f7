package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"assay/app"
	"assay/gpu/msl"
	"assay/gpu/msl/clang"
)

// kernelFile writes a .metal file and gives the command its own cache.
func kernelFile(t *testing.T, text string) string {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" { // there scripts/deps.sh installs it
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "k.metal")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodKernel = `#include <metal_stdlib>
using namespace metal;
constant bool quick [[function_constant(3)]];
kernel void add_one(device float *x [[buffer(0)]], constant uint &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
	if (i < n && quick) x[i] += ONE;
}
`

func TestKernelCheck(t *testing.T) {
	file := kernelFile(t, goodKernel)
	code, out, errOut := assay(t, app.Config{}, "kernel", "check", file, "-D", "ONE=1")
	if code != 0 || errOut != "" {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{
		"1 entry point, 1 function constant", "3  bool  quick  required", "add_one (line 4)",
		"buffer 0                 device float *   x  read-write", "buffer 1                 constant uint &  n  read\n",
		"thread_position_in_grid  uint             i\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

func TestKernelCheckErrors(t *testing.T) {
	file := kernelFile(t, goodKernel)
	code, out, errOut := assay(t, app.Config{}, "kernel", "check", file)
	if code != 1 || out != "" {
		t.Errorf("exit %d with output %q, want 1 with none", code, out)
	}
	const line = "\tif (i < n && quick) x[i] += ONE;"
	column := strings.Index(line, "ONE")
	want := fmt.Sprintf("%s:5:%d: error: use of undeclared identifier 'ONE'\n    %s\n    \t%s^\n", file, column+1, line,
		strings.Repeat(" ", column-1))
	if !strings.Contains(errOut, want) {
		t.Errorf("errors\n%s\nwant\n%s", errOut, want)
	}
}

// A file that fails does not prevent the others from being checked.
func TestKernelCheckSeveral(t *testing.T) {
	file := kernelFile(t, goodKernel)
	missing := filepath.Join(t.TempDir(), "missing.metal")
	code, out, errOut := assay(t, app.Config{}, "kernel", "check", missing, file, "-D", "ONE")
	if code != 1 || !strings.Contains(errOut, missing) || strings.Count(errOut, missing) != 1 || !strings.Contains(out, "add_one") {
		t.Errorf("exit %d\n%s\n%s", code, out, errOut)
	}
}

func TestKernelUsage(t *testing.T) {
	for _, args := range [][]string{{"kernel", "check"}, {"kernel", "weld"}, {"kernel", "check", "-D", "=1", "x.metal"}, {"kernel", "check", "--fast"}} {
		code, _, errOut := assay(t, app.Config{}, args...)
		if code != 2 || errOut == "" {
			t.Errorf("%q: exit %d, %q; want 2 and a reason", args, code, errOut)
		}
	}
}

// Anything that is not a file, or is too large, is rejected at once: a pipe would block, a device has no end.
func TestKernelCheckReadsFilesOnly(t *testing.T) {
	dir := filepath.Dir(kernelFile(t, goodKernel))
	pipe, large := filepath.Join(dir, "pipe.metal"), filepath.Join(dir, "large.metal")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 3<<30); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		pipe: "is a pipe, want a file of Metal source", "/dev/zero": "is a device", dir: "is a folder",
		large: "is 3.22 GB, want at most 16.8 MB",
	} {
		code, _, errOut := assay(t, app.Config{}, "kernel", "check", file)
		if code != 1 || !strings.HasPrefix(errOut, "assay: "+file+" "+want) {
			t.Errorf("%s: exit %d, %s", file, code, errOut)
		}
	}
}

// A #line directive may name any file: only files that the preprocessor opened are quoted, and nothing but files is read.
func TestKernelCheckQuotesWhatWasIncluded(t *testing.T) {
	file := kernelFile(t, "")
	dir := filepath.Dir(file)
	secret, header, pipe := filepath.Join(dir, "secret"), filepath.Join(dir, "a header.h"), filepath.Join(dir, "pipe")
	for name, text := range map[string]string{secret: "password\n", header: "constant int y = undefined_y;\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, told, quoted, secret string }{
		{"#line 1 \"" + secret + "\"\nconstant int z = undefined_z;\n", "undefined_z", "", "password"},
		{"# 1 \"" + secret + "\" 1\nconstant int z = undefined_z;\n", "undefined_z", "", "password"},
		{"#line 1 \"" + pipe + "\"\nconstant int z = undefined_z; kernel void k() {}\n", "undefined_z", "", ""},
		{"#line 1 \"/dev/zero\"\nconstant int z = undefined_z; kernel void k() {}\n", "undefined_z", "", ""},
		{"#include \"a header.h\"\n", "undefined_y", "    constant int y = undefined_y;\n", ""},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errOut := assay(t, app.Config{}, "kernel", "check", file)
		if code != 1 || !strings.Contains(errOut, test.told) || !strings.Contains(errOut, test.quoted) ||
			test.secret != "" && strings.Contains(errOut, test.secret) {
			t.Errorf("%q: exit %d\n%s", test.text, code, errOut)
		}
	}
}

// Out of thousands of errors, some are listed and the others are counted.
func TestKernelCheckCountsErrors(t *testing.T) {
	file := kernelFile(t, strings.Repeat("double x;\n", 3000))
	code, _, errOut := assay(t, app.Config{}, "kernel", "check", file)
	if lines := strings.Count(errOut, "\n"); code != 1 || lines > 400 || !strings.Contains(errOut, "… and 5,900 more errors\n"+file+": 6,000 errors\n") {
		t.Errorf("exit %d, %d lines, the last\n%s", code, lines, errOut[max(0, len(errOut)-400):])
	}
}

// A file that is not text must not reach the terminal unescaped.
func TestSourceLineIsPlain(t *testing.T) {
	const path = "x.metal"
	text := "\tfloat x;\r\nclear \x1b[2J\n\xff\xfe\n" + strings.Repeat("x", longestExcerpt+1) + "\n"
	source := newQuoted(&msl.Source{Name: path, Text: text}, nil)
	for line, want := range map[int]bool{0: false, 1: true, 2: false, 3: false, 4: false, 9: false} {
		if got, ok := source.line(path, line); ok != want || ok && got != "\tfloat x;" {
			t.Errorf("line %d: %q, shown %v", line, got, ok)
		}
	}
}
