package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// Text is the verdict in words, with the reason.
func (r *ComparisonRow) Text() string {
	if r.Reason == "" {
		return r.Brief()
	}
	return r.Brief() + ": " + plain.Text(r.Reason)
}

// Brief is the verdict in words.
func (r *ComparisonRow) Brief() string {
	switch {
	case r.Apart:
		return "no verdict"
	case r.Verdict == stats.Same:
		return fmt.Sprintf("within noise floor (%.0f %%)", 100*r.floor)
	case r.Verdict == stats.Unsure && (r.Ratio.Lo > 1 || r.Ratio.Hi < 1):
		return fmt.Sprintf("may be noise (floor %.0f %%)", 100*r.floor)
	case r.Verdict == stats.Unsure:
		return "no difference shown"
	}
	return string(r.Verdict)
}

// Floor is the noise floor of the row: differences up to it are not judged.
func (r *ComparisonRow) Floor() float64 { return r.floor }

// Change states how much faster or slower the run is, with the interval: "1.22× slower (1.01–1.52)".
func (r *ComparisonRow) Change() string { return si.Change(r.Ratio.Median, r.Ratio.Lo, r.Ratio.Hi) }

// Headline states what the comparison shows, in sentences, the most important first.
func (c *Comparison) Headline() string {
	rows := len(c.Rows) - c.Count(NotComparable)
	if rows == 0 {
		return c.nothingCompared()
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	slower, faster := c.Count(stats.Slower), c.Count(stats.Faster)
	if n := c.Broken(); n > 0 {
		say("%s verified in the baseline but not in this run.", si.Counted(n, "result"))
	}
	switch {
	case slower > 0:
		say("Slower in %d of %s, by up to %s.", slower, si.Counted(rows, "row"), c.extreme(stats.Slower))
	case faster == 0 && rows == 1:
		say("No difference shown.")
	case faster == 0:
		say("No difference shown in any of %s.", si.Counted(rows, "row"))
	default:
		say("No slowdown shown.")
	}
	switch {
	case faster > 0 && slower > 0:
		say("Faster in %d, by up to %s.", faster, c.extreme(stats.Faster))
	case faster > 0:
		say("Faster in %d of %s, by up to %s.", faster, si.Counted(rows, "row"), c.extreme(stats.Faster))
	}
	if n := c.Count(NotComparable); n > 0 {
		say("%s could not be compared.", plain.Capitalized(si.Counted(n, "row")))
	}
	return strings.Join(out, " ")
}

// nothingCompared says why there is nothing to say.
func (c *Comparison) nothingCompared() string {
	text := "Nothing could be compared"
	if n := c.Broken(); n > 0 {
		return fmt.Sprintf("%s: %s verified in the baseline but not in this run.", text, si.Counted(n, "result"))
	}
	if n := c.Apart(); n > 0 {
		return fmt.Sprintf("No verdict, %s: %s. The ratios of %s, with their intervals, compare the two as they are; a slower device is not a regression.",
			c.unlike(), plain.Text(c.devices()), si.Counted(n, "row"))
	}
	both := slices.ContainsFunc(c.Rows, func(r ComparisonRow) bool { return r.Base != nil && r.Run != nil })
	reasons := c.Reasons()
	switch {
	case !both:
		return text + ": the runs have no case in common."
	case len(reasons) == 1:
		return text + ": " + plain.Text(reasons[0].Text) + "."
	}
	return text + "; each verdict says why."
}

// unlike says what differs between the machines of the runs.
func (c *Comparison) unlike() string {
	if c.Base.Engine.Device != c.Run.Engine.Device {
		return "different devices"
	}
	return "different engines"
}

// extreme returns the largest change of rows with a verdict: "1.22×".
func (c *Comparison) extreme(v stats.Verdict) string {
	most := 0.0
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Verdict == v {
			most = max(most, math.Abs(math.Log(r.Ratio.Median)))
		}
	}
	return si.Ratio(math.Exp(most))
}

// Reason is why rows could not be compared, and how many.
type Reason struct {
	Text  string
	Rows  int
	Apart bool // see ComparisonRow
}

// Words states the reason, and what it keeps rows from.
func (r *Reason) Words() string {
	what := "Not comparable"
	if r.Apart {
		what = "No verdict"
	}
	return what + ": " + plain.Text(r.Text)
}

// Reasons lists why rows could not be compared, each reason once.
func (c *Comparison) Reasons() []Reason {
	var out []Reason
	for i := range c.Rows {
		text := c.Rows[i].Reason
		if text == "" {
			continue
		}
		at := slices.IndexFunc(out, func(r Reason) bool { return r.Text == text })
		if at < 0 {
			at = len(out)
			out = append(out, Reason{Text: text, Apart: c.Rows[i].Apart})
		}
		out[at].Rows++
	}
	return out
}

// Cautions are sentences that a reader of the comparison must know in addition to the rows.
func (c *Comparison) Cautions() []string {
	var out []string
	if c.Floor > NoiseFloor {
		out = append(out, fmt.Sprintf("The noise floor is up to %.0f %%: times varied, or the machine was not quiet.", 100*c.Floor))
	}
	out = append(out, c.Differences...)
	if len(c.Unknown) > 0 {
		out = append(out, "Not recorded: "+strings.Join(c.Unknown, ", ")+".")
	}
	return out
}

// TimeText is the time of a result with its interval; empty if it has none.
func TimeText(r *workloads.Result) string {
	if r == nil || !(r.Time().Median > 0) {
		return ""
	}
	return FormatInterval(r.Time())
}

// Columns are the columns that a comparison adds to a table of the run's results.
func (c *Comparison) Columns() []Column {
	of := func(f func(*ComparisonRow) string) func(*workloads.Result) string {
		return func(r *workloads.Result) string {
			if row := c.Row(r); row != nil {
				return f(row)
			}
			return ""
		}
	}
	return []Column{
		{
			Name: "ratio", Title: "Against baseline", Unit: "×", Number: true, Default: true,
			About: "How many times faster or slower than the baseline the median time is, with its interval.",
			text:  of((*ComparisonRow).Change),
			value: func(r *workloads.Result) float64 {
				if row := c.Row(r); row != nil {
					return row.Ratio.Median
				}
				return math.NaN()
			},
		},
		{
			Name: "verdict", Title: "Verdict", Default: true, About: "Whether the difference from the baseline is shown, and not noise.",
			text: of((*ComparisonRow).Text),
		},
	}
}
