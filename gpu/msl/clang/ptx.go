package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cuda"
)

// PTX compiles an entry point for NVIDIA GPUs, with values of function constants by index, each in the bytes of its type. inlined
// is the buffer whose bytes come with each launch, −1 if there is none. The library must have been compiled for cuda.Target. The
// .entry has the kernel's name; warm reports that the code came from the cache.
func (l *Library) PTX(ctx context.Context, name string, values map[int][]byte, inlined int) (ptx []byte, warm bool, err error) {
	target, ok := l.build.target.(cuda.Target)
	if !ok {
		return nil, false, fmt.Errorf("%s was not compiled for CUDA", l.name)
	}
	entries := l.unit.Entries()
	i := slices.IndexFunc(entries, func(e msl.Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, false, fmt.Errorf("%s has no kernel %q", l.name, name)
	}
	if err := checkValues(values); err != nil {
		return nil, false, fmt.Errorf("kernel %s: %w", name, err)
	}
	text := l.unit.EmitEntry(target, i, cuda.Entry, target.Constants(values, inlined))
	ptx, warm, err = l.ptx(ctx, &text)
	if err == nil {
		ptx, err = finishPTX(ptx, entries[i])
	}
	if err != nil {
		return nil, false, fmt.Errorf("kernel %s: %w", name, err)
	}
	return ptx, warm, nil
}

// ptx compiles one entry point to text; warm reports that it came from the cache.
func (l *Library) ptx(ctx context.Context, t *msl.Text) (text []byte, warm bool, err error) {
	b := l.build
	name := ptxPrefix + key(t.String(), b.hash, b.compiler.version, strings.Join(b.flags(), " ")) + ptxSuffix
	warm = true
	path, err := b.cache.get(name, func(path string) error {
		warm = false
		start := time.Now()
		if err := l.writePTX(ctx, t, path); err != nil || b.options.Note == nil {
			return err
		}
		return addNote(b.options.Note(time.Since(start).Seconds()), path)
	})
	if err != nil {
		return nil, false, err
	}
	text, err = os.ReadFile(path)
	return text, warm, err
}

// writePTX compiles to a file: with everything inlined or, if that takes clang too long or too much memory, without.
func (l *Library) writePTX(ctx context.Context, t *msl.Text, path string) error {
	b := l.build
	pch, err := b.prefix(ctx)
	if err != nil {
		return err
	}
	compile := func(ctx context.Context, flags []string) error {
		_, _, err := b.compiler.exec(ctx, []byte(t.String()), append(flags, "-include-pch", pch, "-S", "-x", "c++", "-", "-o", path)...)
		return err
	}
	full, cancel := context.WithTimeout(ctx, b.compiler.inlining)
	defer cancel()
	err = compile(full, b.flags())
	var exit *exitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		err = compile(ctx, cuda.Lighter(b.flags()))
	}
	if err != nil {
		return l.explain(ctx, t, err)
	}
	return nil
}

// addNote puts a note before the PTX in a file.
func addNote(note, path string) error {
	ptx, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, noted(note, ptx), 0o644)
	}
	return err
}

var ptxComment = regexp.MustCompile(`(?m)^\s*//.*\n`)

// finishPTX makes the function an entry with the kernel's name and its limit on threads. Undefined functions are an error: the
// driver would refuse them with less information.
func finishPTX(ptx []byte, e msl.Entry) ([]byte, error) {
	if m := ptxExtern.FindSubmatch(ptx); m != nil {
		return nil, fmt.Errorf("CUDA has no function %s", m[1])
	}
	head := []byte(".visible .func " + cuda.Entry + "(")
	at := bytes.Index(ptx, head)
	if at < 0 {
		return nil, fmt.Errorf("clang emitted no function %s", cuda.Entry)
	}
	body := at + bytes.Index(ptx[at:], []byte("\n{"))
	out := slices.Concat(ptx[:at], []byte(ptxEntry(e.Name)), ptx[at+len(head):body], maxThreads(e.MaxThreads), ptx[body:])
	return ptxComment.ReplaceAll(out, nil), nil
}

func ptxEntry(name string) string { return ".visible .entry " + name + "(" }

// threadLimit is the maximum threads of a threadgroup on every NVIDIA GPU.
const threadLimit = 1024

// maxThreads returns the directive for a limit on threads, which PTX expresses as the product of three; empty for 0.
func maxThreads(n int) []byte {
	if n == 0 {
		return nil
	}
	return fmt.Appendf(nil, "\n.maxntid %d, 1, 1", min(n, threadLimit))
}

// LimitThreads gives a PTX entry the attribute max_total_threads_per_threadgroup, which its source does not have.
func LimitThreads(ptx []byte, entry string, n int) ([]byte, error) {
	at := bytes.Index(ptx, []byte(ptxEntry(entry)))
	if at < 0 {
		return nil, fmt.Errorf("the PTX has no entry %s", entry)
	}
	body := bytes.Index(ptx[at:], []byte("\n{"))
	if body < 0 || bytes.Contains(ptx[at:at+body], []byte(".maxntid")) {
		return nil, fmt.Errorf("entry %s of the PTX has a limit on threads already, or no body", entry)
	}
	return slices.Concat(ptx[:at+body], maxThreads(n), ptx[at+body:]), nil
}
