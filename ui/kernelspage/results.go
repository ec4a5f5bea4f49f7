package kernelspage

import (
	"fmt"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// results shows what was found about a kernel: how far it came, whether it is correct, and how fast it is.
type results struct {
	verdict *kit.Text
	about   *kit.Text
	facts   *fyne.Container
	plot    *uichart.Plot // of a sweep
	reader  *kit.Reader
	object  *fyne.Container
}

func newResults(d *desk.Desk) *results {
	r := &results{verdict: kit.NewHeading("").Lines(3), about: kit.NewBody("", 6), facts: kit.NewFlow(0), plot: newSweepPlot(d)}
	r.reader = kit.NewReading(kit.NewFlow(4, r.verdict, r.about, r.facts))
	r.object = kit.NewPanel(r.reader, 12)
	r.clear()
	return r
}

// clear shows that nothing has been done yet.
func (r *results) clear() {
	r.head("Nothing was run yet", theme.ColorNameForeground, "Run executes it in checked and race mode and verifies its results; Time measures it, too; Compare measures two alternately.")
	r.fill()
}

func (r *results) head(verdict string, color fyne.ThemeColorName, about string) {
	r.verdict.SetColored(verdict, color)
	r.about.SetColored(about, kit.ColorSecondary)
}

// fill shows sections below the head.
func (r *results) fill(sections ...fyne.CanvasObject) {
	r.facts.Objects = sections
	r.facts.Refresh()
	r.reader.Refresh()
}

func (r *results) begin(what string) {
	r.head(strings.TrimSuffix(what, "…")+" in progress", theme.ColorNameForeground, "In a separate process, with time and memory limits.")
	r.fill()
	r.reader.ScrollToTop()
}

func (r *results) stopped() { r.head("Stopped", theme.ColorNameWarning, "Nothing of it is kept.") }

func (r *results) fail(what string, err error) {
	r.head(strings.TrimSuffix(what, "…")+" failed", theme.ColorNameError, plain.Capitalized(err.Error())+".")
}

// show shows a report, the last one or that of a job in progress.
func (r *results) show(what string, report *app.OwnReport) {
	if report.Done || !report.OK() && len(report.Problems) > 0 {
		r.head(verdictOf(report))
	}
	var all []fyne.CanvasObject
	add := func(title string, lines [][]*kit.Text) {
		if len(lines) > 0 {
			heading := kit.NewCaption(title, 1)
			heading.Style.Bold = true
			all = append(all, kit.Inset(kit.NewFlow(2, heading, kit.NewTexts(lines...)), 0, 6))
		}
	}
	if c := report.Compared; c != nil {
		add("Comparison, alternating A B B A", comparisonLines(c))
	}
	if m := sweepModel(report.Points); m != nil {
		r.plot.SetModel(m)
		all = append(all, kit.Inset(kit.OnPanel(r.plot), 0, 6))
	}
	add("Times", lines(report.Points, func(p app.OwnPoint) []*kit.Text { return pointLine(&p) }))
	add("Outputs", lines(report.Outputs, outputLine))
	add("Steps", lines(report.Stages, stageLine))
	add("Arguments", lines(report.Arguments, func(b app.OwnBound) []*kit.Text {
		return line(b.Name, b.Binding, b.Holds+", "+view.Quantity(float64(b.Bytes), "B"))
	}))
	r.fill(all...)
}

// verdictOf states the outcome in a few words, and what must accompany its figures.
func verdictOf(r *app.OwnReport) (verdict string, color fyne.ThemeColorName, about string) {
	for _, p := range r.Problems {
		if !p.Hint {
			return kindTitle(string(p.Kind)), theme.ColorNameError, placed(&p)
		}
	}
	where := r.Device
	if r.OnCPU {
		where = strings.TrimPrefix(where+", "+app.OwnOnCPU, ", ")
	}
	if where != "" {
		where = "On " + strings.TrimPrefix(where, "on ") + "."
	}
	switch {
	case r.Compared != nil:
		if p := r.Compared.Points; !p[0].Verified || !p[1].Verified {
			where = plain.Capitalized(app.OwnNotVerified) + ". " + where
		}
		return comparisonWords(r.Compared), theme.ColorNameForeground, where
	case r.Verified():
		return "Correct: its results match the reference", theme.ColorNameSuccess, where
	case len(r.Outputs) > 0:
		return "It ran: " + app.OwnNotVerified, theme.ColorNameWarning, "Without a reference, its results cannot be verified. " + where
	}
	return "No problem was found", theme.ColorNameSuccess, where
}

// kindTitle is a kind of problem as a heading.
func kindTitle(kind string) string { return plain.Capitalized(kind) }

// placed is a problem with its line.
func placed(p *app.OwnProblem) string {
	words := plain.Capitalized(worded(p))
	if p.Line > 0 {
		words = fmt.Sprintf("Line %d: %s", p.Line, worded(p))
	}
	return strings.TrimSuffix(words, ".") + "."
}

// comparisonWords states the verdict on two kernels.
func comparisonWords(c *app.OwnComparison) string {
	switch c.Verdict {
	case stats.Faster:
		return fmt.Sprintf("Faster: %.3g times as fast as %s", c.Ratio.Median, c.Base)
	case stats.Slower:
		return fmt.Sprintf("Slower: %.3g times as fast as %s", c.Ratio.Median, c.Base)
	case stats.Same:
		return "As fast as " + c.Base
	}
	return "Unsure: the intervals allow for both"
}

// comparisonLines shows the times of both, and their ratio.
func comparisonLines(c *app.OwnComparison) [][]*kit.Text {
	ratio := fmt.Sprintf("%.3g", c.Ratio.Median)
	if c.Ratio.Bounded {
		ratio += fmt.Sprintf(", 95 %% interval %.3g to %.3g", c.Ratio.Lo, c.Ratio.Hi)
	}
	return [][]*kit.Text{
		line("A, the other", c.Base, timeWords(&c.Points[0])), line("B, in the editor", c.Variant, timeWords(&c.Points[1])), line("A / B", "", ratio),
	}
}

// pointLine shows a time at some sizes.
func pointLine(p *app.OwnPoint) []*kit.Text {
	words := timeWords(p)
	if p.Rate > 0 {
		words += ", " + view.Quantity(p.Rate, "FLOP/s")
	}
	if p.Bytes > 0 {
		words += ", " + view.Quantity(p.Bytes, "B/s")
	}
	if !p.Verified {
		words += ", " + app.OwnNotVerified
	}
	for _, w := range p.Warnings {
		words += ". " + plain.Capitalized(w)
	}
	t := line(p.Sizes.String(), words)
	t[1].Lines(12)
	return t
}

// timeWords formats a time with its interval.
func timeWords(p *app.OwnPoint) string {
	words := view.Quantity(p.Time.Median, "s")
	if p.Time.Bounded && p.Time.Median > 0 {
		half := math.Max(p.Time.Hi-p.Time.Median, p.Time.Median-p.Time.Lo) / p.Time.Median
		words += " ± " + percent(100*half)
	}
	return words
}

// percent writes two digits, or a whole number: never an exponent.
func percent(v float64) string {
	if v >= 99.5 {
		return fmt.Sprintf("%.0f %%", v)
	}
	return fmt.Sprintf("%.2g %%", v)
}

// outputLine shows the verification of an output.
func outputLine(o app.OwnOutcome) []*kit.Text {
	words := app.OwnNotVerified
	switch {
	case o.Compared == 0 && o.Why != "":
		words += ": " + o.Why
	case o.Compared > 0:
		words = fmt.Sprintf("%s of %s compared, %s wrong, largest difference %.3g", si.Count(o.Compared), si.Count(o.Elements), si.Count(o.Wrong), o.Largest)
	}
	t := line(o.Name, words)
	if o.Wrong > 0 {
		t[1].Color = theme.ColorNameError
	}
	return t
}

// stageLine shows a step, and how it ended.
func stageLine(s app.OwnStage) []*kit.Text {
	words := string(s.State)
	switch {
	case s.Why != "":
		words += ": " + s.Why
	case s.State != "started":
		words += " in " + view.Quantity(s.Seconds, "s")
	}
	t := line(plain.Capitalized(string(s.Name)), words)
	if s.State == "failed" {
		t[1].Color = theme.ColorNameError
	}
	return t
}
