package clang

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cpu"
)

// Target is a kind of machine that clang compiles for.
type Target interface {
	msl.Target
	// Headers are the language's headers: macros.h for the preprocessing pass, prefix.h before the emitted text, and what
	// they include.
	Headers() fs.FS
	// Flags are clang's flags for the machine, checks of memory accesses and fast math; dir is the folder of the headers.
	Flags(dir string, checked, fastMath bool) []string
	// Machine identifies what the flags mean on this computer, for the cache key of compiled code.
	Machine() string
}

// Options specify how a library is compiled. An empty Cache is the folder msl in Assay's cache folder, and a nil Target is this
// machine's processor.
type Options struct {
	Checked  bool // every memory access is checked at run time, and out-of-range ones are faults; not on macOS (ErrNoChecking)
	FastMath bool
	Cache    string
	Target   Target
	// Note returns a line to keep with newly compiled PTX, given the seconds that compiling took; nil: none. The cache key does
	// not include it.
	Note func(seconds float64) string
}

// ErrNoChecking is the error of Options.Checked on macOS.
var ErrNoChecking = errors.New("checking mode is not supported on macOS: clang's -fsanitize=kernel-address, " +
	"which reports each access to memory, has no Darwin target")

// build has what is needed to compile one library.
type build struct {
	compiler *Compiler
	pre      Preprocessor
	cache    cache
	options  Options
	target   Target
	dir      string // of the target's headers
	hash     string // of their content
	tensors  string // the folder of the headers of tensors; its name has the hash of their content
}

// build opens the cache and writes the headers to it.
func (c *Compiler) build(o Options) (*build, error) {
	if o.Checked && runtime.GOOS == "darwin" {
		return nil, ErrNoChecking
	}
	if o.Target == nil {
		o.Target = cpu.Target{}
	}
	store, err := newCache(o.Cache)
	if err != nil {
		return nil, err
	}
	b := &build{compiler: c, cache: store, options: o, target: o.Target}
	b.dir, b.hash, err = store.headers(o.Target)
	if err == nil {
		b.tensors, err = store.tensors()
	}
	b.pre = Preprocessor{c, b.dir, b.tensors}
	return b, err
}

// flags are the options that must be the same for precompiled headers and files.
func (b *build) flags() []string {
	return append(modeFlags(), b.target.Flags(b.dir, b.options.Checked, b.options.FastMath)...)
}

// prefix is the precompiled header.
func (b *build) prefix(ctx context.Context) (string, error) {
	name := "prefix-" + key(b.hash, b.compiler.version, strings.Join(b.flags(), " ")) + ".pch"
	return b.cache.get(name, func(path string) error {
		args := append(b.flags(), "-Xclang", "-fno-pch-timestamp", "-x", "c++-header",
			filepath.Join(b.dir, "prefix.h"), "-o", path)
		_, text, err := b.compiler.exec(ctx, nil, args...)
		if strings.Contains(text, "No available targets are compatible") {
			return fmt.Errorf("not available: %s was built without this target: %s", b.compiler.Version(), firstLine(text))
		}
		if err != nil {
			return fmt.Errorf("compile the language's headers: %w\n%s", err, text)
		}
		return nil
	})
}
