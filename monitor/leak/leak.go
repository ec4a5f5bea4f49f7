// Package leak decides whether memory leaks, by three kinds of evidence: buffers that are still live when a run ends, live bytes
// that grow from iteration to iteration, and a process footprint above its baseline. It imports no engine: callers pass
// plain numbers.
package leak

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"assay/internal/si"
)

// Live is a buffer that has not been released.
type Live struct {
	Label string
	Site  string // where it was allocated, "file.go:12"
	Calls string // the calls that led there, "called from other.go:34"; empty: not known
	Case  string // that allocated it; empty: none, or not known
	Bytes int64
	Age   time.Duration
}

// Verdict is a detector's result.
type Verdict struct {
	Leaking bool
	Cause   string // description; if Leaking is false, why there is no finding
	Bytes   int64  // leaked so far

	Fit Fit // how fast a Slope's leak grows; it has the same figures as Cause

	Buffers []Live // still live at the end of a run, largest first
}

// group is the buffers of one site and label.
type group struct {
	site, label string
	inCase      string // that allocated them; empty: none, or not known
	calls       string // of the first of them
	count       int
	bytes       int64
	oldest      time.Duration
}

// maxGroups is the maximum number of groups that a verdict names.
const maxGroups = 5

// EndOfRun checks the buffers that are live after a run should have released them all: any is a leak.
func EndOfRun(live []Live) Verdict {
	if len(live) == 0 {
		return Verdict{Cause: "no buffer is live"}
	}
	v := Verdict{Leaking: true, Buffers: append([]Live(nil), live...)}
	sort.SliceStable(v.Buffers, func(i, j int) bool { return v.Buffers[i].Bytes > v.Buffers[j].Bytes })
	for _, b := range live {
		v.Bytes += b.Bytes
	}
	v.Cause = words(grouped(live))
	return v
}

// grouped sums buffers by case, site and label, the most bytes first.
func grouped(live []Live) []group {
	index := map[[3]string]int{}
	var groups []group
	for _, b := range live {
		key := [3]string{b.Site, b.Label, b.Case}
		i, known := index[key]
		if !known {
			i = len(groups)
			index[key] = i
			groups = append(groups, group{site: b.Site, label: b.Label, inCase: b.Case, calls: b.Calls})
		}
		g := &groups[i]
		g.count++
		g.bytes += b.Bytes
		g.oldest = max(g.oldest, b.Age)
	}
	sort.SliceStable(groups, func(i, j int) bool { return groups[i].bytes > groups[j].bytes })
	return groups
}

// words names the groups: "3 buffers, 12.6 MB, allocated at pool.go:12 (weights), oldest 4.2 s".
func words(groups []group) string {
	var parts []string
	for i, g := range groups {
		if i == maxGroups {
			parts = append(parts, rest(groups[i:]))
			break
		}
		parts = append(parts, g.String())
	}
	return strings.Join(parts, "; ")
}

func (g group) String() string {
	site := g.site
	if site == "" {
		site = "an unknown site"
	}
	if g.label != "" {
		site += " (" + g.label + ")"
	}
	by := ""
	if g.inCase != "" {
		by = " by the case " + g.inCase
	}
	if g.calls != "" {
		site += ", " + g.calls
	}
	return fmt.Sprintf("%s, %s, allocated%s at %s, oldest %s", buffers(g.count), Bytes(float64(g.bytes)), by, site, age(g.oldest))
}

// rest sums the groups that are not named.
func rest(groups []group) string {
	var all group
	for _, g := range groups {
		all.count += g.count
		all.bytes += g.bytes
	}
	return fmt.Sprintf("and %s, %s, from %d other places", buffers(all.count), Bytes(float64(all.bytes)), len(groups))
}

func buffers(n int) string {
	if n == 1 {
		return "1 buffer"
	}
	return fmt.Sprintf("%d buffers", n)
}

// age formats a duration in seconds, and from two minutes on in minutes.
func age(d time.Duration) string {
	if d >= 2*time.Minute {
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Bytes formats a number of bytes with SI prefixes, "12.6 MB" (M is 1e6).
func Bytes(b float64) string {
	u := si.Find("B")
	exp := u.Exponent(b)
	return fmt.Sprintf("%.3g %s", b/u.Power(exp), u.Name(exp))
}
