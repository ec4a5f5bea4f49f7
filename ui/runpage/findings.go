package runpage

import (
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// findings shows a run's conclusions: leaks first, then the findings, with the first of them prominent.
type findings struct {
	desk   *desk.Desk
	told   *fyne.Container // sentences
	lines  []told          // what they say
	extend *kit.Button     // extends the sweeps whose end a finding is at
	layout *toldLayout
	object *fyne.Container
}

func newFindings(d *desk.Desk) *findings {
	v := &findings{desk: d, told: kit.Stack(toldGap)}
	v.extend = kit.NewButton("", func() {
		found, _ := d.Model.Standing()
		d.Extend(d.Model.Outcome().Whole(), d.Model.Workload().Name, found)
	})
	v.extend.Hide()
	v.layout = &toldLayout{told: v.told, button: v.extend}
	v.object = container.New(v.layout, kit.NewReader(v.told), v.extend)
	v.object.Hide()
	return v
}

// update shows the outcome of the chosen workload, and reports whether it needs another height.
func (v *findings) update() bool {
	o := v.desk.Model.Outcome()
	found, _ := v.desk.Model.Standing()
	extends := v.offer(o, found)
	lines := leakLines(v.desk.Model.Workloads, o)
	for _, f := range pointing(found) {
		if f.IsProof() { // the first line reports it
			continue
		}
		lines = append(lines, told{view.FindingText(&f), theme.ColorNameForeground})
	}
	if slices.Equal(lines, v.lines) {
		return extends
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

// offer shows the button to extend sweeps if there are any to extend, and reports whether that changed.
func (v *findings) offer(o *desk.Outcome, found []workloads.Finding) bool {
	name := ""
	if !o.Trashed {
		name = v.desk.Model.Extending(o.Whole(), v.desk.Model.Workload().Name, found)
	}
	if v.extend.Visible() == (name != "") && v.extend.Text == name {
		return false
	}
	v.extend.SetText(name)
	kit.Show(v.extend, name != "")
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

// pointing sorts findings that point to a case first: users look for a knee or a crossover.
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

// toldLayout is a scroll of sentences, as tall as they need at their width, up to a limit. It ends after a whole line. The
// button, if there is one, is to their right.
type toldLayout struct {
	told   *fyne.Container
	button *kit.Button
	width  float32 // of both
}

const (
	maxTold       = 6  // lines
	minTold       = 3  // lines, if the window is low
	wholeSentence = 12 // lines; more is cut
	toldGap       = 4
)

// height is the height of the sentences at the width, up to a number of lines.
func (l *toldLayout) height(most int) float32 {
	height, width := float32(0), l.words()
	for _, o := range l.told.Objects {
		words := o.(*kit.Text)
		line := words.HeightFor(1e6)
		lines := int(words.HeightFor(max(200, width))/line + 0.5)
		height += float32(min(lines, most)) * line
		if most -= lines; most <= 0 {
			break
		}
		height += toldGap
	}
	if l.button.Visible() {
		height = max(height, l.button.MinSize().Height)
	}
	return height
}

// words returns the width of the sentences.
func (l *toldLayout) words() float32 {
	if l.button.Visible() {
		return l.width - l.button.MinSize().Width - rightGap
	}
	return l.width
}

// ampleRoom is the extra height of the chart, beyond its minimum, for which all sentences are shown, at 100 %.
const ampleRoom = 150

// fit returns the maximum height that the sentences can use.
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
	o[0].Resize(fyne.NewSize(l.words(), size.Height))
	minSize := l.button.MinSize()
	put(l.button, size.Width-minSize.Width, 0, minSize.Width, minSize.Height)
}
