package app

import (
	"context"
	"errors"
	"fmt"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/monitor/leak"
)

// PoolUpkeep is what a run frees from its pool's cache between its workloads, or between all their cases. The zero value frees
// nothing.
type PoolUpkeep struct {
	Clear    bool  // all
	Sizes    []int // the classes that serve requests of these sizes in bytes
	Shrink   bool  // the least recently used, until at most ShrinkTo bytes are cached
	ShrinkTo int64
	EachCase bool // between cases, not only between workloads
}

// Check returns an error that names what is out of range.
func (u PoolUpkeep) Check() error {
	for _, n := range u.Sizes {
		if n < 1 {
			return fmt.Errorf("clear a size class: %d B, want 1 B or more", n)
		}
	}
	if u.ShrinkTo < 0 {
		return fmt.Errorf("shrink the pool: to %d B cached, want 0 B or more", u.ShrinkTo)
	}
	return nil
}

// does reports whether anything is freed.
func (u *PoolUpkeep) does() bool { return u.Clear || u.Shrink || len(u.Sizes) > 0 }

// words says what is freed when.
func (u *PoolUpkeep) words() string {
	when := "between workloads"
	if u.EachCase {
		when = "between cases"
	}
	switch {
	case u.Clear:
		return "cleared " + when
	case u.Shrink && len(u.Sizes) > 0:
		return fmt.Sprintf("%s, and shrunk to %s, %s", sizesCleared(u.Sizes), leak.Bytes(float64(u.ShrinkTo)), when)
	case u.Shrink:
		return fmt.Sprintf("shrunk to %s %s", leak.Bytes(float64(u.ShrinkTo)), when)
	case len(u.Sizes) > 0:
		return sizesCleared(u.Sizes) + " " + when
	}
	return ""
}

func sizesCleared(sizes []int) string {
	if len(sizes) == 1 {
		return "cleared of buffers for " + leak.Bytes(float64(sizes[0]))
	}
	return fmt.Sprintf("cleared of buffers of %d sizes", len(sizes))
}

// upkeep does what is due now.
func (a *activeRun) upkeep(due bool) {
	u := &a.request.Upkeep
	if !due || !u.does() {
		return
	}
	var failed error
	note := func(act string, f gpu.Freed, err error) {
		a.freed(poolAct{act, forRequest}, f)
		failed = errors.Join(failed, err)
	}
	if u.Clear {
		f, err := a.pool.Clear()
		note(actCleared, f, err)
	}
	for _, n := range u.Sizes {
		f, err := a.pool.ClearSize(n)
		note(actCleared, f, err)
	}
	if u.Shrink {
		f, err := a.pool.ShrinkToFit(u.ShrinkTo)
		note(actShrunk, f, err)
	}
	if failed != nil {
		a.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Warning, Title: "Pool", Text: failed.Error()})
	}
}

// between is what a run does before each case.
func (a *activeRun) between(ctx context.Context, caseName string) error {
	a.session.unhush() // after a series
	a.awaitMemory(ctx, caseName)
	a.upkeep(a.request.Upkeep.EachCase && a.cases > 0)
	a.cases++
	a.nameActs(caseName)
	a.ledger.enterCase(caseName)
	return ctx.Err()
}
