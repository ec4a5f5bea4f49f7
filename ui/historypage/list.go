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
	"assay/app/bundle"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// list is the table of runs found by the search.
type list struct {
	*kit.Table[bundle.Summary]
	page   *historyPage
	query  string // the query of these rows
	shapes map[bundle.State]fyne.Resource
	flawed fyne.Resource     // for a run that ended with something wrong
	wrong  fyne.Resource     // for a count of what is wrong
	titles map[string]string // of workloads
}

// column is a column of the list.
type column = kit.Column[bundle.Summary]

func newList(p *historyPage) *list {
	l := &list{page: p, shapes: shapes(), titles: map[string]string{}}
	l.flawed = theme.NewWarningThemedResource(theme.WarningIcon())
	l.wrong = theme.NewErrorThemedResource(theme.ErrorIcon())
	for _, w := range p.desk.Model.Workloads {
		l.titles[w.Name] = w.Title
	}
	l.Table = kit.NewTable(l.columns(), 1)
	l.Key, l.Always = func(s *bundle.Summary) string { return s.Dir }, true
	l.SortBy(p.desk.Settings.Order("history"))
	l.OnOrdered = func(name string, descending bool) { p.desk.Settings.SetOrder("history", name, descending) }
	l.OnItem = func(s *bundle.Summary) { p.chosen.setRun(s) }
	l.OnOpen = p.open
	l.OnHead = l.explain
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

// columns are the columns of the list, from left to right. Those with the lowest rank are dropped first.
func (l *list) columns() []column {
	return []column{
		{
			Title: "Date", About: "When the run started.", Cell: plain(dateOf),
			Order: func(a, b *bundle.Summary) int { return begun(a).Compare(begun(b)) },
		},
		{
			Title: "Compare", About: "Runs that are marked for comparison.",
			Cell: plain(func(s *bundle.Summary) string {
				if l.page.chosen.isMarked(s) {
					return "marked"
				}
				return ""
			}),
		},
		{Title: "Workloads", About: "What was measured.", Cell: plain(l.workloads), Min: 110, Rank: 4},
		{
			Title: "Settings", About: "The parameters that differ from the defaults.", Min: 100, Rank: 2,
			Cell: colored(kit.ColorSecondary, func(s *bundle.Summary) string {
				return view.Changed(l.page.desk.Model.Workloads, s.Jobs, s.Quick)
			}),
		},
		{
			Title: "State", Shaped: true, Cell: l.state,
			About: "How the run ended. A triangle: it finished, but a result is wrong or disturbed, something leaked or a file is incomplete.",
		},
		{
			Title: "Problem", About: "Why the run failed, or what cannot be read.",
			Cell: colored(theme.ColorNameError, problemOf), Min: 170, Rank: 5,
		},
		{
			Title: "Correct", About: "Results that match the reference.", Number: true,
			Cell:  plain(correctOf),
			Order: by(func(s *bundle.Summary) int64 { return int64(s.Verified) }),
		},
		l.count("Wrong", "Results that differ from the reference, and failed cases. They have no time.", wrongOf, l.wrong, theme.ColorNameError),
		l.count("Disturbed", "Results measured while other work used the machine. No conclusion is drawn from their times.",
			func(s *bundle.Summary) int { return s.Disturbed }, l.flawed, theme.ColorNameWarning),
		l.count("Leaks", "Leaks found: unreleased buffers or growing memory.", func(s *bundle.Summary) int { return s.Leaks }, l.wrong, theme.ColorNameError),
		{
			Title: "Took", About: "From the start of the run to its end.", Number: true, Cell: colored(kit.ColorSecondary, durationOf),
			Order: by(func(s *bundle.Summary) int64 { d, _ := s.Duration(); return int64(d) }),
		},
		{
			Title: "Tags", About: "Your tags; edit them below.", Min: 90, Rank: 3,
			Cell: plain(func(s *bundle.Summary) string { return strings.Join(s.Tags, ", ") }),
		},
		{Title: "Device", About: "The device of the run.", Cell: colored(kit.ColorSecondary, deviceOf), Min: 90, Rank: 1},
		{
			Title: "Size", About: "Disk space of the run’s files.", Number: true, Order: by(func(s *bundle.Summary) int64 { return s.Size }),
			Cell: colored(kit.ColorSecondary, func(s *bundle.Summary) string { return view.Quantity(float64(s.Size), "B") }),
		},
	}
}

// correctOf counts correct results; a watched program has none.
func correctOf(s *bundle.Summary) string {
	if s.Watch != "" {
		return ""
	}
	return known(s, fmt.Sprint(s.Verified))
}

// by orders runs by a number.
func by(f func(*bundle.Summary) int64) func(a, b *bundle.Summary) int {
	return func(a, b *bundle.Summary) int { return cmp.Compare(f(a), f(b)) }
}

// plain is a cell of text, colored one in a color.
func plain(text func(*bundle.Summary) string) func(*bundle.Summary) kit.TableCell {
	return colored("", text)
}

func colored(color fyne.ThemeColorName, text func(*bundle.Summary) string) func(*bundle.Summary) kit.TableCell {
	return func(s *bundle.Summary) kit.TableCell { return kit.TableCell{Text: text(s), Color: color} }
}

// state is the cell that shows how a run ended.
func (l *list) state(s *bundle.Summary) kit.TableCell {
	cell := kit.TableCell{Text: desk.StateWords(s), Icon: l.shapes[s.State], Color: stateColor(s.State)}
	if s.State == bundle.Finished && (wrongOf(s)+s.Disturbed+s.Leaks > 0 || s.Problem != "") {
		cell.Icon = l.flawed
	}
	return cell
}

// count is a column that counts what is wrong; zero is left empty.
func (l *list) count(title, about string, of func(*bundle.Summary) int, icon fyne.Resource, color fyne.ThemeColorName) column {
	cell := func(s *bundle.Summary) kit.TableCell {
		if of(s) == 0 {
			return kit.TableCell{}
		}
		return kit.TableCell{Text: fmt.Sprint(of(s)), Icon: icon, Color: color}
	}
	order := by(func(s *bundle.Summary) int64 { return int64(of(s)) })
	return column{Title: title, About: about, Number: true, Shaped: true, Cell: cell, Order: order}
}

// wrongOf is how many results of a run are wrong.
func wrongOf(s *bundle.Summary) int { return s.Failed + s.Errors }

// explain explains the column under the pointer or the keyboard focus.
func (l *list) explain(c *column) {
	if c != nil {
		l.page.hint.Set(c.Title + ": " + c.About)
		return
	}
	l.page.hint.Set("Click a header to sort; hover for help. Arrow keys select, Return opens, Delete moves to the trash.")
}

func (l *list) workloads(s *bundle.Summary) string {
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

// begun returns when a run began: for an unreadable one the time in its name, if any.
func begun(s *bundle.Summary) time.Time {
	if !s.Started.IsZero() {
		return s.Started
	}
	t, _ := time.ParseInLocation(idLayout, s.ID[:min(len(s.ID), len(idLayout))], time.Local)
	return t
}

// idLayout is the time format at the beginning of a run's ID.
const idLayout = "20060102-150405"

// shortID returns the workload in the ID of a run and what follows, which distinguish it from others of the same minute:
// "batching-3f2a". A longer name is cut to its end.
func shortID(s *bundle.Summary) string {
	const most = 20
	id := s.ID
	if at := len(idLayout); len(id) > at+1 {
		if _, err := time.Parse(idLayout, id[:at]); err == nil {
			id = id[at+1:]
		}
	}
	if runes := []rune(id); len(runes) > most {
		id = "…" + string(runes[len(runes)-most+1:])
	}
	return id
}

func dateOf(s *bundle.Summary) string {
	if t := begun(s); !t.IsZero() {
		return t.Local().Format("2006-01-02 15:04")
	}
	return "Not known"
}

// known returns a number of a run if the run could be read.
func known(s *bundle.Summary, text string) string {
	if s.State == bundle.Damaged {
		return ""
	}
	return text
}

func durationOf(s *bundle.Summary) string {
	if d, ok := s.Duration(); ok {
		return si.Duration(d.Seconds())
	}
	return ""
}

func deviceOf(s *bundle.Summary) string {
	words := s.Device
	if words == "" {
		words = s.Engine
	}
	if s.Simulated {
		words += " (simulated)"
	}
	if s.NotTiming != "" {
		words += " (" + bundle.NotTimingRun + ")"
	}
	return words
}

// setRuns lists the runs that a query finds. If the chosen one is gone, the next one is chosen, and after another search
// the first.
func (l *list) setRuns(all []bundle.Summary, query string) {
	if query != l.query {
		l.query = query
		l.Mark(-1)
	}
	var found []bundle.Summary
	for i := range all {
		if app.MatchRun(&all[i], query) {
			found = append(found, all[i])
		}
	}
	l.SetItems(found)
}

func stateColor(s bundle.State) fyne.ThemeColorName {
	switch s {
	case bundle.Failed, bundle.Damaged:
		return theme.ColorNameError
	case bundle.CutOff:
		return theme.ColorNameWarning
	case bundle.Running:
		return theme.ColorNameHyperlink
	}
	return theme.ColorNameForeground
}

// shapes are the icons beside a state, so that it does not depend on color alone.
func shapes() map[bundle.State]fyne.Resource {
	return map[bundle.State]fyne.Resource{
		bundle.Finished: theme.NewSuccessThemedResource(theme.ConfirmIcon()),
		bundle.Running:  theme.NewColoredResource(theme.MediaPlayIcon(), theme.ColorNameHyperlink),
		bundle.Stopped:  theme.NewColoredResource(theme.MediaStopIcon(), kit.ColorSecondary),
		bundle.Failed:   theme.NewErrorThemedResource(theme.CancelIcon()),
		bundle.CutOff:   theme.NewWarningThemedResource(theme.WarningIcon()),
		bundle.Damaged:  theme.NewErrorThemedResource(theme.ErrorIcon()),
	}
}

// problemOf says why a run failed, and what could not be read.
func problemOf(s *bundle.Summary) string {
	return strings.Join(slices.DeleteFunc([]string{s.Failure, s.Problem}, func(words string) bool { return words == "" }), "; ")
}
