package clang

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"assay/gpu/msl"
)

const (
	pieceBlock = 64 // consecutive entries in one piece, since they share instances of the functions they call
	maxPieces  = 8  // checked in parallel
)

// pieces divides the entries of a large file: first the sample, then the others in as many parts as can be checked in
// parallel. A small file has no pieces.
func pieces(u *msl.Unit, parallel int) [][]int {
	entries := len(u.Entries())
	if entries < 2*pieceBlock {
		return nil
	}
	rest := make([][]int, min(max(parallel, 1), maxPieces))
	sample := u.Sample()
	n := 0
	for i := range entries {
		if _, in := slices.BinarySearch(sample, i); in {
			continue
		}
		p := n / pieceBlock % len(rest)
		rest[p] = append(rest[p], i)
		n++
	}
	all := append([][]int{sample}, rest...)
	return slices.DeleteFunc(all, func(p []int) bool { return len(p) == 0 })
}

// checkPieces checks the entries of a large file in pieces and returns the tokens that were fixed. It reports false for
// a small file, and if fixes do not help: a check of the whole file then reports the errors.
func (l *Library) checkPieces(ctx context.Context, check checker) (fixed []int, ok bool) {
	parts := pieces(l.unit, runtime.NumCPU())
	if len(parts) == 0 {
		return nil, false
	}
	for range maxFixRounds {
		fixes, err := l.checkRound(ctx, check, parts)
		if err == nil {
			return fixed, true
		}
		if len(fixes) == 0 {
			break
		}
		l.unit.Fix(fixes...)
		fixed = append(fixed, fixes...)
	}
	return fixed, false
}

// checkRound checks all pieces once. If one has an error, it also returns the tokens to fix: those of the first piece, the
// quickest, if it has an error; the others are then stopped.
func (l *Library) checkRound(ctx context.Context, check checker, pieces [][]int) ([]int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fixes, errs := make([][]int, len(pieces)), make([]error, len(pieces))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, p := range pieces {
		slots <- struct{}{}
		group.Go(func() {
			fixes[i], errs[i] = l.checkPiece(ctx, check, p)
			if i == 0 && errs[i] != nil {
				cancel()
			}
			<-slots
		})
	}
	group.Wait()
	if errs[0] != nil {
		return fixes[0], errs[0]
	}
	all := slices.Concat(fixes...)
	slices.Sort(all)
	return slices.Compact(all), errors.Join(errs...)
}

// checkPiece checks some entries. If they have an error, it also returns the tokens to fix.
func (l *Library) checkPiece(ctx context.Context, check checker, entries []int) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text := l.unit.EmitChecks(l.build.target, entries)
	err := check(ctx, text.String())
	var exit *exitError
	if errors.As(err, &exit) {
		return l.unit.Fixable(&text, exit.text), err
	}
	return nil, err
}
