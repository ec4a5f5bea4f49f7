package bundle

import (
	"fmt"
	"strings"
	"time"

	"assay/internal/plain"
)

// SelfTest is the outcome of a device computing small known answers, with an engine and a build of Assay.
type SelfTest struct {
	Engine string       `json:"engine"`
	Device string       `json:"device"`
	System string       `json:"system"` // including its drivers
	Build  string       `json:"build"`  // of Assay
	Done   time.Time    `json:"done_at"`
	Checks []SelfTested `json:"checks"`
}

// SelfTested is one capability.
type SelfTested struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	State string `json:"state"` // one of the states of a self-test
	Why   string `json:"why,omitempty"`
}

// States of a capability in a self-test.
const (
	SelfPassed = "pass"
	SelfFailed = "fail"
	SelfAbsent = "absent" // the engine does not have it
)

func (t *SelfTest) list() []SelfTested {
	if t == nil {
		return nil
	}
	return t.Checks
}

// Failed returns the capabilities that failed.
func (t *SelfTest) Failed() (out []SelfTested) {
	for _, c := range t.Checks {
		if c.State == SelfFailed {
			out = append(out, c)
		}
	}
	return out
}

// Passed counts those that passed.
func (t *SelfTest) Passed() (n int) {
	for _, c := range t.Checks {
		if c.State == SelfPassed {
			n++
		}
	}
	return n
}

// String states the outcome in a line: "6 of 6 passed, 24 November 2026, 10:30", "matmul in f16 failed (…)".
func (t *SelfTest) String() string {
	if t == nil {
		return ""
	}
	var words []string
	for _, c := range t.Failed() {
		words = append(words, fmt.Sprintf("%s failed (%s)", c.Title, plain.Text(c.Why)))
	}
	words = append(words, fmt.Sprintf("%d of %d passed, ", t.Passed(), len(t.Checks))+t.Done.Local().Format("2 January 2006, 15:04"))
	return strings.Join(words, "; ")
}

// Tested records the self-test of the device.
func (b *Bundle) Tested(t *SelfTest) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run.Meta.SelfTest = t
	if b.over || b.err != nil {
		return nil
	}
	return b.writeMeta()
}
