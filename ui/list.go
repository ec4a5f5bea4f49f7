package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/workloads"
)

// workloadList lists the workloads in their groups, each with its sentence.
type workloadList struct {
	choices
	states []*text
	object fyne.CanvasObject
}

func newWorkloadList(all []workloads.Workload, choose func(int)) *workloadList {
	l := &workloadList{choices: choices{changed: choose}}
	inner := &stackedLayout{width: listWidth - 20}
	var objects []fyne.CanvasObject
	group := ""
	for i := range all {
		w := &all[i]
		if w.Group != group {
			group = w.Group
			t := newCaption(group, 1)
			t.style.Bold = true
			objects = append(objects, inset(t, 10, 6))
		}
		objects = append(objects, l.item(w))
	}
	list := container.New(inner, objects...)
	scroll := container.NewVScroll(inset(list, 8, 8))
	back := newFill(colorSidebar, 0)
	l.object = edged(stackOf(back, scroll), atRight, newLine())
	return l
}

// item is one workload: its title, where its run stands, its sentence.
func (l *workloadList) item(w *workloads.Workload) fyne.CanvasObject {
	state := newCaption("", 1).whole()
	l.states = append(l.states, state)
	title := newHeading(w.Title)
	about := newCaption(w.About, 4)
	width := float32(listWidth - 16 - 1 - 20)
	head := container.NewBorder(nil, nil, nil, state, title)
	words := container.New(&wrappedLayout{width}, head, about)
	return l.add(inset(words, 10, 7))
}

// mark shows beside each workload where its run stands.
func (l *workloadList) mark(m *model) {
	for i, t := range l.states {
		word, color := "", colorSecondary
		if o := m.outcomes[m.workloads[i].Name]; o != nil {
			word, color = stateWord(o)
		}
		if word != t.content {
			t.setColored(word, color)
			l.options[i].Refresh()
		}
	}
}

// stateWord is where a run stands, in one word and a colour.
func stateWord(o *outcome) (string, fyne.ThemeColorName) {
	switch o.phase {
	case starting, running, stopping:
		return "running", theme.ColorNameHyperlink
	case finished:
		if o.run != nil && !o.run.OK() {
			return "problems", theme.ColorNameWarning
		}
		return "done", theme.ColorNameSuccess
	case stopped:
		return "stopped", colorSecondary
	case failed:
		return "failed", theme.ColorNameError
	}
	return "", colorSecondary
}

// stackedLayout puts objects below each other at full width.
type stackedLayout struct{ width float32 }

func (l *stackedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(l.width-40, 0)
	for _, c := range o {
		size.Height += c.MinSize().Height + 2
	}
	return size
}

func (l *stackedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, c := range o {
		height := c.MinSize().Height
		c.Resize(fyne.NewSize(size.Width, height))
		c.Move(fyne.NewPos(0, y))
		y += height + 2
	}
}

// wrappedLayout is a head above a text that wraps at a known width.
type wrappedLayout struct{ width float32 }

func (l *wrappedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(60, o[0].MinSize().Height+2+o[1].(*text).heightFor(l.width))
}

func (l *wrappedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head := o[0].MinSize().Height
	o[0].Resize(fyne.NewSize(size.Width, head))
	o[0].Move(fyne.Position{})
	o[1].Resize(fyne.NewSize(size.Width, o[1].(*text).heightFor(size.Width)))
	o[1].Move(fyne.NewPos(0, head+2))
}
