package measure

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/si"
)

// Retry is work that failed and was done again.
type Retry struct {
	Phase  Phase
	Sample int // which of the samples that count it was, from 0; -1: none of them
	Why    error
}

// How often work is done again: one piece of it, and all of a subject.
const (
	maxAgain   = 2
	maxRetries = 10
)

// again reports whether work of subject i that failed is to be done once more, and records it. Others of the subject that were in flight
// when it failed for good are not.
func (r *runner) again(ctx context.Context, i int, err error) bool {
	res := &r.results[i]
	if r.o.Again == nil || ctx.Err() != nil || res.Err != nil || len(res.Retries) >= maxRetries || !r.o.Again(err) {
		return false
	}
	at := -1
	if r.phase == Sampling {
		at = len(res.Samples)
	}
	res.Retries = append(res.Retries, Retry{r.phase, at, err})
	return true
}

// attempts does work of subject i until it succeeds or is not to be done again.
func attempts[T any](ctx context.Context, r *runner, i int, work func() (T, error)) (T, error) {
	v, err := work()
	for n := 0; err != nil && n < maxAgain && r.again(ctx, i, err); n++ {
		v, err = work()
	}
	return v, err
}

// RetryText says in a line what was done again, and why first: "2 failures, done again: sample 12, verifying: command buffer failed".
func RetryText(all []Retry) string {
	if len(all) == 0 {
		return ""
	}
	var what []string
	for _, r := range all {
		words := string(r.Phase)
		if r.Sample >= 0 {
			words = fmt.Sprint("sample ", r.Sample)
		}
		what = append(what, words)
	}
	return fmt.Sprintf("%s, done again: %s: %v", si.Counted(len(all), "failure"), strings.Join(what, ", "), all[0].Why)
}
