package msl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// build is what compiling one library needs.
type build struct {
	compiler *Compiler
	cache    cache
	options  Options
	shimDir  string
	shimHash string
}

// Library is a compiled source file. It holds memory only; kernels made of it stay valid without it.
type Library struct {
	build  *build
	unit   *unit
	name   string
	source Source

	placing sync.Mutex
	placed  bool                    // the tokens have their exact places
	exact   func() ([]token, error) // gives these, if that was begun
}

// ErrNoChecking is what Compile says of Options.Checked on macOS.
var ErrNoChecking = errors.New("checking mode is not supported on macOS: clang's -fsanitize=kernel-address, " +
	"which tells of each access to memory, has no Darwin target")

// Compile checks a source and all of its entry points. Machine code is made when a Kernel is asked for.
func (c *Compiler) Compile(ctx context.Context, s Source, o Options) (*Library, error) {
	if s.Name == "" {
		s.Name = "source.metal"
	}
	if o.Checked && runtime.GOOS == "darwin" {
		return nil, ErrNoChecking
	}
	store, err := newCache(o.Cache)
	if err != nil {
		return nil, err
	}
	b := &build{compiler: c, cache: store, options: o}
	if b.shimDir, b.shimHash, err = store.shim(); err != nil {
		return nil, err
	}
	l := &Library{build: b, name: s.Name, source: s}
	if err := l.compile(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// compile translates and checks a source. Where the lines of its entry points are not certain, a slower pass finds them
// meanwhile.
func (l *Library) compile(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := l.translate(ctx); err != nil {
		return err
	}
	if !l.placed && !l.unit.sureLines(l.source) {
		l.exact = sync.OnceValues(func() ([]token, error) { return l.build.preprocess(ctx, l.source) })
		go l.exact()
	}
	err := l.check(ctx)
	if err == nil && l.exact != nil {
		err = l.place(ctx)
	}
	return err
}

// translate reads the source from the quick pass. What is wrong with it is told with exact places.
func (l *Library) translate(ctx context.Context) error {
	tokens, ok, err := l.build.expand(ctx, l.source)
	if err != nil {
		return err
	}
	if ok {
		if l.unit, err = translate(l.name, tokens); err == nil {
			return nil
		}
	}
	if tokens, err = l.build.preprocess(ctx, l.source); err != nil {
		return err
	}
	l.placed = true
	l.unit, err = translate(l.name, tokens)
	return err
}

// place gives the tokens their exact places, for messages.
func (l *Library) place(ctx context.Context) error {
	l.placing.Lock()
	defer l.placing.Unlock()
	if l.placed {
		return nil
	}
	exact := l.exact
	if exact == nil {
		exact = func() ([]token, error) { return l.build.preprocess(ctx, l.source) }
	}
	tokens, err := exact()
	if err != nil {
		return err
	}
	if !l.unit.takePlaces(tokens) {
		return fmt.Errorf("%s: a file that it includes changed while it was compiled", l.name)
	}
	l.placed, l.exact = true, nil
	return nil
}

// translate turns a file's tokens into C++, or says what the language does not have.
func translate(name string, tokens []token) (*unit, error) {
	u := newUnit(name, tokens)
	if i := matchBrackets(u.tokens); i >= 0 {
		u.errorf(i, "%s has no partner", u.tokens[i].text)
		return nil, &CompileError{u.diags}
	}
	u.takeAttributes()
	u.scan(span{0, len(tokens)}, &scope{}, 0)
	u.resolve()
	u.lint()
	u.finish()
	if len(u.diags) > 0 {
		sortDiagnostics(u.diags)
		return nil, &CompileError{u.diags}
	}
	return u, nil
}

// check compiles everything without making code, and mends what it can: what was mended is kept with the result.
func (l *Library) check(ctx context.Context) error {
	b := l.build
	name := "check-" + key(l.unit.forCheck(nil).text, b.shimHash, b.compiler.version, strings.Join(b.flags(), " "))
	fresh := false
	path, err := b.cache.get(name, func(path string) error {
		fresh = true
		mended, err := l.checkAndMend(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(mended), 0o644)
	})
	if err != nil || fresh {
		return err
	}
	mended, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, f := range strings.Fields(string(mended)) {
		if i, err := strconv.Atoi(f); err == nil {
			l.unit.mend(i)
		}
	}
	return nil
}

// maxMends is how often a file is compiled again after conditional expressions in it were mended.
const maxMends = 8

// checkAndMend returns the tokens that were mended, as numbers.
func (l *Library) checkAndMend(ctx context.Context) (string, error) {
	check, err := l.checker(ctx)
	if err != nil {
		return "", err
	}
	mended, ok := l.checkPieces(ctx, check)
	if !ok {
		more, err := l.checkWhole(ctx, check)
		if err != nil {
			return "", err
		}
		mended = append(mended, more...)
	}
	return strings.Trim(fmt.Sprint(mended), "[]"), nil
}

// checker compiles a text without making code. Its error is an *exitError where the text has errors.
type checker func(ctx context.Context, text string) error

func (l *Library) checker(ctx context.Context) (checker, error) {
	b := l.build
	pch, err := b.prefix(ctx)
	if err != nil {
		return nil, err
	}
	args := append(b.flags(), "-include-pch", pch, "-fsyntax-only", "-x", "c++", "-")
	return func(ctx context.Context, text string) error {
		_, _, err := b.compiler.exec(ctx, []byte(text), args...)
		return err
	}, nil
}

// checkWhole checks all entries at once and returns the tokens that were mended, or what is wrong with the source.
func (l *Library) checkWhole(ctx context.Context, check checker) (mended []int, err error) {
	for range maxMends {
		o := l.unit.forCheck(nil)
		err := check(ctx, o.text)
		if err == nil {
			return mended, nil
		}
		var exit *exitError
		var mends []int
		if errors.As(err, &exit) {
			mends = l.unit.mendable(&o, exit.text)
		}
		if len(mends) == 0 {
			if exit != nil && inLibrary(exit.text) {
				o = l.unit.forMessages()
				err = cmp.Or(check(ctx, o.text), err)
			}
			return nil, l.explain(ctx, &o, err)
		}
		l.unit.mendAll(mends)
		mended = append(mended, mends...)
	}
	return nil, fmt.Errorf("%s: its conditional expressions could not be mended in %d rounds", l.name, maxMends)
}

// flags are the options that precompiled headers and files must agree on.
func (b *build) flags() []string {
	f := append(modeFlags(), "-O2", "-fPIC", nativeCPU(), "-gline-tables-only", "-fvisibility=hidden", "-fno-math-errno",
		"-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=200", "-fshow-overloads=best",
		"-fbracket-depth=1024",
		"-fstack-clash-protection", "-Xclang", "-ffloat16-excess-precision=none", // half rounds at each step, as on a GPU
		"-ftemplate-depth=2048", "-fdebug-compilation-dir=.", "-I", b.shimDir)
	if b.options.FastMath {
		f = append(f, "-ffast-math", "-fhonor-infinities", "-fhonor-nans", "-DMSL_FAST_MATH=1") // kernels mask with infinity
	} else {
		f = append(f, "-ffp-contract=on")
	}
	if b.options.Checked {
		f = append(f, "-fsanitize=kernel-address", "-mllvm", "-asan-instrumentation-with-call-threshold=0",
			"-mllvm", "-asan-globals=0", "-mllvm", "-asan-stack=0", "-fsanitize=bounds", "-DMSL_CHECKED=1")
	}
	return f
}

// prefix is the precompiled header.
func (b *build) prefix(ctx context.Context) (string, error) {
	name := "prefix-" + key(b.shimHash, b.compiler.version, strings.Join(b.flags(), " ")) + ".pch"
	return b.cache.get(name, func(path string) error {
		args := append(b.flags(), "-Xclang", "-fno-pch-timestamp", "-x", "c++-header",
			filepath.Join(b.shimDir, "prefix.h"), "-o", path)
		_, text, err := b.compiler.exec(ctx, nil, args...)
		if err != nil {
			return fmt.Errorf("compile the language's headers: %w\n%s", err, text)
		}
		return nil
	})
}

// explain turns what clang said of the translated text into diagnostics of the source.
func (l *Library) explain(ctx context.Context, o *output, err error) error {
	var exit *exitError
	if !errors.As(err, &exit) {
		return err
	}
	if err := l.place(ctx); err != nil {
		return err
	}
	diags := l.unit.diagnose(o, exit.text)
	if len(diags) == 0 {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return &CompileError{diags}
}

// Entries lists the entry points, in the order of the source.
func (l *Library) Entries() []Entry {
	all := make([]Entry, len(l.unit.entries))
	for i, e := range l.unit.entries {
		all[i] = e.Entry
	}
	return all
}

// Constants lists the function constants, in the order of the source.
func (l *Library) Constants() []Constant {
	all := make([]Constant, len(l.unit.constants))
	for i, c := range l.unit.constants {
		all[i] = c.Constant
		all[i].Required = !c.asked
	}
	return all
}
