package runpage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/workloads"
)

// matches reports whether each word of a search is in what the list and its explanations say of a workload.
func matches(w *workloads.Workload, search string) bool {
	text := strings.ToLower(strings.Join([]string{w.Title, w.Name, w.Question, w.About, w.Group}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// newSearch makes the field above the list, and what is said if it finds nothing.
func (l *workloadList) newSearch() {
	l.search = kit.NewEntry()
	l.search.PlaceHolder = "Search"
	l.search.OnChanged = l.searched
	l.search.OnKey = l.searchKey
	l.none = kit.NewCaption("", 4)
	l.none.Hide()
	l.inner.Add(l.none)
}

// searching reports whether the field has a word.
func (l *workloadList) searching() bool { return strings.TrimSpace(l.search.Text) != "" }

// searched lists what the field finds, from the top; without a word, all, with the chosen workload in view.
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

// enterList moves the focus from the field to the chosen workload or, after a search, chooses the first that it found.
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

// stops are the rows on show and the heads that fold, from the top.
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
