package clang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"assay/gpu/msl"
)

// Library is a compiled source file. It only uses memory; its objects stay valid without it.
type Library struct {
	build  *build
	unit   *msl.Unit
	name   string
	source msl.Source

	placing sync.Mutex
	placed  *msl.Unit                   // unit with exact places; nil: not known yet
	changed error                       // why it will never be known
	exact   func() (exactTokens, error) // returns the tokens with exact places, if that pass was started
	opened  []string                    // files that the exact pass opened
}

// Compile checks a source and all of its entry points; errors of the source are a *msl.CompileError. Machine code is generated
// by Object.
func (c *Compiler) Compile(ctx context.Context, s msl.Source, o Options) (*Library, error) {
	if s.Name == "" {
		s.Name = "source.metal"
	}
	b, err := c.build(o)
	if err != nil {
		return nil, err
	}
	l := &Library{build: b, name: s.Name, source: s}
	if err := l.compile(ctx); err != nil {
		var compile *msl.CompileError
		if errors.As(err, &compile) {
			compile.Files = l.opened
		}
		return nil, err
	}
	return l, nil
}

// compile translates and checks a source. If the lines of its entry points are not certain, a slower pass finds them in
// parallel.
func (l *Library) compile(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := l.translate(ctx); err != nil {
		return err
	}
	if l.placed == nil && !l.unit.SureLines(l.source) {
		l.exact = sync.OnceValues(func() (exactTokens, error) { return l.build.pre.exact(ctx, l.source) })
		go l.exact()
	}
	err := l.check(ctx)
	if err != nil || l.exact == nil {
		return err
	}
	placed, err := l.place(ctx)
	if err == nil {
		l.unit = placed
	}
	return err
}

// translate reads the source from the quick pass. Errors are reported with exact places.
func (l *Library) translate(ctx context.Context) error {
	tokens, ok, err := l.build.pre.Quick(ctx, l.source)
	if err != nil {
		return err
	}
	if ok {
		if err = l.read(ctx, tokens); err == nil {
			return nil
		}
	}
	exact, err := l.build.pre.exact(ctx, l.source)
	l.opened = exact.opened
	if err != nil {
		return err
	}
	err = l.read(ctx, exact.tokens)
	l.placed = l.unit
	return err
}

// read translates tokens to a unit.
func (l *Library) read(ctx context.Context, tokens msl.Tokens) (err error) {
	l.unit, err = msl.Translate(ctx, l.name, tokens, l.build.target.Names())
	if err == nil && l.unit.Tensors() {
		l.unit.Include(filepath.Join(l.build.tensors, "matmul.h"))
	}
	return err
}

// place returns the unit with exact places, for messages.
func (l *Library) place(ctx context.Context) (*msl.Unit, error) {
	l.placing.Lock()
	defer l.placing.Unlock()
	if l.placed != nil || l.changed != nil {
		return l.placed, l.changed
	}
	exact := l.exact
	if exact == nil {
		exact = func() (exactTokens, error) { return l.build.pre.exact(ctx, l.source) }
	}
	read, err := exact()
	l.opened = read.opened
	var compile *msl.CompileError
	if err != nil && !errors.As(err, &compile) {
		return nil, err
	}
	placed, same := l.unit.Placed(read.tokens)
	if err != nil || !same {
		l.changed = cmp.Or(err, fmt.Errorf("%s: a file that it includes changed while it was compiled", l.name))
		return nil, l.changed
	}
	l.placed, l.exact = placed, nil
	return placed, nil
}

// explain converts clang's messages for the emitted text to diagnostics of the source.
func (l *Library) explain(ctx context.Context, t *msl.Text, err error) error {
	var exit *exitError
	if !errors.As(err, &exit) {
		return err
	}
	unit, failed := l.place(ctx)
	if failed != nil {
		return failed
	}
	diags := unit.Diagnose(t, exit.text)
	if len(diags) == 0 {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return &msl.CompileError{Diagnostics: diags}
}

// Entries lists the entry points, in the order of the source.
func (l *Library) Entries() []msl.Entry { return l.unit.Entries() }

// Constants lists the function constants, in the order of the source.
func (l *Library) Constants() []msl.Constant { return l.unit.Constants() }
