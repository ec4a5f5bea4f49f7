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
	Sample int // index among the samples that count, from 0; -1: none of them
	Why    error
}

// Maximum retries: of one piece of work, and of all work of a subject.
const (
	maxAgain   = 2
	maxRetries = 10
)

// again reports whether failed work of subject i is to be retried, and records it. Work of the subject that was in flight when it
// failed for good is not retried.
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

// attempts runs work of subject i until it succeeds or may not be retried.
func attempts[T any](ctx context.Context, r *runner, i int, work func() (T, error)) (T, error) {
	v, err := work()
	for n := 0; err != nil && n < maxAgain && r.again(ctx, i, err); n++ {
		v, err = work()
	}
	return v, err
}

// RetryText summarizes in one line what was retried, and why the first time: "2 failures, repeated: sample 12, verifying: command
// buffer failed".
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
	return fmt.Sprintf("%s, repeated: %s: %v", si.Counted(len(all), "failure"), strings.Join(what, ", "), all[0].Why)
}
