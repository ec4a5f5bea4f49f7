package watchpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor/target"
	"assay/ui/desk"
	"assay/ui/kit"
)

// processList says which running process to watch, and how.
type processList struct {
	desk    *desk.Desk
	changed func()
	filter  *kit.FormBar
	table   *kit.Table[target.Process]
	form    *kit.Form
	all     []target.Process
	failed  error
	asking  bool // the processes are being listed
	object  fyne.CanvasObject
}

func newProcessList(d *desk.Desk, changed func()) *processList {
	l := &processList{desk: d, changed: changed}
	l.filter = kit.NewFormBar([]kit.Field{{Name: "words", Title: "Filter: a name or an ID"}}, l.refill)
	l.table = kit.NewTable(processColumns(), 1)
	l.table.Key, l.table.Live = func(p *target.Process) string { return fmt.Sprint(p.PID, p.Start) }, true
	l.table.OnItem = func(*target.Process) { changed() }
	l.table.OnOrdered = func(name string, descending bool) { d.Settings.SetOrder("processes", name, descending) }
	column, descending := d.Settings.Order("processes")
	if column == "" {
		column, descending = "CPU", true
	}
	l.table.SortBy(column, descending)
	l.form = kit.NewForm(howFields(), 220, func(in *kit.Input, _ bool) { remember(d, in); changed() })
	l.form.Set(recalled(d))
	list := container.New(kit.HeadedLayout{Gap: 8}, l.filter.Object, kit.NewPanel(l.table.Object, 1))
	l.object = container.New(&kit.WeightedLayout{Weights: []float32{1.6, 1}, Gap: 10},
		container.New(kit.FixedSize{Height: 110}, list), container.New(kit.FixedSize{Height: 110}, l.form.Object))
	return l
}

func processColumns() []kit.Column[target.Process] {
	cell := func(text func(*target.Process) string) func(*target.Process) kit.TableCell {
		return func(p *target.Process) kit.TableCell { return kit.TableCell{Text: text(p)} }
	}
	return []kit.Column[target.Process]{
		{Title: "Name", About: "The program.", Width: 90, Most: 200, Cell: cell(func(p *target.Process) string { return plain.Text(p.Name) })},
		{
			Title: "ID", About: "The process ID.", Number: true, Width: 52, Cell: cell(func(p *target.Process) string { return fmt.Sprint(p.PID) }),
			Order: func(a, b *target.Process) int { return cmp.Compare(a.PID, b.PID) },
		},
		{
			Title: "CPU", About: "Processor time so far.", Number: true, Width: 52, Largest: true,
			Cell:  cell(func(p *target.Process) string { return si.Time(p.Seconds) }),
			Order: func(a, b *target.Process) int { return cmp.Compare(a.Seconds, b.Seconds) },
		},
		{
			Title: "Threads", About: "Its threads.", Number: true, Width: 40, Largest: true, Drop: 1,
			Cell:  cell(func(p *target.Process) string { return fmt.Sprint(p.Threads) }),
			Order: func(a, b *target.Process) int { return cmp.Compare(a.Threads, b.Threads) },
		},
	}
}

// refresh lists the processes again.
func (l *processList) refresh() {
	if l.asking {
		return
	}
	l.asking = true
	watches := l.desk.Session.Watches
	l.desk.Background(func() func() {
		all, err := watches.Processes()
		return func() {
			l.asking = false
			l.all, l.failed = all, err
			l.refill()
		}
	})
}

// refill lists the processes that match the filter.
func (l *processList) refill() {
	words := l.filter.Words()
	var picked []target.Process
	for _, p := range l.all {
		of := strings.ToLower(p.Name) + " " + fmt.Sprint(p.PID)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(of, w) }) {
			picked = append(picked, p)
		}
	}
	l.table.SetItems(picked)
	l.filter.Tell(si.Counted(len(picked), "program"))
	l.changed()
}

// request returns what the list asks for; why says what is missing.
func (l *processList) request() (r app.WatchRequest, why string) {
	switch chosen := l.table.Chosen(); {
	case l.failed != nil:
		return r, plain.Capitalized(plain.Text(l.failed.Error())) + "."
	case l.form.Err() != nil:
		return r, "Correct what is marked on the left."
	case chosen == nil:
		return r, "Choose one of your programs. Assay watches its memory, GPU memory, handles and threads for leaks."
	default:
		r.PID = chosen.PID
	}
	how(&r, l.form.Values())
	return r, ""
}
