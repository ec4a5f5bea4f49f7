package runpage

import (
	"slices"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// section is a group of the list, or the workloads that ran last.
type section struct {
	title  string
	head   fyne.CanvasObject
	fold   *kit.Fold // the head in a list so long that its groups fold; nil: it does not fold
	rows   []*row
	closed bool // folded
}

// row is a workload in a section.
type row struct {
	option   *kit.Option
	workload int // -1: none
	recent   bool
}

// recent is the section of the workloads that ran last, empty in a short list.
type recent struct {
	kit.Choices
	section *section
	titles  []*kit.Text
	used    bool // the chosen workload was chosen here
	marked  bool // and is still here
}

const recentTitle = "Recent"

// addSection starts a section.
func (l *workloadList) addSection(title string) *section {
	s := &section{title: title}
	if l.crowded() {
		s.fold = kit.NewFold(title, func(open bool) { l.turn(s, open) })
		s.fold.OnMove = func(by int) { l.step(s.fold, by) }
		s.head = s.fold
	} else {
		t := kit.NewCaption(title, 1)
		t.Style.Bold = true
		s.head = kit.Inset(t, 10, 6)
	}
	l.inner.Add(s.head)
	l.sections = append(l.sections, s)
	return s
}

// addRow adds a row to the last section.
func (l *workloadList) addRow(o *kit.Option, workload int) {
	s := l.sections[len(l.sections)-1]
	s.rows = append(s.rows, &row{option: o, workload: workload, recent: s == l.recent.section})
	l.inner.Add(o)
}

// addRecent adds the section of the workloads that ran last, still empty.
func (l *workloadList) addRecent() {
	r := &l.recent
	r.section = l.addSection(recentTitle)
	r.Changed = func(i int) { l.choose(r.section.rows[i].workload, true) }
	r.Step = l.Step
	for range desk.MaxRecent {
		t := kit.NewHeading("")
		r.titles = append(r.titles, t)
		l.addRow(r.Add(kit.Inset(t, 10, 5)), -1)
	}
}

// setRecent shows the workloads that ran last, and marks the chosen one.
func (l *workloadList) setRecent() {
	defer l.markChosen()
	m := l.desk.Model
	if l.recent.section == nil {
		return
	}
	for i, r := range l.recent.section.rows {
		r.workload = -1
		if i < len(m.Recent) {
			r.workload = slices.IndexFunc(m.Workloads, func(w workloads.Workload) bool { return w.Name == m.Recent[i] })
		}
		if r.workload >= 0 {
			l.recent.titles[i].Set(m.Workloads[r.workload].Title)
		}
	}
}

// choose chooses a workload in its group or in Recent.
func (l *workloadList) choose(i int, recent bool) {
	l.at, l.recent.used = i, recent
	l.desk.Choose(i)
	l.markChosen()
}

// markChosen marks the chosen workload once: in Recent if it was chosen there and still is there.
func (l *workloadList) markChosen() {
	r, there := &l.recent, -1
	if r.used && !l.searching() {
		there = slices.IndexFunc(r.section.rows, func(o *row) bool { return o.workload == l.at })
		r.used = there >= 0
	}
	r.marked = there >= 0
	if r.Show(there); r.marked {
		l.Choices.Show(-1)
	} else {
		l.Choices.Show(l.at)
	}
}

// chosen reports whether a row is the marked one.
func (l *workloadList) chosen(r *row) bool { return r.workload == l.at && r.recent == l.recent.marked }

// turn folds or opens a section. During a search all are open.
func (l *workloadList) turn(s *section, open bool) {
	if l.searching() {
		return
	}
	s.closed = !open
	l.desk.Settings.SetFolded(s.title, s.closed)
	l.arrange()
}

// recall restores the stored state of the list.
func (l *workloadList) recall() {
	for _, s := range l.sections {
		s.closed = s.fold != nil && l.desk.Settings.Folded(s.title)
	}
	l.setRecent()
	l.arrange()
}

// Show marks workload i as chosen, and scrolls it into view unless it was chosen there.
func (l *workloadList) Show(i int) {
	elsewhere := i != l.at
	if elsewhere {
		l.at, l.recent.used = i, false
	}
	l.setRecent()
	l.arrange()
	if elsewhere {
		l.reveal()
	}
}

// arrange shows the rows found by the search and not hidden by folded sections.
func (l *workloadList) arrange() {
	changed := false
	show := func(o fyne.CanvasObject, on bool) {
		changed = changed || o.Visible() != on
		kit.Show(o, on)
	}
	found := false
	sections := l.ordered()
	for _, s := range sections {
		open, used := l.open(s), false
		for _, r := range s.rows {
			listed := l.lists(r)
			used = used || listed
			show(r.option, listed && (open || l.chosen(r)))
		}
		found = found || used
		show(s.head, used)
	}
	show(l.none, !found)
	if order := l.objects(sections); !slices.Equal(order, l.inner.Objects) {
		l.inner.Objects, changed = order, true
	}
	if changed {
		l.inner.Refresh()
		l.scroll.Refresh()
	}
}

// objects returns the parts of the list from top to bottom.
func (l *workloadList) objects(sections []*section) []fyne.CanvasObject {
	list := []fyne.CanvasObject{l.none}
	for _, s := range sections {
		list = append(list, s.head)
		for _, r := range s.rows {
			list = append(list, r.option)
		}
	}
	return list
}

// open reports whether a section shows all its rows: a folded one shows only the chosen workload.
func (l *workloadList) open(s *section) bool {
	open := !s.closed || l.searching()
	if s.fold != nil {
		s.fold.Set(open)
	}
	return open
}

// lists reports whether the list now has a row. A search finds each workload once.
func (l *workloadList) lists(r *row) bool {
	if l.searching() && r.recent {
		return false
	}
	_, found := l.rank(r)
	return found
}

// keep keeps the chosen workload in view when the list or its rows change size, unless the user has scrolled.
func (l *workloadList) keep() {
	if l.scroll.Offset.Y == l.kept {
		l.reveal()
	}
}

// reveal scrolls to the chosen workload, unless it is in view or the list has no size yet.
func (l *workloadList) reveal() {
	defer func() { l.kept = l.scroll.Offset.Y }()
	room := l.scroll.Size().Height
	if room <= 0 {
		return
	}
	to := l.scroll.Offset.Y
	for _, r := range l.rows() {
		top := l.inner.Position().Y + r.option.Position().Y
		end := top + r.option.Size().Height
		if l.chosen(r) && top >= l.scroll.Offset.Y && end <= l.scroll.Offset.Y+room {
			return
		}
		if l.chosen(r) {
			to = top - (room-r.option.Size().Height)/2
		}
	}
	l.scroll.ScrollToOffset(fyne.NewPos(0, max(0, to)))
}

// rows returns the visible rows, from top to bottom.
func (l *workloadList) rows() (list []*row) {
	for _, s := range l.ordered() {
		for _, r := range s.rows {
			if r.option.Visible() {
				list = append(list, r)
			}
		}
	}
	return list
}
