package workloads

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/shaders"
)

// Tuning is what a search found for one call of an operation on one device: a kernel faster than the default, or that there is none.
type Tuning struct {
	Op        string            `json:"op"`
	Type      string            `json:"type"`
	Constants shaders.Constants `json:"constants,omitempty"` // those that change what is computed
	Params    string            `json:"params"`              // as SpellParams writes them

	Default  string            `json:"default"` // ID of the kernel used without tuning, with which it was compared
	Impl     string            `json:"implementation,omitempty"`
	Tunables shaders.Constants `json:"tunables,omitempty"`
	// Gain is how much faster than the default the best candidate was when it was confirmed, and Noise what it had to exceed; 0 if there was
	// no candidate.
	Gain  Gain    `json:"gain"`
	Noise float64 `json:"noise"`

	Candidates int       `json:"candidates"`
	Excluded   int       `json:"excluded,omitempty"` // candidates that failed
	Operands   string    `json:"operands,omitempty"` // where operands were read from
	At         time.Time `json:"at"`
}

// Gain is a ratio of speeds with its interval, in a file.
type Gain struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// GainOf converts an interval; the result is zero if the interval is not bounded.
func GainOf(i stats.Interval) Gain {
	if !i.Bounded() {
		return Gain{}
	}
	return Gain{i.Median, i.Lo, i.Hi}
}

// String formats the gain with its interval: "1.42× (1.38× to 1.45×)".
func (g Gain) String() string {
	if g.Median == 0 {
		return ""
	}
	return ratioText(stats.Interval{Median: g.Median, Lo: g.Lo, Hi: g.Hi})
}

// Kept reports whether the search chose a kernel other than the default.
func (t *Tuning) Kept() bool { return t.Impl != "" }

// Choice returns the chosen kernel, spelled as in a kernel's ID; empty: the default.
func (t *Tuning) Choice() string {
	if !t.Kept() {
		return ""
	}
	id := t.Op + "/" + t.Impl + "/" + t.Type
	if key := t.Tunables.Key(); key != "" {
		id += "{" + key + "}"
	}
	return id
}

// Call spells what was tuned: "matmul f32 M=512 N=512 K=512 Batch=1".
func (t *Tuning) Call() string {
	call := t.Op + " " + t.Type
	if key := t.Constants.Key(); key != "" {
		call += " {" + key + "}"
	}
	return call + " " + t.Params
}

// Why says in a few words why the kernel was chosen.
func (t *Tuning) Why() string {
	return fmt.Sprintf("%s%s faster than %s", TunedPrefix, si.Ratio(t.Gain.Median), t.Default)
}

// TunedPrefix begins the reason given for a kernel that tuning chose.
const TunedPrefix = "tuned, "

// SpellParams formats a kernel's parameters so that equal ones are spelled alike: "M=512 N=512 K=512 Batch=1".
func SpellParams(params any) string {
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Struct {
		return fmt.Sprint(params)
	}
	var parts []string
	for i := range v.NumField() {
		parts = append(parts, fmt.Sprintf("%s=%v", v.Type().Field(i).Name, v.Field(i)))
	}
	return strings.Join(parts, " ")
}

// Is reports whether the tuning is for a call that would run the kernel by default.
func (t *Tuning) Is(byDefault *shaders.Kernel, params any) bool {
	return t.Op == byDefault.Impl.Op.Name && t.Type == byDefault.Type.String() && t.Default == byDefault.ID() && t.Params == SpellParams(params)
}
