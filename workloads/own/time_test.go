package own

import (
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// checking is an engine whose calls a validation layer checks, or, if it is empty, does not.
type checking struct {
	gpu.Engine
	by string
}

func (c checking) Validation() string { return c.by }

// Kernels run and are verified while a validation layer is on, but are not timed.
func TestValidatedKernelsAreNotTimed(t *testing.T) {
	for by, refused := range map[string]bool{"": false, "Test validation": true} {
		w := newWorker(&Job{}, nil, func(*Report) {})
		err := w.timing(&device{engine: checking{gputest.NewFake(gputest.Script{}), by}})
		if refused != (err != nil) || refused != (len(w.report.Problems) == 1 && strings.Contains(w.report.Problems[0].Message, "times do not count while Test validation is on")) {
			t.Errorf("%q: %v, %+v", by, err, w.report.Problems)
		}
	}
	if err := newWorker(&Job{}, nil, nil).timing(&device{}); err != nil {
		t.Errorf("on the CPU: %v", err)
	}
}
