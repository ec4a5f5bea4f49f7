package memorypage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
)

// logView shows the newest part of what the pool did in the run in progress, or in the last one.
type logView struct {
	desk    *desk.Desk
	table   *kit.Table[logRow]
	note    *kit.Text
	hint    *kit.Text
	nothing *fyne.Container // where the rows would be
	object  *fyne.Container
	runID   string // as last shown
	total   int64
}

// logRow is a row of the log and its number in the run.
type logRow struct {
	bundle.PoolRow
	number int
}

// newLogView builds the log view; what is the control for what is logged.
func newLogView(d *desk.Desk, what fyne.CanvasObject) *logView {
	v := &logView{desk: d, note: kit.NewCaption("", 3), hint: kit.NewCaption("", 1)}
	v.table = kit.NewTable(logColumns(), 1)
	v.table.Key, v.table.Live = func(r *logRow) string { return strconv.Itoa(r.number) }, true
	v.table.SortBy("Time", true)
	v.table.OnHead = v.explain
	v.nothing = container.NewCenter(kit.NewCaption("Nothing allocated yet.", 1).Whole())
	rows := kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtBottom, kit.Inset(v.hint, 2, 3))
	head := kit.NewFlow(6, what, v.note)
	v.object = container.New(kit.HeadedLayout{Gap: 8}, head, container.NewStack(rows, v.nothing))
	v.explain(nil)
	return v
}

// explain explains the column under the pointer or the keyboard focus.
func (v *logView) explain(c *logColumn) {
	if c != nil && c.About != "" {
		v.hint.Set(c.Title + ": " + c.About)
		return
	}
	v.hint.Set("Click a header to sort; hover for help.")
}

type logColumn = kit.Column[logRow]

// opTitle is an operation in words.
func opTitle(op bundle.PoolOp) string {
	switch op {
	case bundle.PoolAllocated:
		return "Allocated"
	case bundle.PoolFreed:
		return "Freed"
	case bundle.PoolAcquired:
		return "Acquired"
	case bundle.PoolReleased:
		return "Released"
	}
	return string(op)
}

func logColumns() []logColumn {
	number := func(title, about string, width float32, drop int, of func(*logRow) int64, text func(int64) string) logColumn {
		return logColumn{
			Title: title, About: about, Number: true, Largest: true, Width: width, Drop: drop,
			Order: func(a, b *logRow) int { return cmp.Compare(of(a), of(b)) },
			Cell: func(r *logRow) kit.TableCell {
				if of(r) == 0 {
					return kit.TableCell{}
				}
				return kit.TableCell{Text: text(of(r))}
			},
		}
	}
	return []logColumn{
		{
			Title: "Time", About: "When it happened; of several, the first.", Width: 92, Largest: true,
			Order: func(a, b *logRow) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.number, b.number)) },
			Cell:  func(r *logRow) kit.TableCell { return kit.TableCell{Text: r.Time.Format("15:04:05.000")} },
		},
		{
			Title: "Operation", About: "Allocated and freed by the engine; acquired and released by the run.", Width: 84,
			Order: func(a, b *logRow) int { return cmp.Compare(a.Op, b.Op) },
			Cell:  func(r *logRow) kit.TableCell { return kit.TableCell{Text: opTitle(r.Op)} },
		},
		number("Size", "Bytes of the buffer; empty: of several sizes.", 76, 0, func(r *logRow) int64 { return r.Size }, bytesText[int64]),
		number("Requested", "Bytes requested.", 76, 2, func(r *logRow) int64 { return r.Requested }, bytesText[int64]),
		{
			Title: "Label", About: "The buffer’s name.", Width: 140, Min: 90, Rank: 1, Most: 300,
			Cell: func(r *logRow) kit.TableCell { return kit.TableCell{Text: r.Label} },
		},
		{
			Title: "Case", About: "The case of the run at that time; empty: none.", Width: 160, Min: 80, Rank: 2, Most: 400, Drop: 1,
			Cell: func(r *logRow) kit.TableCell { return kit.TableCell{Text: r.Case, Color: kit.ColorSecondary} },
		},
		number("Buffer", "Its number in the pool; empty: several.", 60, 3, func(r *logRow) int64 { return int64(r.Buffer) }, grouped[int64]),
		number("Count", "How many the row sums up.", 60, 4, func(r *logRow) int64 { return r.Count }, grouped[int64]),
	}
}

// show shows the log, if it has grown.
func (v *logView) show() {
	log, _ := v.desk.Session.Pool.Log()
	kit.Show(v.nothing, len(log.Rows) == 0)
	v.note.Set(logNote(&log))
	if log.RunID == v.runID && log.Total == v.total {
		return
	}
	v.runID, v.total = log.RunID, log.Total
	rows := make([]logRow, len(log.Rows))
	for i, r := range log.Rows {
		rows[i] = logRow{r, log.First + i}
	}
	slices.Reverse(rows)
	v.table.SetItems(rows)
}

// logNote says whose log it is, and where the rest is.
func logNote(log *app.PoolLog) string {
	if len(log.Rows) == 0 {
		return "Each buffer that a run allocates or frees is logged here."
	}
	words := fmt.Sprintf("%s logged in the run %s", counted(int(log.Total), "operation"), log.RunID)
	if log.Total > int64(len(log.Rows)) {
		words += fmt.Sprintf("; the newest %s here", counted(len(log.Rows), "row"))
	}
	switch {
	case log.Dir == "":
		words += "; the others are not available, as the run has no folder"
	default:
		words += "; all in pool.csv of the run’s folder"
	}
	return words + "."
}
