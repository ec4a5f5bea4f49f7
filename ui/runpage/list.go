package runpage

import (
	"cmp"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// workloadList lists the workloads in their groups, each with the question that it answers, or only by name. A hint explains on
// hover what it measures. Longer lists can be searched, their groups fold, and the workloads that ran last are
// above them.
type workloadList struct {
	kit.Choices
	at       int // the chosen workload, which is marked in its group or in Recent, wherever it was chosen
	desk     *desk.Desk
	titles   []*kit.Text
	states   []*kit.Text
	abouts   []*kit.Text
	sections []*section
	recent   recent
	search   *kit.Entry
	texts    []searchedTexts // of each workload
	none     *kit.Text       // that the search finds nothing
	inner    *fyne.Container
	scroll   *container.Scroll
	toggle   *kit.Button
	relay    func()  // lays the page out again
	names    bool    // only
	kept     float32 // where reveal left the list: until the user scrolls, the chosen workload stays in view
	object   fyne.CanvasObject
}

// Widths of the list.
const (
	listWidth  = 204
	namesWidth = 142
)

// crowd is the number of workloads from which on a list needs ways to find one.
const crowd = 6

func newWorkloadList(d *desk.Desk) *workloadList {
	l := &workloadList{desk: d}
	l.Changed = func(i int) { l.choose(i, false) }
	l.Step = func(from *kit.Option, by int) { l.step(from, by) }
	l.inner = container.New(&stackedLayout{width: namesWidth - 20})
	l.scroll = container.NewVScroll(kit.Inset(l.inner, 8, 8))
	l.scroll.OnScrolled = d.Hints.Scrolled
	l.newSearch()
	if l.crowded() {
		l.addRecent()
	}
	for i := range d.Model.Workloads {
		w := &d.Model.Workloads[i]
		if i == 0 || w.Group != d.Model.Workloads[i-1].Group {
			l.addSection(w.Group)
		}
		l.texts = append(l.texts, textsOf(w))
		l.addRow(l.item(w, d.Hints), i)
	}
	l.toggle = kit.NewButtonWithIcon("", theme.NavigateBackIcon(), func() {
		d.Settings.SetNamesOnly(!l.names)
		l.relay()
	})
	l.toggle.Importance = widget.LowImportance
	foot := kit.Inset(container.NewHBox(l.toggle), 8, 6)
	top := kit.Inset(l.search, 8, 8)
	kit.Show(top, l.crowded())
	list := kit.Edged(kit.Edged(l.scroll, kit.AtBottom, foot), kit.AtTop, top)
	l.object = kit.Edged(kit.StackOf(kit.NewFill(kit.ColorSidebar, 0), list), kit.AtRight, kit.NewLine())
	l.showNames(false)
	l.recall()
	return l
}

// crowded reports whether there are so many workloads that one must be searched for.
func (l *workloadList) crowded() bool { return len(l.desk.Model.Workloads) >= crowd }

// item is one workload: its title, the state of its run, its question.
func (l *workloadList) item(w *workloads.Workload, hints *kit.Hints) *kit.Option {
	state := kit.NewCaption("", 1)
	l.states = append(l.states, state)
	about := kit.NewCaption(cmp.Or(w.Question, w.About), 5)
	l.abouts = append(l.abouts, about)
	title := kit.NewHeading(w.Title)
	l.titles = append(l.titles, title)
	words := container.New(&wrappedLayout{}, title, state, about)
	o := l.Add(kit.Inset(words, 10, 7))
	o.Explain(w.About, hints)
	return o
}

// showNames hides or shows the descriptions.
func (l *workloadList) showNames(only bool) {
	l.names = only
	for _, t := range l.abouts {
		kit.Show(t, !only)
	}
	l.toggle.SetIcon(theme.NavigateBackIcon())
	l.toggle.SetText("Hide questions")
	if only {
		l.toggle.SetIcon(theme.NavigateNextIcon())
		l.toggle.SetText("Questions")
	}
}

// width returns the width of the list in a page of a given width; narrow pages show names only unless the user chose.
func (l *workloadList) width(page float32) float32 {
	if only := l.desk.Settings.NamesOnly(page < kit.Scaled(1150)); only != l.names {
		l.showNames(only)
	}
	if l.names {
		return kit.Scaled(namesWidth)
	}
	return kit.Scaled(listWidth)
}

// mark shows the state of each workload's run, and what ran last.
func (l *workloadList) mark(m *desk.Model) {
	for i, t := range l.states {
		w := &m.Workloads[i]
		word, color, why := "", kit.ColorSecondary, m.Unavailable(w.Name)
		l.bar(i, why)
		if why != "" {
			word = "not available"
		}
		if o := m.Outcomes[w.Name]; o != nil {
			word, color = stateWord(m.Workloads, o)
		}
		if word != t.Content {
			t.SetColored(word, color)
			kit.Show(t, word != "")
			l.Options[i].Refresh()
			l.inner.Refresh()
		}
	}
	l.setRecent()
	l.arrange()
	l.keep()
}

// bar grays out a workload for a reason that is explained on hover; empty: it can be run.
func (l *workloadList) bar(i int, why string) {
	w, color := &l.desk.Model.Workloads[i], theme.ColorNameForeground
	if why != "" {
		color = theme.ColorNameDisabled
	}
	l.titles[i].SetColored(w.Title, color)
	l.Options[i].Explain(strings.TrimSpace(w.About+" "+why), l.desk.Hints)
}

// stateWord returns the state of a run, as a word and a color.
func stateWord(all []workloads.Workload, o *desk.Outcome) (string, fyne.ThemeColorName) {
	switch o.Phase {
	case desk.Starting, desk.Running, desk.Stopping:
		return "running", theme.ColorNameHyperlink
	case desk.Finished:
		switch detection, _ := view.DetectionOf(all, o.Run); {
		case detection == view.Undetected:
			return "problems", theme.ColorNameError
		case detection == view.NoControl && o.Run != nil && !o.Run.OK():
			return "problems", theme.ColorNameWarning
		}
		if o.Disturbed() > 0 {
			return "disturbed", theme.ColorNameWarning
		}
		return "done", theme.ColorNameSuccess
	case desk.Stopped:
		return "stopped", kit.ColorSecondary
	case desk.Failed:
		return "failed", theme.ColorNameError
	}
	return "", kit.ColorSecondary
}

// stackedLayout puts visible objects below each other at full width.
type stackedLayout struct{ width float32 }

func (l *stackedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(l.width-40, 0)
	for _, c := range o {
		if c.Visible() {
			size.Height += c.MinSize().Height + 2
		}
	}
	return size
}

func (l *stackedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, c := range o {
		if !c.Visible() {
			continue
		}
		height := c.MinSize().Height
		if t, ok := c.(*kit.Text); ok {
			height = t.HeightFor(size.Width)
		}
		c.Resize(fyne.NewSize(size.Width, height))
		c.Move(fyne.NewPos(0, y))
		y += height + 2
	}
}

// wrappedLayout is a head, a word below it and a text that wraps at a known width; hidden objects take no space.
type wrappedLayout struct{}

// wordsWidth returns the room for text in a list that shows sentences.
func wordsWidth() float32 { return kit.Scaled(listWidth) - 16 - 1 - 20 }

func (l *wrappedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	height := o[0].MinSize().Height
	if o[1].(*kit.Text).Content != "" {
		height += o[1].MinSize().Height + 1
	}
	if o[2].Visible() {
		height += 2 + o[2].(*kit.Text).HeightFor(wordsWidth())
	}
	return fyne.NewSize(60, height)
}

func (l *wrappedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	place := func(o fyne.CanvasObject, height, gap float32) {
		o.Resize(fyne.NewSize(size.Width, height))
		o.Move(fyne.NewPos(0, y+gap))
		y += height + gap
	}
	place(o[0], o[0].MinSize().Height, 0)
	if o[1].(*kit.Text).Content != "" {
		place(o[1], o[1].MinSize().Height, 1)
	}
	if o[2].Visible() {
		place(o[2], o[2].(*kit.Text).HeightFor(size.Width), 2)
	}
}
