package resultspage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app/report"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// baseline shows the baseline of the run, the verdicts, and what else differed. It is hidden if nothing is pinned.
type baseline struct {
	page        *resultsPage
	headline    *kit.Text // the verdict in one sentence
	name        *kit.Text
	verdicts    *kit.Text // what else there is to say about it
	differences *kit.Text
	show        *kit.Button // the baseline
	unpin       *kit.Button
	object      *fyne.Container
}

func newBaseline(p *resultsPage) *baseline {
	b := &baseline{page: p, headline: kit.NewHeading("").Lines(2), name: kit.NewBody("", 2), verdicts: kit.NewBody("", 3), differences: kit.NewCaption("", 3)}
	b.unpin = kit.NewButton("Unpin", func() { p.desk.PinBaseline(nil) })
	b.show = kit.NewButton("Show Baseline", func() { p.desk.ShowRun(p.desk.Model.Showing.Baseline) })
	b.unpin.Importance, b.show.Importance = widget.LowImportance, widget.LowImportance
	icon := container.New(kit.FixedSize{Width: 18, Height: 18}, widget.NewIcon(theme.InfoIcon()))
	floor := kit.NewTerm(icon, floorAbout(), p.desk.Hints)
	tools := kit.Row(6, container.NewCenter(floor), b.show, b.unpin)
	words := kit.NewFlow(2, b.headline, b.verdicts, b.name, b.differences)
	back := kit.NewFill(kit.ColorPanel, 8)
	b.object = container.New(stripLayout{}, back, words, tools)
	return b
}

// floorAbout explains when a row is called faster or slower.
func floorAbout() string {
	return fmt.Sprintf("A change is the ratio of the median times. A row is faster or slower only if the whole interval is beyond the noise "+
		"floor of %.0f %%, and the fastest tenth of the samples agrees. If the machine was not quiet, the floor is %.0f %%, and rows that "+
		"differ by more are not comparable. Rows of different devices have a ratio and no verdict: a slower device is not a regression. Within noise floor: all of the interval is. No difference shown: it may be faster, slower or neither. Runs are weaker evidence than variants within "+
		"a run, which are interleaved.",
		100*report.NoiseFloor, 100*report.BusyFloor)
}

// update shows the pinned baseline.
func (b *baseline) update(s *desk.Showing) {
	kit.Show(b.object, s.Baseline != nil)
	if s.Baseline == nil {
		return
	}
	shown := s.Pinned(s.Run) // the head has a button that unpins it
	kit.Show(b.show, !shown)
	kit.Show(b.unpin, !shown)
	b.name.Set("Baseline: " + b.page.head.nameOf(&s.Baseline.Meta))
	headline, rest := b.verdictOf(s)
	b.headline.Set(headline)
	b.verdicts.Set(rest)
	kit.Show(b.verdicts, rest != "")
	b.differences.Set("")
	if s.Comparison != nil {
		b.differences.Set(differencesOf(s.Comparison))
	}
	kit.Show(b.differences, b.differences.Content != "")
}

// verdictOf states the result of the comparison: a headline, and what else there is to say.
func (b *baseline) verdictOf(s *desk.Showing) (headline, rest string) {
	c := s.Comparison
	switch {
	case s.Pinned(s.Run):
		return "This is the baseline.", "Select another run to compare."
	case s.Growing():
		return "The comparison appears when the run ends.", ""
	case c == nil:
		return "Comparing the two runs.", ""
	}
	if why := incomparable(c); why != "" && c.Apart() == 0 {
		return why, ""
	}
	headline, words := c.Headline(), ""
	for _, name := range valuesOf(s.Run, func(r *workloads.Result) string { return r.Workload }) {
		if mean := c.Geomean(name); mean.Rows > 1 && c.Differs(name) { // otherwise a mean would suggest what is not shown
			words += fmt.Sprintf(" %s: %s.", b.page.desk.Model.Title(name), mean.Words("the baseline"))
		}
	}
	return headline, strings.TrimSpace(words + fmt.Sprintf(" Noise floor: %.0f %%.", 100*c.Floor))
}

// incomparable says why no row can be compared; empty: one can.
func incomparable(c *report.Comparison) string {
	reasons, both := map[string]int{}, false
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Verdict != report.NotComparable {
			return ""
		}
		both = both || r.Base != nil && r.Run != nil
		reasons[r.Reason]++
	}
	if !both {
		return "The runs have no case in common. Pin a run of the same workload."
	}
	return "No row can be compared" + because(reasons) + "."
}

// because lists reasons by the number of rows that they apply to, the most frequent first.
func because(count map[string]int) string {
	const most = 3
	list := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	if len(list) == 1 {
		return ": " + list[0]
	}
	var words []string
	for i, reason := range list {
		if i == most {
			words = append(words, "others for other reasons")
			break
		}
		words = append(words, si.Counted(count[reason], "row")+": "+reason)
	}
	return " (" + strings.Join(words, "; ") + ")"
}

// differencesOf says what differed apart from the code.
func differencesOf(c *report.Comparison) string {
	var parts []string
	if len(c.Differences) > 0 {
		parts = append(parts, "Also different: "+strings.Join(c.Differences, " "))
	} else {
		parts = append(parts, "No other recorded differences.")
	}
	if len(c.Unknown) > 0 {
		parts = append(parts, "Not recorded: "+strings.Join(c.Unknown, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// stripLayout puts text beside tools on a card, as tall as the text.
type stripLayout struct{}

const stripPad = 10

func (stripLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	words := width - o[2].MinSize().Width - 3*stripPad
	return max(kit.HeightFor(o[1], words), o[2].MinSize().Height) + 2*stripPad
}

func (l stripLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(300, l.HeightFor(o, max(600, o[0].Size().Width)))
}

func (l stripLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	tools := o[2].MinSize()
	words := size.Width - tools.Width - 3*stripPad
	o[0].Resize(size)
	o[1].Move(fyne.NewPos(stripPad, stripPad))
	o[1].Resize(fyne.NewSize(words, kit.HeightFor(o[1], words)))
	o[2].Move(fyne.NewPos(size.Width-tools.Width-stripPad, stripPad-2))
	o[2].Resize(tools)
}
