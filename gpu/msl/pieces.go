package msl

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

const (
	pieceBlock = 64 // entries in a row that stay together: neighbours share instances of what they call
	maxPieces  = 8  // checked at the same time
)

// sample chooses, of each template of a kernel, one instance for each first argument. Conditional expressions that need
// to be mended depend on a type, mostly that one, and so show in a small part of the time that all entries take.
func (u *unit) sample() []int {
	var chosen []int
	seen := map[string]bool{}
	for i, e := range u.entries {
		if len(e.argumentText) == 0 {
			continue // the body of what is no template is checked in every piece
		}
		k := itoa(e.kernel.at) + " " + e.argumentText[0]
		if !seen[k] {
			seen[k] = true
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// pieces divides the entries of a large file: first the sample, then the others in as many parts as can be checked at the
// same time. A small file has none.
func (u *unit) pieces(parallel int) [][]int {
	if len(u.entries) < 2*pieceBlock {
		return nil
	}
	rest := make([][]int, min(max(parallel, 1), maxPieces))
	sample := u.sample()
	n := 0
	for i := range u.entries {
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

// checkPieces checks the entries of a large file in pieces and returns the tokens that were mended. It reports false for
// a small file, and where mending does not help: what is wrong is then left to a check of the whole to say.
func (l *Library) checkPieces(ctx context.Context, check checker) (mended []int, ok bool) {
	pieces := l.unit.pieces(runtime.NumCPU())
	if len(pieces) == 0 {
		return nil, false
	}
	for range maxMends {
		mends, err := l.checkRound(ctx, check, pieces)
		if err == nil {
			return mended, true
		}
		if len(mends) == 0 {
			break
		}
		l.unit.mendAll(mends)
		mended = append(mended, mends...)
	}
	return mended, false
}

// checkRound checks all pieces once. Where one has an error, it also returns the tokens to mend: those of the first piece,
// the quickest, if it has an error; the others are stopped then.
func (l *Library) checkRound(ctx context.Context, check checker, pieces [][]int) ([]int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mends, errs := make([][]int, len(pieces)), make([]error, len(pieces))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, p := range pieces {
		slots <- struct{}{}
		group.Go(func() {
			mends[i], errs[i] = l.checkPiece(ctx, check, p)
			if i == 0 && errs[i] != nil {
				cancel()
			}
			<-slots
		})
	}
	group.Wait()
	if errs[0] != nil {
		return mends[0], errs[0]
	}
	all := slices.Concat(mends...)
	slices.Sort(all)
	return slices.Compact(all), errors.Join(errs...)
}

// checkPiece checks some entries. Where they have an error, it also returns the tokens to mend.
func (l *Library) checkPiece(ctx context.Context, check checker, entries []int) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := l.unit.forCheck(entries)
	err := check(ctx, o.text)
	var exit *exitError
	if errors.As(err, &exit) {
		return l.unit.mendable(&o, exit.text), err
	}
	return nil, err
}
