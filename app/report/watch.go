package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor/leak"
)

// WatchSummary says what was watched, for how long, how it ended, and what the readings cost.
func WatchSummary(m *bundle.Meta) string {
	w := m.Watch
	name := plain.Text(w.Name)
	if len(w.Command) > 0 {
		name = shortened(plain.Text(strings.Join(w.Command, " ")))
	}
	text := fmt.Sprintf("watched %s (process %d)", name, w.PID)
	if length := m.Watched(); length > 0 {
		text += " for " + leak.Clock(length)
	}
	text += fmt.Sprintf(", %s", si.Counted(w.Readings, "reading"))
	if w.Readings > 0 && w.Cost > 0 {
		text += fmt.Sprintf(" of %s each", si.Time(w.Cost))
		if w.Interval > 0 {
			text += fmt.Sprintf(" (%s of the time)", si.Format(w.Cost/w.Interval, "ratio"))
		}
	}
	if w.Ended != "" {
		text += "; " + plain.Text(w.Ended)
	}
	return text + "."
}

// longestCommand is how much of a command is shown.
const longestCommand = 160

func shortened(s string) string {
	if letters := []rune(s); len(letters) > longestCommand {
		return string(letters[:longestCommand]) + "…"
	}
	return s
}

// watchMarkdown returns a table of the verdicts.
func watchMarkdown(w *bundle.Watch) string {
	var out strings.Builder
	out.WriteString("| What | Leak | Why |\n| --- | --- | --- |\n")
	for i := range w.Verdicts {
		v := &w.Verdicts[i]
		answer := "no"
		if v.Leak {
			answer = "yes"
		}
		if !v.Known() {
			answer = "no verdict"
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", markdownText(v.Title), answer, markdownText(v.Text))
	}
	return out.String()
}

// WatchConclusion answers in a sentence whether a watched program leaks, and says what a short watch cannot show.
func WatchConclusion(m *bundle.Meta) string { return WatchAnswer(m.Watch, m.Watched()) }

// longEnough is the length from which on a leak can be distinguished from a cache that fills.
const longEnough = 10*time.Minute - 5*time.Second

// WatchAnswer is WatchConclusion for a watch that lasted that long; 0: unknown.
func WatchAnswer(w *bundle.Watch, length time.Duration) string {
	var leaks, grown []string
	for i := range w.Verdicts {
		v := &w.Verdicts[i]
		switch {
		case v.Leak:
			leaks = append(leaks, InSentence(v.Title))
		case v.Shape == bundle.ShapeName(leak.Unsteady):
			grown = append(grown, InSentence(v.Title))
		}
	}
	short := length > 0 && length < longEnough
	switch {
	case len(leaks) > 0 && short:
		return "Leak found: " + strings.Join(leaks, ", ") + ". A cache that is still filling looks the same in so short a watch: 10 minutes distinguish them."
	case len(leaks) > 0:
		return "Leak found: " + strings.Join(leaks, ", ") + "."
	case !w.Judged():
		return "No verdict: there were too few readings of host memory. Watch longer, or set a shorter interval."
	case len(grown) > 0:
		return "No leak found, but growth without a clear verdict: " + strings.Join(grown, ", ") + ". Watch longer."
	case short:
		return "No leak found. Leaks of 1 MB/min are reliably found in 10 minutes."
	}
	return "No leak found."
}

// InSentence returns a title for use within a sentence: "host memory", "GPU memory".
func InSentence(title string) string {
	if title == "" || strings.HasPrefix(title, "GPU") || title[0] >= utf8.RuneSelf {
		return title
	}
	return strings.ToLower(title[:1]) + title[1:]
}
