package bundle

import (
	"fmt"
	"slices"
	"time"

	"assay/internal/plain"
	"assay/internal/stats"
	"assay/monitor/leak"
)

// Watch is the part of run.json about a watched program, in place of workloads.
type Watch struct {
	Command   []string `json:"command,omitempty"` // empty: the program was already running
	PID       int      `json:"pid"`
	Name      string   `json:"name"`
	Interval  float64  `json:"interval_s"`
	Length    float64  `json:"for_s,omitempty"` // how long it should be watched; 0: until it ends
	WarmUp    float64  `json:"warm_up_s"`       // left out of the verdicts
	Tolerance float64  `json:"tolerance_bytes_per_min"`
	Mark      string   `json:"mark,omitempty"` // pattern of marks in its output

	Ended    string         `json:"ended,omitempty"`     // why the watch ended: "the program exited with code 3"
	ExitCode *int           `json:"exit_code,omitempty"` // of a command that exited
	Readings int            `json:"readings,omitempty"`
	Cost     float64        `json:"cost_s,omitempty"` // median time of one reading
	Verdicts []WatchVerdict `json:"verdicts,omitempty"`

	seen time.Duration // how long it has readings; set if it has no end
}

// WatchVerdict is how one kind of reading developed over time.
type WatchVerdict struct {
	Kind   string `json:"kind"` // stable: "memory"
	Title  string `json:"title"`
	Metric string `json:"metric"` // what was judged, as in monitor.csv
	Unit   string `json:"unit"`   // of its values
	Shape  string `json:"shape"`  // "growing" is a leak; see Shapes
	Leak   bool   `json:"leak"`
	Text   string `json:"text"`
	// Rate is the slope in Unit per second and its 95 % interval; null if it was not judged.
	Rate []*float64 `json:"rate_per_s,omitempty"`
	// The line of the rate: seconds since the start from and to, the values there, and how far the floors are from it.
	Line *WatchLine `json:"line,omitempty"`
}

// WatchLine is a line through the floors of readings, with the band in which they lie.
type WatchLine struct {
	From    float64 `json:"from_s"`
	To      float64 `json:"to_s"`
	Begin   float64 `json:"value_from"`
	End     float64 `json:"value_to"`
	Scatter float64 `json:"scatter"`
}

// Linear reports whether the readings grow along the line; for others the line only approximates.
func (v *WatchVerdict) Linear() bool {
	return v.Line != nil && (v.Leak || v.Shape == ShapeName(leak.Slow) || v.Shape == ShapeName(leak.Unsteady))
}

// Known reports whether there were enough readings for a verdict.
func (v *WatchVerdict) Known() bool { return v.Line != nil }

// HostMemory is the kind of the verdict on host memory.
const HostMemory = "memory"

// Judged reports whether the watch answers its question: whether the program leaks host memory.
func (w *Watch) Judged() bool {
	return slices.ContainsFunc(w.Verdicts, func(v WatchVerdict) bool { return v.Kind == HostMemory && v.Known() })
}

// Leaks reports whether a verdict is a leak.
func (w *Watch) Leaks() bool {
	return slices.ContainsFunc(w.Verdicts, func(v WatchVerdict) bool { return v.Leak })
}

// shapeNames are the names of shapes in files.
func shapeNames() map[leak.Shape]string {
	return map[leak.Shape]string{
		leak.Unjudged: "unjudged", leak.Level: "level", leak.Slow: "slow", leak.Stepping: "steps", leak.Flattening: "flattening",
		leak.Cycling: "cycle", leak.Unsteady: "unsteady", leak.Growing: "growing",
	}
}

// ShapeName is the name of a shape in files.
func ShapeName(s leak.Shape) string { return shapeNames()[s] }

// SetRate sets the rate of the verdict.
func (v *WatchVerdict) SetRate(rate stats.Interval) { v.Rate = figures(rate.Median, rate.Lo, rate.Hi) }

// Watched replaces run.json's part about the watched program; it is written when the run ends.
func (b *Bundle) Watched(w Watch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		b.run.Meta.Watch = &w
	}
}

// MarkEvent returns the event of a mark in a watched program's output.
func MarkEvent(text string) Event { return Event{Kind: Marked, Title: "Mark", Text: text} }

// Title says what was done, for lists of runs: "watch python3".
func (w *Watch) Title() string { return "watch " + plain.Text(w.Name) }

// watch returns the watch of a run; an empty one for a run of workloads.
func (m *Meta) watch() *Watch {
	if m.Watch == nil {
		return &Watch{}
	}
	return m.Watch
}

// check rejects verdicts that no run can have: without a title, or with long texts.
func (w *Watch) check() error {
	for i := range w.Verdicts {
		v := &w.Verdicts[i]
		if v.Kind == "" || v.Title == "" {
			return fmt.Errorf("watch.verdicts: number %d has no kind or title", i+1)
		}
		if n := len(v.Title) + len(v.Text) + len(v.Unit); n > maxText {
			return fmt.Errorf("watch.verdicts: %q has %d B of text, want at most %d", clip(v.Kind), n, maxText)
		}
	}
	return nil
}
