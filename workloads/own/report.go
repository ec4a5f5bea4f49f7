package own

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/stats"
)

// Do is what to do with a kernel.
type Do string

// Jobs. Each includes the ones before it, except Comparing, which times two kernels, both of which must run correctly.
const (
	Checking  Do = "check" // compile, and match the description against the source
	Running   Do = "run"   // checked and race mode, then one launch on the engine, verified
	Timing    Do = "time"  // and time it
	Comparing Do = "compare"
)

// Job is what a child process is to do.
type Job struct {
	Do     Do     `json:"do"`
	Kernel Files  `json:"kernel"`
	Other  Files  `json:"other,omitzero"` // to compare with
	Engine string `json:"engine"`
	// Sweep is the named size to sweep; empty: none.
	Sweep  string        `json:"sweep,omitempty"`
	Sizes  Sizes         `json:"sizes,omitempty"`  // override the description's values
	Budget time.Duration `json:"budget,omitempty"` // of one measurement; 0: 1 s
	// Unchecked skips checked and race mode.
	Unchecked bool   `json:"unchecked,omitempty"`
	Cache     string `json:"cache,omitempty"` // folder of compiled code; empty: the default
}

// Sizes are values of named sizes.
type Sizes map[string]float64

// String formats the sizes as "k=64 n=1024", ordered by name.
func (s Sizes) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, name+"="+plainNumber(s[name]))
	}
	return strings.Join(parts, " ")
}

// plainNumber formats a number without an exponent.
func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Files are a kernel's texts, which need not be saved. Path is the description's, and need not exist; if Source is empty, it is read
// from the file that the description names.
type Files struct {
	Path        string `json:"path"`
	Description string `json:"description,omitempty"` // empty: read from Path
	Source      string `json:"source,omitempty"`
}

// Stage is a step of a job.
type Stage struct {
	Name    StageName  `json:"name"`
	State   StageState `json:"state"`
	Why     string     `json:"why,omitempty"` // why it was skipped, or did not end and has no time
	Seconds float64    `json:"seconds"`
}

// StageName names a step.
type StageName string

// Steps, in order.
const (
	Describe StageName = "description"
	Build    StageName = "compile"
	Checked  StageName = "checked mode"
	Raced    StageName = "race mode"
	Verify   StageName = "verify"
	Measure  StageName = "time"
)

// StageState is the progress of a step.
type StageState string

// States of a step.
const (
	Started StageState = "started"
	Passed  StageState = "passed"
	Failed  StageState = "failed"
	Skipped StageState = "skipped"
)

// Report is everything known about a kernel.
type Report struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Source string `json:"source"` // the .metal file
	Entry  string `json:"entry,omitempty"`
	Line   int    `json:"line,omitempty"` // of the entry point in Source
	Hash   string `json:"hash,omitempty"` // of source and description
	Engine string `json:"engine,omitempty"`
	Device string `json:"device,omitempty"`
	// OnCPU is true if times are a CPU's, where the kernel's threads run as fibers: they say nothing about a GPU.
	OnCPU     bool     `json:"on_cpu,omitempty"`
	Arguments []Bound  `json:"arguments,omitempty"`
	Entries   []string `json:"entries,omitempty"` // entry points of the source
	Stages    []Stage  `json:"stages,omitempty"`
	// Problems are in the order found; empty: the kernel did all that was requested.
	Problems []Problem   `json:"problems,omitempty"`
	Outputs  []Outcome   `json:"outputs,omitempty"`
	Points   []Point     `json:"points,omitempty"`
	Compared *Comparison `json:"compared,omitempty"`
	Seconds  float64     `json:"seconds"`         // since the start of the job
	First    float64     `json:"first,omitempty"` // from the start of the job to the first verified time; 0: there is none
	Done     bool        `json:"done"`
}

// NotVerified is shown next to each figure of a kernel without a reference.
const NotVerified = "not verified"

// OnACPU is shown next to each time that is not a GPU's.
const OnACPU = "on a CPU, not a GPU’s"

// OK reports whether nothing is wrong.
func (r *Report) OK() bool {
	for _, p := range r.Problems {
		if !p.Hint {
			return false
		}
	}
	return r.Done
}

// Verified reports whether all outputs were compared with a reference, and are correct.
func (r *Report) Verified() bool { return verified(r.Outputs) }

func verified(outputs []Outcome) bool {
	for _, o := range outputs {
		if o.Compared == 0 || o.Wrong > 0 {
			return false
		}
	}
	return len(outputs) > 0
}

// Bound is an argument of the entry point.
type Bound struct {
	Name    string `json:"name"`
	Binding string `json:"binding"` // "buffer 0"
	Type    string `json:"type"`    // as written in the source
	Access  string `json:"access"`
	Holds   string `json:"holds"` // "random, 4096 float"
	Bytes   int64  `json:"bytes"`
}

// Outcome is the verification of one output.
type Outcome struct {
	Name     string  `json:"name"`
	Elements int     `json:"elements"`
	Compared int     `json:"compared"` // 0: not verified
	Wrong    int     `json:"wrong"`
	Largest  float64 `json:"largest_error"` // maximum of |got − wanted|
	Why      string  `json:"why,omitempty"` // why it was not verified
}

// Point is a time at one set of sizes.
type Point struct {
	Sizes    Sizes    `json:"sizes"`
	Time     Span     `json:"time"` // in seconds per launch
	Samples  int      `json:"samples"`
	Rate     float64  `json:"operations_per_second,omitempty"` // by the description's count of operations; 0: it gives none
	Bytes    float64  `json:"bytes_per_second,omitempty"`
	Verified bool     `json:"verified"`
	Warnings []string `json:"warnings,omitempty"`
}

// Span is a median with its 95 % interval, which is not known unless Bounded: too few samples.
type Span struct {
	Median  float64 `json:"median"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	Bounded bool    `json:"bounded"`
}

// Interval converts the span to the type of package stats.
func (s Span) Interval() stats.Interval {
	if !s.Bounded {
		return stats.Unbounded(s.Median)
	}
	return stats.Interval{Median: s.Median, Lo: s.Lo, Hi: s.Hi}
}

// Comparison is the verdict on two kernels timed alternately, A B B A.
type Comparison struct {
	Base, Variant string // names
	Ratio         Span   // the base's time divided by the variant's: above 1, the variant is faster
	Verdict       stats.Verdict
	Points        [2]Point
}
