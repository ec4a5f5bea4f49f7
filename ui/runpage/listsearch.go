package runpage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/workloads"
)

// searchedTexts are what a search looks at for a workload, in lower case: the most important first.
type searchedTexts [3]string

// textsOf returns the names of a workload, what the list and its explanations say about it, and the choices of its parameters.
func textsOf(w *workloads.Workload) searchedTexts {
	var choices []string
	for i := range w.Params {
		for _, c := range w.Params[i].Choices {
			choices = append(choices, c.Value, c.Title)
		}
	}
	lower := func(list ...string) string { return strings.ToLower(strings.Join(list, "\n")) }
	return searchedTexts{lower(w.Title, w.Name), lower(w.Question, w.About, w.Group), lower(choices...)}
}

// rank returns the index of the last text needed to find each word of a search; ok is false if a word is nowhere.
func (t searchedTexts) rank(words []string) (rank int, ok bool) {
	for _, word := range words {
		at := slices.IndexFunc(t[:], func(text string) bool { return strings.Contains(text, word) })
		if at < 0 {
			return len(t), false
		}
		rank = max(rank, at)
	}
	return rank, true
}

// rank ranks a row by the search: the lowest comes first.
func (l *workloadList) rank(r *row) (rank int, ok bool) {
	if r.workload < 0 {
		return len(searchedTexts{}), false
	}
	return l.texts[r.workload].rank(strings.Fields(strings.ToLower(l.search.Text)))
}

// ordered returns the sections from top to bottom. A search sorts their rows, and the sections by their best row.
func (l *workloadList) ordered() []*section {
	if !l.searching() {
		return l.sections
	}
	rank := func(r *row) int {
		rank, _ := l.rank(r)
		return rank
	}
	byRank := func(a, b *row) int { return rank(a) - rank(b) }
	var list []*section
	for _, s := range l.sections {
		sorted := *s
		sorted.rows = slices.Clone(s.rows)
		slices.SortStableFunc(sorted.rows, byRank)
		list = append(list, &sorted)
	}
	slices.SortStableFunc(list, func(a, b *section) int { return byRank(a.rows[0], b.rows[0]) })
	return list
}

// newSearch makes the field above the list, and the text shown if it finds nothing.
func (l *workloadList) newSearch() {
	l.search = kit.NewEntry()
	l.search.PlaceHolder = "Search"
	l.search.OnChanged = l.searched
	l.search.OnKey = l.searchKey
	l.none = kit.NewCaption("", 4)
	l.none.Hide()
	l.inner.Add(l.none)
}

// searching reports whether the field contains a word.
func (l *workloadList) searching() bool { return strings.TrimSpace(l.search.Text) != "" }

// searched lists what the field finds, from the top; without a word, everything, with the chosen workload in view.
func (l *workloadList) searched(text string) {
	l.none.Set("No workload matches “" + strings.TrimSpace(text) + "”. Escape clears the search.")
	l.markChosen()
	l.arrange()
	l.scroll.ScrollToTop()
	if !l.searching() {
		l.reveal()
	}
}

// searchKey handles a key in the field.
func (l *workloadList) searchKey(key fyne.KeyName) bool {
	switch key {
	case fyne.KeyEscape:
		l.search.SetText("")
	case fyne.KeyDown:
		l.enterList()
	case fyne.KeyReturn, fyne.KeyEnter:
		if rows := l.rows(); l.searching() && len(rows) > 0 {
			rows[0].option.Tapped(nil)
		}
	default:
		return false
	}
	return true
}

// find moves the focus to the field, where a new word replaces the last.
func (l *workloadList) find() {
	if l.crowded() {
		l.focus(l.search)
		l.search.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}

// enterList moves the focus from the field to the chosen workload or, after a search, chooses the first match.
func (l *workloadList) enterList() {
	rows := l.rows()
	if len(rows) == 0 {
		return
	}
	if i := slices.IndexFunc(rows, l.chosen); i >= 0 && !l.searching() {
		rows = rows[i:]
	}
	l.enter(rows[0].option)
}

// step moves the focus from a row or a head to the next, or to the field above the first.
func (l *workloadList) step(from fyne.Focusable, by int) {
	stops := l.stops()
	switch at := slices.Index(stops, from) + by; {
	case at >= 0 && at < len(stops):
		l.enter(stops[at])
	case at < 0 && l.crowded():
		l.focus(l.search)
	}
}

// stops returns the visible rows and the heads that fold, from top to bottom.
func (l *workloadList) stops() (list []fyne.Focusable) {
	for _, o := range l.inner.Objects {
		if f, ok := o.(fyne.Focusable); ok && o.Visible() {
			list = append(list, f)
		}
	}
	return list
}

// enter moves the focus to a row, which is chosen, or to a head.
func (l *workloadList) enter(f fyne.Focusable) {
	if o, ok := f.(*kit.Option); ok {
		o.Tapped(nil)
	}
	l.focus(f)
}

func (l *workloadList) focus(f fyne.Focusable) { l.desk.Window.Canvas().Focus(f) }
