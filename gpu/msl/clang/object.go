package clang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cpu"
)

// Object is an entry point with values for its function constants, compiled: a shared object.
type Object struct {
	Path  string
	Entry msl.Entry
	text  msl.Text
	from  *Library
}

// Place is the place in the source of a line and column of the compiled text; only its File if that is not known, such as after a
// change of an included file. The first call for a library takes a run of clang.
func (o *Object) Place(line, column int) msl.Place {
	if !o.text.Knows(line, column) {
		return msl.Place{File: o.from.name}
	}
	unit, err := o.from.place(context.Background())
	if err != nil {
		return msl.Place{File: o.from.name}
	}
	p, _ := unit.Place(&o.text, line, column)
	return p
}

// Object compiles an entry point, with values of function constants by index, each in the bytes of its type. Values of
// indices that no constant has are ignored, as Metal does.
func (l *Library) Object(ctx context.Context, name string, values map[int][]byte) (*Object, error) {
	entries := l.unit.Entries()
	i := slices.IndexFunc(entries, func(e msl.Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no kernel %q", l.name, name)
	}
	if err := checkValues(values); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	o := &Object{Entry: entries[i], from: l, text: l.unit.EmitEntry(l.build.target, i, cpu.Entry, "")}
	code, err := l.object(ctx, &o.text)
	if err == nil {
		o.Path, err = l.specialize(ctx, o, code, values)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return o, nil
}

// checkValues refuses values of invalid size.
func checkValues(values map[int][]byte) error {
	for index, v := range values {
		if len(v) == 0 || len(v) > maxConstantBytes {
			return fmt.Errorf("function constant %d has %d bytes, want 1 to %d", index, len(v), maxConstantBytes)
		}
	}
	return nil
}

// object compiles one entry point to machine code.
func (l *Library) object(ctx context.Context, t *msl.Text) (string, error) {
	b := l.build
	name := "entry-" + key(t.String(), b.hash, b.compiler.version, b.target.Machine(), strings.Join(b.flags(), " ")) + ".o"
	return b.cache.get(name, func(path string) error {
		pch, err := b.prefix(ctx)
		if err != nil {
			return err
		}
		args := append(b.flags(), "-include-pch", pch, "-c", "-x", "c++", "-", "-o", path)
		if _, _, err := b.compiler.exec(ctx, []byte(t.String()), args...); err != nil {
			return l.explain(ctx, t, err)
		}
		return nil
	})
}

// link links an entry point and a table of the values of its function constants to a shared object.
func (l *Library) link(ctx context.Context, o *Object, object, table string) (string, error) {
	b := l.build
	args := []string{"-shared", "-fPIC", "-O1", "-nostdlib", "-w"}
	if b.options.Checked {
		args = append(args, "-DMSL_CHECKED=1")
	}
	args = append(args, linkFlags()...)
	name := "kernel-" + key(filepath.Base(object), table, strings.Join(args, " ")) + ".so"
	return b.cache.get(name, func(path string) error {
		source := path + ".c"
		if err := os.WriteFile(source, []byte(table), 0o644); err != nil {
			return err
		}
		args := slices.Concat(args, []string{"-I", b.dir, source, object, "-lm", "-o", path})
		_, stderr, err := b.compiler.exec(ctx, nil, args...)
		var exit *exitError
		if errors.As(err, &exit) {
			return cmp.Or(l.undefined(ctx, o, stderr), fmt.Errorf("link: %s", strings.TrimSpace(stderr)))
		}
		return err
	})
}
