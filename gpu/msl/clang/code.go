package clang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cuda"
)

// codePiece is the maximum number of entry points whose code is generated at once: clang's time and memory are bounded.
const codePiece = 64

// CheckCode generates code for all entry points of a library for CUDA, where a valid program may still have no code: PTX has no
// linker that would report a missing function. Nothing is optimized, and function constants are zero. The error is a
// *msl.CompileError. Other targets need no check.
func (l *Library) CheckCode(ctx context.Context) error {
	target, ok := l.build.target.(cuda.Target)
	if !ok || len(l.unit.Entries()) == 0 {
		return nil
	}
	c := &codeCheck{library: l, target: target, callers: map[string][]int{}, failed: map[int]string{}}
	text := c.emit(c.all())
	b := l.build
	name := "code-" + key(text.String(), b.hash, b.compiler.version, strings.Join(c.flags(), " "))
	_, err := b.cache.get(name, func(path string) error {
		if err := c.check(ctx); err != nil {
			return err
		}
		return os.WriteFile(path, nil, 0o644)
	})
	return err
}

// codeCheck finds what prevents code generation for entry points, by index.
type codeCheck struct {
	library *Library
	target  cuda.Target
	pch     string

	mu      sync.Mutex
	callers map[string][]int // of functions that nothing defines
	failed  map[int]string   // why clang has no code
	refused []msl.Diagnostic // places in the source
}

func (c *codeCheck) all() []int {
	all := make([]int, len(c.library.unit.Entries()))
	for i := range all {
		all[i] = i
	}
	return all
}

func (c *codeCheck) emit(chosen []int) msl.Text {
	return c.library.unit.EmitEntries(c.target, chosen, symbol, "")
}

// flags returns the flags for PTX, but without passes over the code, which take most of the time.
func (c *codeCheck) flags() []string {
	return append(c.library.build.flags(), "-Xclang", "-disable-llvm-passes")
}

// check generates all code in pieces, as many at a time as there are processors.
func (c *codeCheck) check(ctx context.Context) (err error) {
	if c.pch, err = c.library.build.prefix(ctx); err != nil {
		return err
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for piece := range slices.Chunk(c.all(), codePiece) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			c.piece(ctx, piece)
		})
	}
	group.Wait()
	return cmp.Or(ctx.Err(), c.verdict(ctx))
}

// piece generates the code of some entry points. If clang fails, it is bisected to find the entry point.
func (c *codeCheck) piece(ctx context.Context, chosen []int) {
	missing, err := c.generate(ctx, chosen)
	if err == nil || len(chosen) == 1 || ctx.Err() != nil {
		c.note(chosen[0], missing, err)
		return
	}
	half := len(chosen) / 2
	c.piece(ctx, chosen[:half])
	c.piece(ctx, chosen[half:])
}

// note records the findings for some entry points; an error belongs to entry point i alone.
func (c *codeCheck) note(i int, missing map[string][]int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, callers := range missing {
		c.callers[name] = append(c.callers[name], callers...)
	}
	var source *msl.CompileError
	switch {
	case errors.As(err, &source):
		for _, d := range source.Diagnostics {
			if !slices.Contains(c.refused, d) {
				c.refused = append(c.refused, d)
			}
		}
	case err != nil:
		c.failed[i] = err.Error()
	}
}

// generate generates the code of some entry points, and lists missing functions with their callers.
func (c *codeCheck) generate(ctx context.Context, chosen []int) (missing map[string][]int, err error) {
	text := c.emit(chosen)
	args := append(c.flags(), "-include-pch", c.pch, "-S", "-x", "c++", "-", "-o", "-")
	ptx, _, err := c.library.build.compiler.exec(ctx, []byte(text.String()), args...)
	if err != nil {
		return nil, c.library.explain(ctx, &text, err)
	}
	symbols := map[string]int{}
	for _, i := range chosen {
		symbols[symbol(i)] = i
	}
	return missingFunctions(string(ptx), symbols), nil
}

func symbol(i int) string { return fmt.Sprintf("%s_%d", cuda.Entry, i) }

// verdict returns the error for the findings: one for each missing function, with the first kernel that needs it.
func (c *codeCheck) verdict(ctx context.Context) error {
	if len(c.callers)+len(c.failed)+len(c.refused) == 0 {
		return nil
	}
	unit, err := c.library.place(ctx)
	if err != nil {
		return err
	}
	all := c.refused
	for _, name := range slices.Sorted(maps.Keys(c.callers)) {
		all = append(all, c.missing(unit, name, c.callers[name]))
	}
	for _, i := range slices.Sorted(maps.Keys(c.failed)) {
		all = append(all, unit.AtEntry(i, "kernel "+c.name(i)+": "+c.failed[i]))
	}
	return &msl.CompileError{Diagnostics: all}
}

func (c *codeCheck) name(i int) string { return c.library.unit.Entries()[i].Name }

func (c *codeCheck) missing(unit *msl.Unit, function string, callers []int) msl.Diagnostic {
	slices.Sort(callers)
	who := "kernel " + c.name(callers[0]) + " needs"
	if n := len(callers) - 1; n > 0 {
		who = fmt.Sprintf("kernels %s and %d more need", c.name(callers[0]), n)
	}
	return unit.AtEntry(callers[0], fmt.Sprintf("CUDA has no function %s, which %s", function, who))
}
