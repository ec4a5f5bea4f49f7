// Package clang runs the clang compiler for gpu/msl: it preprocesses a source, checks the output of the front end, and
// compiles entry points. Results are cached by the hash of all inputs.
package clang

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/internal/si"
)

// Compiler is a clang that can compile the language.
type Compiler struct {
	path    string
	version string // its first line of --version: part of every cache key

	inlining time.Duration // after which a kernel for CUDA is compiled without inlining everything
}

// Version range and limits of the compiler.
const (
	minClang   = 16
	maxClang   = 20
	runTimeout = 2 * time.Minute // for one run

	inliningTimeout = time.Minute
	exitTimeout     = 5 * time.Second // to die after SIGKILL
	maxOutput       = 256 << 20       // bytes that one run may print
	maxMemory       = 4 << 30         // bytes of its address space, on Linux
)

// StayInGroup is the environment variable that, unless empty, keeps the compilers of a process in its process group, so that
// ending the group ends them. Otherwise each compiler has its own group, which is ended when its context is.
const StayInGroup = "ASSAY_CLANG_STAYS_IN_GROUP"

// errTooMuch is the error of a source that expands to too much.
var errTooMuch = fmt.Errorf("it expands to more than %s", si.Bytes(maxOutput))

var errNoClang = errors.New("no clang found: compiling Metal kernels needs clang 16 or later " +
	"(Debian and Ubuntu: apt install clang-16 lld-16; macOS: brew install llvm); ASSAY_CLANG may name it")

// Find finds clang 16 or later: the one that ASSAY_CLANG names, otherwise one in the path.
func Find() (*Compiler, error) {
	if path := os.Getenv("ASSAY_CLANG"); path != "" {
		c, err := tryClang(path)
		if err != nil {
			return nil, fmt.Errorf("ASSAY_CLANG: %w", err)
		}
		return c, nil
	}
	found := errNoClang
	for _, path := range clangNames() {
		if _, err := exec.LookPath(path); err != nil {
			continue
		}
		c, err := tryClang(path)
		if err == nil {
			return c, nil
		}
		found = fmt.Errorf("%w; %w", err, errNoClang)
	}
	return nil, found
}

// clangNames lists possible names of clang, in order of preference.
func clangNames() []string {
	var names []string
	for v := minClang; v <= maxClang; v++ {
		names = append(names, fmt.Sprintf("clang-%d", v))
	}
	return append(names, "clang", "/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang")
}

var clangVersion = regexp.MustCompile(`clang version (\d+)`)

// known are the programs known to be a suitable clang: a process may search for one before each library that it compiles.
var known sync.Map // of program to *Compiler

// program identifies a program as long as it is not replaced.
type program struct {
	path          string
	size, changed int64
}

// tryClang checks whether a program is a suitable clang.
func tryClang(path string) (*Compiler, error) {
	full, err := exec.LookPath(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	this := program{full, info.Size(), info.ModTime().UnixNano()}
	if c, ok := known.Load(this); ok {
		again := *c.(*Compiler)
		return &again, nil
	}
	c, err := askClang(full)
	if err == nil {
		first := *c
		known.Store(this, &first)
	}
	return c, err
}

// askClang asks a program for its version.
func askClang(full string) (*Compiler, error) {
	c := &Compiler{path: full, inlining: inliningTimeout}
	out, _, err := c.exec(context.Background(), nil, "--version")
	if err != nil {
		return nil, err
	}
	c.version, _, _ = strings.Cut(string(out), "\n")
	m := clangVersion.FindStringSubmatch(c.version)
	if m == nil {
		return nil, fmt.Errorf("%s is not clang: it says %q", full, c.version)
	}
	major, _ := strconv.Atoi(m[1])
	if strings.Contains(c.version, "Apple") {
		return c, c.trySpaces()
	}
	if major < minClang {
		return nil, fmt.Errorf("%s is clang %d, want %d or later", full, major, minClang)
	}
	return c, nil
}

// trySpaces checks whether a clang with other version numbers, such as Apple's, supports address spaces in C++.
func (c *Compiler) trySpaces() error {
	const probe = "void f(__attribute__((opencl_local)) int *a, int *b) { b = a; }"
	_, text, err := c.exec(context.Background(), []byte(probe), append(modeFlags(), "-fsyntax-only", "-x", "c++", "-")...)
	if err != nil {
		return fmt.Errorf("%s (%s) cannot compile for address spaces: %s", c.path, c.version, firstLine(text))
	}
	return nil
}

// modeFlags select C++17 with address spaces in types and with float literals.
func modeFlags() []string {
	return []string{
		"-std=c++17", "-fdeclspec", "-Xclang", "-fsycl-is-device", "-Xclang", "-cl-single-precision-constant",
		"-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fsigned-char", "-w", "-Wno-c++11-narrowing",
		"-fno-crash-diagnostics",
	}
}

// exitError is a clang that rejected its input.
type exitError struct {
	path string
	code int
	text string
}

func (e *exitError) Error() string { return fmt.Sprintf("%s: %s", e.path, firstLine(e.text)) }

// exec runs clang and returns its output.
func (c *Compiler) exec(ctx context.Context, stdin []byte, args ...string) (stdout []byte, stderr string, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out, text := bounded{full: stop}, bounded{full: stop}
	err = c.run(ctx, stdin, &out, &text, args)
	return out.buf.Bytes(), text.buf.String(), c.verdict(err, text.buf.String())
}

// bounded collects clang's output, and stops clang when it exceeds a limit.
type bounded struct {
	buf  bytes.Buffer
	full func(error)
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > maxOutput {
		b.full(errTooMuch)
		return 0, errTooMuch
	}
	return b.buf.Write(p)
}

// execToFile runs clang and returns its stderr, which goes through a file at path: clang writes tokens a few bytes at a time,
// and each write would wake the reader of a pipe.
func (c *Compiler) execToFile(ctx context.Context, path string, stdin []byte, args ...string) (stderr string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer f.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go watchSize(ctx, path, stop)
	if err = c.run(ctx, stdin, nil, f, args); errors.Is(err, errTooMuch) {
		return "", err
	}
	text, readErr := os.ReadFile(path)
	return string(text), cmp.Or(c.verdict(err, string(text)), readErr)
}

// watchSize stops clang when its output file becomes too large.
func watchSize(ctx context.Context, path string, stop func(error)) {
	const often = 20 * time.Millisecond
	for ctx.Err() == nil {
		if info, err := os.Stat(path); err == nil && info.Size() > maxOutput {
			stop(errTooMuch)
		}
		select {
		case <-ctx.Done():
		case <-time.After(often):
		}
	}
}

// run runs clang and kills it when the context ends or it takes too long.
func (c *Compiler) run(ctx context.Context, stdin []byte, stdout, stderr io.Writer, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), stdout, stderr
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if os.Getenv(StayInGroup) == "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with its linker
	}
	cmd.WaitDelay = exitTimeout
	err := cmd.Start()
	if err == nil {
		limitMemory(cmd.Process.Pid)
		err = cmd.Wait()
	}
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), errTooMuch):
		return errTooMuch
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end in time: %w", c.path, ctx.Err())
	}
	return err
}

// verdict distinguishes input that clang rejected from a failure of clang.
func (c *Compiler) verdict(err error, text string) error {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTooMuch):
		return err
	case !errors.As(err, &exit):
		return fmt.Errorf("run clang: %w", err)
	case outOfMemory(text):
		return fmt.Errorf("%s ran out of memory: it may use %s", c.path, si.Bytes(maxMemory))
	case !exit.Exited() || exit.ExitCode() > 2 || strings.Contains(text, "PLEASE submit a bug report"):
		return fmt.Errorf("%s crashed (%v): %s", c.path, exit, firstLine(text))
	}
	return &exitError{c.path, exit.ExitCode(), text}
}

// outOfMemory reports whether clang ended for lack of memory: it looks for messages of LLVM or its allocator.
func outOfMemory(text string) bool {
	return strings.Contains(text, "LLVM ERROR: out of memory") || strings.Contains(text, "std::bad_alloc")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line == "" {
		return "it printed nothing"
	}
	return line
}

// Version names the compiler and its version: "clang 16.0.6".
func (c *Compiler) Version() string {
	if m := fullVersion.FindStringSubmatch(c.version); m != nil {
		return "clang " + m[1]
	}
	return c.version
}

var fullVersion = regexp.MustCompile(`clang version ([\d.]+)`)
