package historypage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// list is the runs that the search finds, as a table.
type list struct {
	*kit.Table
	page       *historyPage
	columns    []column
	rows       []app.RunSummary
	chosen     string // folder of the chosen run
	query      string // that found the rows
	by         int    // column; -1: newest first
	descending bool
	shapes     map[app.RunState]fyne.Resource
	flawed     fyne.Resource     // of a run that ended with something wrong
	wrong      fyne.Resource     // of a count of what is wrong
	room       float32           // that the table has
	titles     map[string]string // of workloads
}

// column is one of the list.
type column struct {
	title  string
	about  string
	number bool
	text   func(*app.RunSummary) string
	order  func(a, b *app.RunSummary) int // nil: by text
}

func newList(p *historyPage) *list {
	l := &list{page: p, by: -1, shapes: shapes(), titles: map[string]string{}}
	l.flawed = theme.NewWarningThemedResource(theme.WarningIcon())
	l.wrong = theme.NewErrorThemedResource(theme.ErrorIcon())
	for _, w := range p.desk.Model.Workloads {
		l.titles[w.Name] = w.Title
	}
	l.columns = l.all()
	if name, descending := p.desk.Settings.Order("history"); name != "" {
		l.by, l.descending = l.index(name), descending
	}
	l.Table = kit.NewTable(l.cell)
	l.OnChosen = func(row int) { l.chosen = l.rows[row].Dir; p.chosen.take(&l.rows[row]) }
	l.OnOpened = func(row int) { p.open(&l.rows[row]) }
	l.OnSorted = l.sortBy
	l.OnColumn = l.tellColumn
	l.OnKey = func(e *fyne.KeyEvent) {
		if (e.Name == fyne.KeyDelete || e.Name == fyne.KeyBackspace) && !l.Repeats() {
			p.chosen.remove()
		}
	}
	l.OnEdit = func(s fyne.Shortcut) {
		if _, ok := s.(*fyne.ShortcutUndo); ok {
			p.desk.UndoLast()
		}
	}
	return l
}

// all are the columns from left to right.
func (l *list) all() []column {
	counted := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	by := func(f func(*app.RunSummary) int64) func(a, b *app.RunSummary) int {
		return func(a, b *app.RunSummary) int { return cmp.Compare(f(a), f(b)) }
	}
	number := func(title, about string, of func(*app.RunSummary) int) column {
		text := func(s *app.RunSummary) string { return counted(of(s)) }
		return column{title, about, true, text, by(func(s *app.RunSummary) int64 { return int64(of(s)) })}
	}
	verified := func(s *app.RunSummary) string { return known(s, fmt.Sprint(s.Verified)) }
	size := func(s *app.RunSummary) string { return view.Quantity(float64(s.Size), "B") }
	return []column{
		{"Date", "When the run began.", false, dateOf, func(a, b *app.RunSummary) int { return begun(a).Compare(begun(b)) }},
		{"Workloads", "What was measured.", false, l.workloads, nil},
		{
			"State", "Whether the run ended as it should. A triangle: it did, and some result is wrong, something leaked or a file is not whole.", false,
			desk.StateWords, nil,
		},
		{"Problem", "Why the run failed, or what could not be read of it.", false, problemOf, nil},
		{
			"Verified", "Results that were compared with a reference and are right.", true, verified,
			by(func(s *app.RunSummary) int64 { return int64(s.Verified) }),
		},
		number("Wrong", "Results that differ from the reference, and cases that failed: these have no time.", wrongOf),
		number("Leaks", "Leaks that were found, from buffers left behind to memory that grows.", func(s *app.RunSummary) int { return s.Leaks }),
		{
			"Took", "From the start of the run to its end.", true, durationOf,
			by(func(s *app.RunSummary) int64 { d, _ := s.Duration(); return int64(d) }),
		},
		{"Tags", "Words of yours, set below.", false, func(s *app.RunSummary) string { return strings.Join(s.Tags, ", ") }, nil},
		{"Device", "What the run was measured on.", false, deviceOf, nil},
		{"Size", "What the files of the run take on the disk.", true, size, by(func(s *app.RunSummary) int64 { return s.Size })},
	}
}

// wrongOf is how many results of a run are wrong.
func wrongOf(s *app.RunSummary) int { return s.Failed + s.Errors }

// tellColumn explains the column that the pointer or the keyboard is at.
func (l *list) tellColumn(i int) {
	if i >= 0 && i < len(l.columns) {
		l.page.hint.Set(l.columns[i].title + ": " + l.columns[i].about)
		return
	}
	l.page.hint.Set("Click a head to sort; point at it for what it means. Arrows choose, Return opens, Delete moves to the bin.")
}

func (l *list) workloads(s *app.RunSummary) string {
	var names []string
	for _, n := range s.Workloads {
		if t := l.titles[n]; t != "" {
			n = t
		}
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// begun is when a run began: of one that cannot be read, the time in its name, if there is one.
func begun(s *app.RunSummary) time.Time {
	if !s.Started.IsZero() {
		return s.Started
	}
	const layout = "20060102-150405"
	t, _ := time.ParseInLocation(layout, s.ID[:min(len(s.ID), len(layout))], time.Local)
	return t
}

func dateOf(s *app.RunSummary) string {
	if t := begun(s); !t.IsZero() {
		return t.Local().Format("2006-01-02 15:04")
	}
	return "Not known"
}

// known is a figure of a run that could be read.
func known(s *app.RunSummary, text string) string {
	if s.State == app.RunDamaged {
		return ""
	}
	return text
}

func durationOf(s *app.RunSummary) string {
	if d, ok := s.Duration(); ok {
		return view.Duration(d.Seconds())
	}
	return ""
}

func deviceOf(s *app.RunSummary) string {
	words := s.Device
	if words == "" {
		words = s.Engine
	}
	if s.Simulated {
		words += " (simulated)"
	}
	return words
}

// take lists the runs that a query finds.
func (l *list) take(all []app.RunSummary, query string) {
	if query != l.query {
		l.query = query
		l.Mark(-1)
	}
	l.rows = l.rows[:0]
	for i := range all {
		if app.MatchRun(&all[i], query) {
			l.rows = append(l.rows, all[i])
		}
	}
	l.arrange()
	l.order()
}

// sortBy sorts by a column, or the other way round, or no more.
func (l *list) sortBy(i int) {
	name := l.columns[i].title
	at := l.index(name)
	switch {
	case l.by != at:
		l.by, l.descending = at, false
	case !l.descending:
		l.descending = true
	default:
		l.by, l.descending, name = -1, false, ""
	}
	l.page.desk.Settings.SetOrder("history", name, l.descending)
	if l.by < 0 {
		l.page.refill() // newest first, as they came
		return
	}
	l.order()
	l.markSorted()
}

// index is the place of a column in all.
func (l *list) index(title string) int {
	return slices.IndexFunc(l.all(), func(c column) bool { return c.title == title })
}

func (l *list) markSorted() {
	at := -1
	if l.by >= 0 {
		name := l.all()[l.by].title
		at = slices.IndexFunc(l.columns, func(c column) bool { return c.title == name })
	}
	l.Sorted(at, l.descending)
}

// order sorts the rows and keeps the chosen one; where that is gone, its place is: the next
// one, and with another search the first.
func (l *list) order() {
	if l.by >= 0 {
		c := l.all()[l.by]
		slices.SortStableFunc(l.rows, func(a, b app.RunSummary) int {
			o := 0
			if c.order != nil {
				o = c.order(&a, &b)
			} else {
				o = strings.Compare(strings.ToLower(c.text(&a)), strings.ToLower(c.text(&b)))
			}
			if l.descending {
				return -o
			}
			return o
		})
	}
	was := l.At()
	l.SetRows(len(l.rows))
	at := slices.IndexFunc(l.rows, func(s app.RunSummary) bool { return s.Dir == l.chosen })
	if at < 0 && len(l.rows) > 0 {
		at = max(0, min(was, len(l.rows)-1))
		l.chosen = l.rows[at].Dir
	}
	l.Mark(at)
	if at >= 0 {
		l.ShowRow(at)
	}
}

// summary is the chosen run; nil: none.
func (l *list) summary() *app.RunSummary {
	if at := l.At(); at >= 0 && at < len(l.rows) {
		return &l.rows[at]
	}
	return nil
}

// cell is what a cell shows.
func (l *list) cell(row, i int) kit.TableCell {
	s, c := &l.rows[row], &l.columns[i]
	cell := kit.TableCell{Text: c.text(s)}
	switch c.title {
	case "State":
		cell.Icon, cell.Color = l.shapes[s.State], stateColor(s.State)
		if s.State == app.RunFinished && (wrongOf(s)+s.Leaks > 0 || s.Problem != "") {
			cell.Icon = l.flawed
		}
	case "Wrong", "Leaks":
		cell.Color = theme.ColorNameError
		if cell.Text != "" {
			cell.Icon = l.wrong
		}
	case "Problem":
		cell.Color = theme.ColorNameError
	case "Device", "Size", "Took":
		cell.Color = kit.ColorSecondary
	}
	return cell
}

func stateColor(s app.RunState) fyne.ThemeColorName {
	switch s {
	case app.RunFailed, app.RunDamaged:
		return theme.ColorNameError
	case app.RunCutOff:
		return theme.ColorNameWarning
	case app.RunRunning:
		return theme.ColorNameHyperlink
	}
	return theme.ColorNameForeground
}

// shapes are those beside a state, so that not only the colour tells.
func shapes() map[app.RunState]fyne.Resource {
	return map[app.RunState]fyne.Resource{
		app.RunFinished: theme.NewSuccessThemedResource(theme.ConfirmIcon()),
		app.RunRunning:  theme.NewColoredResource(theme.MediaPlayIcon(), theme.ColorNameHyperlink),
		app.RunStopped:  theme.NewColoredResource(theme.MediaStopIcon(), kit.ColorSecondary),
		app.RunFailed:   theme.NewErrorThemedResource(theme.CancelIcon()),
		app.RunCutOff:   theme.NewWarningThemedResource(theme.WarningIcon()),
		app.RunDamaged:  theme.NewErrorThemedResource(theme.ErrorIcon()),
	}
}

// problemOf is why a run failed, and what could not be read of it.
func problemOf(s *app.RunSummary) string {
	return strings.Join(slices.DeleteFunc([]string{s.Failure, s.Problem}, func(words string) bool { return words == "" }), "; ")
}
