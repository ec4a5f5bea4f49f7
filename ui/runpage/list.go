package runpage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// workloadList lists the workloads in their groups, each with its sentence.
type workloadList struct {
	kit.Choices
	states []*kit.Text
	object fyne.CanvasObject
}

func newWorkloadList(all []workloads.Workload, choose func(int)) *workloadList {
	l := &workloadList{Choices: kit.Choices{Changed: choose}}
	inner := &stackedLayout{width: listWidth - 20}
	var objects []fyne.CanvasObject
	group := ""
	for i := range all {
		w := &all[i]
		if w.Group != group {
			group = w.Group
			t := kit.NewCaption(group, 1)
			t.Style.Bold = true
			objects = append(objects, kit.Inset(t, 10, 6))
		}
		objects = append(objects, l.item(w))
	}
	list := container.New(inner, objects...)
	scroll := container.NewVScroll(kit.Inset(list, 8, 8))
	back := kit.NewFill(kit.ColorSidebar, 0)
	l.object = kit.Edged(kit.StackOf(back, scroll), kit.AtRight, kit.NewLine())
	return l
}

// item is one workload: its title, where its run stands, its sentence.
func (l *workloadList) item(w *workloads.Workload) fyne.CanvasObject {
	state := kit.NewCaption("", 1).Whole()
	l.states = append(l.states, state)
	title := kit.NewHeading(w.Title)
	about := kit.NewCaption(w.About, 4)
	width := float32(listWidth - 16 - 1 - 20)
	head := container.NewBorder(nil, nil, nil, state, title)
	words := container.New(&wrappedLayout{width}, head, about)
	return l.Add(kit.Inset(words, 10, 7))
}

// mark shows beside each workload where its run stands.
func (l *workloadList) mark(m *desk.Model) {
	for i, t := range l.states {
		word, color := "", kit.ColorSecondary
		if o := m.Outcomes[m.Workloads[i].Name]; o != nil {
			word, color = stateWord(o)
		}
		if word != t.Content {
			t.SetColored(word, color)
			l.Options[i].Refresh()
		}
	}
}

// stateWord is where a run stands, in one word and a colour.
func stateWord(o *desk.Outcome) (string, fyne.ThemeColorName) {
	switch o.Phase {
	case desk.Starting, desk.Running, desk.Stopping:
		return "running", theme.ColorNameHyperlink
	case desk.Finished:
		if o.Run != nil && !o.Run.OK() {
			return "problems", theme.ColorNameWarning
		}
		return "done", theme.ColorNameSuccess
	case desk.Stopped:
		return "stopped", kit.ColorSecondary
	case desk.Failed:
		return "failed", theme.ColorNameError
	}
	return "", kit.ColorSecondary
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
	return fyne.NewSize(60, o[0].MinSize().Height+2+o[1].(*kit.Text).HeightFor(l.width))
}

func (l *wrappedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head := o[0].MinSize().Height
	o[0].Resize(fyne.NewSize(size.Width, head))
	o[0].Move(fyne.Position{})
	o[1].Resize(fyne.NewSize(size.Width, o[1].(*kit.Text).HeightFor(size.Width)))
	o[1].Move(fyne.NewPos(0, head+2))
}
