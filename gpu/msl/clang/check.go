package clang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"assay/gpu/msl"
)

// check compiles everything without generating code and fixes what it can; the result includes the tokens that were fixed.
func (l *Library) check(ctx context.Context) error {
	b := l.build
	text := l.unit.EmitChecks(b.target, nil)
	name := "check-" + key(text.String(), b.hash, b.compiler.version, strings.Join(b.flags(), " "))
	fresh := false
	path, err := b.cache.get(name, func(path string) error {
		fresh = true
		fixed, err := l.checkAndFix(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(fixed), 0o644)
	})
	if err != nil || fresh {
		return err
	}
	fixed, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, f := range strings.Fields(string(fixed)) {
		if i, err := strconv.Atoi(f); err == nil {
			l.unit.Fix(i)
		}
	}
	return nil
}

// maxFixRounds is how often a file is compiled again after conditional expressions were fixed.
const maxFixRounds = 8

// checkAndFix returns the tokens that were fixed, as numbers.
func (l *Library) checkAndFix(ctx context.Context) (string, error) {
	check, err := l.checker(ctx)
	if err != nil {
		return "", err
	}
	fixed, ok := l.checkPieces(ctx, check)
	if !ok {
		more, err := l.checkWhole(ctx, check)
		if err != nil {
			return "", err
		}
		fixed = append(fixed, more...)
	}
	return strings.Trim(fmt.Sprint(fixed), "[]"), nil
}

// checker compiles a text without generating code. Its error is an *exitError where the text has errors.
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

// checkWhole checks all entries at once and returns the tokens that were fixed, or the errors of the source.
func (l *Library) checkWhole(ctx context.Context, check checker) (fixed []int, err error) {
	target := l.build.target
	for range maxFixRounds {
		text := l.unit.EmitChecks(target, nil)
		err := check(ctx, text.String())
		if err == nil {
			return fixed, nil
		}
		var exit *exitError
		var fixes []int
		if errors.As(err, &exit) {
			fixes = l.unit.Fixable(&text, exit.text)
		}
		if len(fixes) == 0 {
			if exit != nil && msl.InLibrary(exit.text) {
				text = l.unit.EmitCalls(target)
				err = cmp.Or(check(ctx, text.String()), err)
			}
			return nil, l.explain(ctx, &text, err)
		}
		l.unit.Fix(fixes...)
		fixed = append(fixed, fixes...)
	}
	return nil, fmt.Errorf("%s: its conditional expressions have no common type after %d rounds of fixes", l.name, maxFixRounds)
}
