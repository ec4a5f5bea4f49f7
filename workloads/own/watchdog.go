package own

import (
	"fmt"
	"sync"
	"time"

	"assay/internal/si"
)

// watchdog ends a process in which a launch, or a reference, takes longer than its description allows: nothing else stops an endless
// loop.
type watchdog struct {
	expired func(Problem) // does not return

	mu sync.Mutex // held while it expires: a launch that ends meanwhile waits for the end of the process
}

// watch runs something that may never end; p is the problem in that case, with the subject of the sentence as its message. A nil
// watchdog imposes no limit.
func (w *watchdog) watch(limit time.Duration, p Problem, do func() error) error {
	if w == nil {
		return do()
	}
	done := false
	timer := time.AfterFunc(limit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !done {
			p.Message += fmt.Sprintf(" did not end within %s (limits.seconds)", si.Time(limit.Seconds()))
			w.expired(p)
		}
	})
	err := do()
	timer.Stop()
	w.mu.Lock()
	done = true
	w.mu.Unlock()
	return err
}

// launching guards one or several launches of a kernel: the limit applies to each launch.
func (w *worker) launching(k *kernel, launches int, do func() error) error {
	what := "a launch"
	if launches > 1 {
		what = fmt.Sprintf("%d launches", launches)
	}
	return w.watchdog.watch(time.Duration(launches)*k.parser.d.Time, Problem{Kind: Endless, Message: what}, do)
}

// referring guards the reference of an output.
func (w *worker) referring(k *kernel, do func() error) error {
	const key = "reference.starlark"
	p := Problem{Kind: Reference, File: k.parser.d.Path, Line: lineOf(k.parser.text, key), Key: key, Message: "the reference"}
	return w.watchdog.watch(k.parser.d.Time, p, do)
}
