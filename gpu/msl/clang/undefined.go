package clang

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"assay/gpu/msl"
)

// need is a function or variable that nothing defines, and the line of the compiled text that needs it; 0: not known.
type need struct {
	name string
	line int
}

// Group names in patterns for linkers' messages.
const (
	needName = "name"
	needLine = "line"
)

// needForms returns patterns for linkers' messages about a need: LLVM's lld and mold, GNU's and Apple's.
func needForms() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`undefined symbol: (?P<name>.+)(?:\n>>> referenced by [^\n]*?:(?P<line>\d+)(?: |\n|$))?`),
		regexp.MustCompile(`(?m)(?::(?P<line>\d+)|\+0x[0-9a-f]+\)): undefined reference to .(?P<name>.+)'$`),
		regexp.MustCompile(`(?m)^\s*"(?P<name>.+)", referenced from:`),
	}
}

// needs lists what a linker reports as undefined.
func needs(said string) []need {
	var all []need
	for _, form := range needForms() {
		for _, m := range form.FindAllStringSubmatch(said, -1) {
			n := need{name: m[form.SubexpIndex(needName)]}
			if i := form.SubexpIndex(needLine); i > 0 {
				n.line, _ = strconv.Atoi(m[i])
			}
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// undefined returns the error of an entry point that needs what the source declares but does not define, if a linker reports
// that; otherwise nil.
func (l *Library) undefined(ctx context.Context, o *Object, said string) error {
	all := needs(said)
	if len(all) == 0 {
		return nil
	}
	unit, failed := l.place(ctx)
	if failed != nil {
		return failed
	}
	err := &msl.CompileError{}
	for _, n := range all {
		err.Diagnostics = append(err.Diagnostics, undefinedAt(unit, o, n))
	}
	return err
}

// undefinedAt returns the error at a line of the compiled text or, if unknown, at the entry point.
func undefinedAt(unit *msl.Unit, o *Object, n need) msl.Diagnostic {
	name := msl.Printable(n.name) + " is declared but not defined"
	if p, ok := unit.Place(&o.text, n.line, 1); ok && n.line > 0 {
		return msl.Diagnostic{File: p.File, Line: p.Line, Column: p.Column, Severity: "error", Message: name}
	}
	i := slices.IndexFunc(unit.Entries(), func(e msl.Entry) bool { return e.Name == o.Entry.Name })
	return unit.AtEntry(i, name+", and kernel "+o.Entry.Name+" needs it")
}

// linkFlags select what linkers refuse: on Linux they would otherwise leave undefined functions to the loader.
func linkFlags() []string {
	if runtime.GOOS == "linux" {
		return []string{"-Wl,-Bsymbolic", "-Wl,-z,defs", "-lc"}
	}
	return nil
}
