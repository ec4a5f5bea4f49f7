package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"assay/app"
	"assay/app/report"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
	"assay/monitor/leak"
)

// watchLines is how often a line is printed if it cannot be updated in place.
const watchLines = 30 * time.Second

// watchProgress shows the state of a watch: a line that is updated on a terminal, unless the program writes there too, and a
// line from time to time elsewhere.
type watchProgress struct {
	out     io.Writer
	inPlace bool
	mu      sync.Mutex
	next    time.Duration
	stopped bool
	shown   bool
	said    map[string]time.Time // when the printed alerts were raised, by ID
	alert   string               // that a leak was found: printed with the next reading, since the end reports it anyway
}

func newWatchProgress(w io.Writer, beside bool) *watchProgress {
	return &watchProgress{out: w, inPlace: isTerminal(w) && !beside, next: watchLines, said: map[string]time.Time{}}
}

// update handles one of the session's updates.
func (p *watchProgress) update(u app.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	switch u := u.(type) {
	case app.WatchUpdate:
		p.show(&u.Watch)
	case app.AlertUpdate:
		if u.Alert.Active() && strings.HasPrefix(u.Alert.ID, "watch.") && !p.said[u.Alert.ID].Equal(u.Alert.Raised) {
			p.said[u.Alert.ID] = u.Alert.Raised
			p.alert = fmt.Sprintf("assay: ! %s: %s", u.Alert.Title, plain.Text(u.Alert.Cause))
		}
	}
}

func (p *watchProgress) show(w *app.Watch) {
	if !w.Running || w.Now <= 0 {
		return
	}
	if p.alert != "" {
		p.clear()
		fmt.Fprintln(p.out, p.alert)
		p.alert = ""
	}
	switch {
	case p.inPlace:
		fmt.Fprint(p.out, "\r\x1b[K"+watchLine(w))
		p.shown = true
	case w.Now >= p.next:
		p.next = w.Now.Truncate(watchLines) + watchLines
		fmt.Fprintln(p.out, "assay: "+watchLine(w))
	}
}

// clear removes the line that is updated.
func (p *watchProgress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

func (p *watchProgress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.stopped = true
}

// watchLine is a watch in a line: "2:03 · host memory 123 MB, +1.02 MB/min · 12 handles · 3 threads · CPU 45 %".
func watchLine(w *app.Watch) string {
	parts := []string{leak.Clock(w.Now)}
	for i := range w.Verdicts {
		v := &w.Verdicts[i]
		if v.Reading.Status != monitor.OK {
			continue
		}
		text := leak.Quantity(v.Reading.Value, v.Unit)
		if v.Unit == "B" {
			text = report.InSentence(v.Title) + " " + text
		}
		parts = append(parts, text+trendSoFar(v))
	}
	if r, ok := w.Latest.Find(monitor.WatchedCPU); ok && r.Status == monitor.OK {
		parts = append(parts, "CPU "+si.Format(r.Value, "ratio"))
	}
	if n, ok := w.Latest.Value(monitor.WatchedProcesses); ok && n > 1 {
		parts = append(parts, fmt.Sprintf("%.0f processes", n))
	}
	if n := len(w.Marks); n > 0 {
		parts = append(parts, plain.Text(w.Marks[n-1].Text))
	}
	return strings.Join(parts, " · ")
}

// trendSoFar returns the slope of a kind that grows steadily. For other growth, the mean over the watch would mislead.
func trendSoFar(v *app.WatchState) string {
	switch v.Shaped {
	case leak.Flattening:
		return " (levels off)"
	case leak.Stepping:
		return " (in steps)"
	case leak.Growing, leak.Slow, leak.Unsteady:
	default:
		return ""
	}
	if len(v.Rate) == 0 || v.Rate[0] == nil {
		return ""
	}
	return fmt.Sprintf(" (%s%s)", plus(60**v.Rate[0]), si.Format(60**v.Rate[0], v.Unit+"/min"))
}

func plus(v float64) string {
	if v > 0 {
		return "+"
	}
	return ""
}
