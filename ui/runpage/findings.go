package runpage

import (
	"math"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// findings shows a run's conclusions: leaks first, then the findings, the first of them prominent.
type findings struct {
	told   *fyne.Container // sentences
	lines  []told          // what they say
	layout *toldLayout
	object *fyne.Container
}

func newFindings() *findings {
	v := &findings{told: kit.Stack(toldGap)}
	v.layout = &toldLayout{told: v.told}
	v.object = container.New(v.layout, kit.NewReader(v.told))
	v.object.Hide()
	return v
}

// update shows an outcome, and reports whether the text changed.
func (v *findings) update(all []workloads.Workload, o *desk.Outcome) bool {
	lines := leakLines(all, o)
	for _, f := range pointing(o.Findings) {
		lines = append(lines, told{sentence(f), theme.ColorNameForeground})
	}
	if slices.Equal(lines, v.lines) {
		return false
	}
	v.lines = lines
	v.told.Objects = nil
	for i, line := range lines {
		words := kit.NewBody(line.words, wholeSentence)
		if i == 0 {
			words = kit.NewHeading(line.words).Lines(wholeSentence)
		}
		words.Color = line.color
		v.told.Add(words)
	}
	kit.Show(v.object, len(lines) > 0)
	v.object.Refresh()
	return true
}

// told is a sentence in a color.
type told struct {
	words string
	color fyne.ThemeColorName
}

// leakLines describe the leaks found. Those of a control are its purpose.
func leakLines(all []workloads.Workload, o *desk.Outcome) (lines []told) {
	if o.Run == nil {
		return nil
	}
	color := theme.ColorNameError
	detection, words := view.DetectionOf(all, o.Run)
	switch detection {
	case view.Detected:
		lines, color = append(lines, told{words, theme.ColorNameSuccess}), theme.ColorNameForeground
	case view.Undetected:
		lines = append(lines, told{words, color})
	case view.Undecided:
		lines = append(lines, told{words, theme.ColorNameForeground})
	}
	for _, leak := range view.Leaks(o.Run) {
		if detection == view.NoControl {
			leak = "Leak found. " + leak
		}
		lines = append(lines, told{leak, color})
	}
	return lines
}

// pointing sorts findings that point at a case first: users look for a knee or a crossover.
func pointing(list []workloads.Finding) []workloads.Finding {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b workloads.Finding) int {
		switch {
		case a.Case != "" && b.Case == "":
			return -1
		case a.Case == "" && b.Case != "":
			return 1
		}
		return 0
	})
	return list
}

// sentence is a finding with its kind before it.
func sentence(f workloads.Finding) string {
	return strings.ToUpper(f.Kind[:min(1, len(f.Kind))]) + f.Kind[min(1, len(f.Kind)):] + ": " + f.Text
}

// toldLayout is a scroll of sentences, as tall as they need at their width, up to a limit. It ends after a whole line.
type toldLayout struct {
	told  *fyne.Container
	width float32
}

const (
	maxTold       = 6  // lines
	minTold       = 3  // lines, where the window is low
	wholeSentence = 12 // lines; more is cut
	toldGap       = 4
)

// height is the height of the sentences at the width, up to a number of lines.
func (l *toldLayout) height(most int) float32 {
	height := float32(0)
	for _, o := range l.told.Objects {
		words := o.(*kit.Text)
		line := words.HeightFor(1e6)
		lines := int(words.HeightFor(max(200, l.width))/line + 0.5)
		height += float32(min(lines, most)) * line
		if most -= lines; most <= 0 {
			break
		}
		height += toldGap
	}
	return height
}

// ampleRoom is the extra height of the chart, beyond its minimum, for which all sentences are shown, at 100 %.
const ampleRoom = 150

// fit is the maximum height that the sentences can use.
func (l *toldLayout) fit(room float32) float32 {
	if all := l.height(math.MaxInt); all <= room-kit.Scaled(ampleRoom) {
		return all
	}
	for most := maxTold; most > minTold; most-- {
		if h := l.height(most); h <= room {
			return h
		}
	}
	return l.height(minTold)
}

func (l *toldLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(120, l.height(minTold))
}

func (l *toldLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	o[0].Resize(size)
}
