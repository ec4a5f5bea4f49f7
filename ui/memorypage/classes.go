package memorypage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/si"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
)

// classesView shows the size classes of the pool as a heat strip and as a table; both mark the same chosen class.
type classesView struct {
	desk    *desk.Desk
	classes []gpu.ClassStats
	drawn   bool // classes are visible
	running bool // a run is in progress
	cells   []chart.StripCell
	strip   *uichart.Strip
	table   *kit.Table[gpu.ClassStats]
	hint    *kit.Text
	all     *kit.Button // clears all
	object  *fyne.Container
	changed func() // after buffers were freed
}

func newClassesView(d *desk.Desk, changed func()) *classesView {
	v := &classesView{desk: d, changed: changed, hint: kit.NewCaption("", 2)}
	v.strip = uichart.NewStrip(chart.StripConfig{
		Title: "Bytes held by size of buffer, live and cached; color on a square-root scale", Unit: chart.Bytes, Root: true,
		Format: bytesText[float64],
	})
	v.strip.OnChosen = v.choose
	v.strip.OnFocus = func() { kit.Reveal(v.strip) }
	d.Pace(v.strip)
	v.table = v.newTable()
	v.all = kit.NewButton("Clear All", v.clearAll)
	below := container.New(&kit.ToolsLayout{MinWidth: 300}, kit.Middle(v.hint), v.all)
	rows := kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtBottom, kit.Inset(below, 2, 3))
	v.object = container.New(kit.HeadedLayout{Gap: 10}, kit.NewPanel(container.New(stripLayout{v.strip}, kit.OnPanel(v.strip)), 4), rows)
	v.explain(nil)
	return v
}

// newTable makes the table.
func (v *classesView) newTable() *kit.Table[gpu.ClassStats] {
	t := kit.NewTable(v.columns(), 1)
	t.Key, t.Live = func(c *gpu.ClassStats) string { return strconv.Itoa(c.Size) }, true
	t.OnItem = func(*gpu.ClassStats) { v.strip.Select(v.chosen()) }
	t.OnHead = v.explain
	t.OnKey = func(e *fyne.KeyEvent) {
		if (e.Name == fyne.KeyDelete || e.Name == fyne.KeyBackspace) && !t.Repeats() { // Macs call one key by the other's name
			t.Act()
		}
	}
	return t
}

// explain explains the column under the pointer or the keyboard focus.
func (v *classesView) explain(c *classColumn) {
	if c != nil && c.About != "" {
		v.hint.Set(c.Title + ": " + c.About)
		return
	}
	v.hint.Set("Click a header to sort; hover for help. Arrow keys select a class, Return or Delete clears it.")
}

// stripLayout gives the strip a height that grows with the text above and below its cells.
type stripLayout struct{ strip *uichart.Strip }

// MinSize is part of fyne.Layout.
func (l stripLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	l.strip.SetMinSize(fyne.NewSize(300, kit.Scaled(84)))
	return o[0].MinSize()
}

// Layout is part of fyne.Layout.
func (stripLayout) Layout(o []fyne.CanvasObject, size fyne.Size) { o[0].Resize(size) }

// classColumn is one column of the table.
type classColumn = kit.Column[gpu.ClassStats]

func (v *classesView) columns() []classColumn {
	cached := func(c *gpu.ClassStats) int64 { return int64(c.Cached) * int64(c.Size) }
	return []classColumn{
		count("Size", "Size of each buffer in the class; serves requests up to it.", 58, 0,
			func(c *gpu.ClassStats) int64 { return int64(c.Size) }, classText),
		count("Live", "Buffers in use.", 42, 0, func(c *gpu.ClassStats) int64 { return int64(c.Live) }, grouped[int64]),
		count("Cached", "Buffers kept for reuse.", 48, 0, func(c *gpu.ClassStats) int64 { return int64(c.Cached) }, grouped[int64]),
		count("In cache", "Bytes of cached buffers.", 58, 1, cached, bytesText[int64]),
		count("Acquires", "Acquires of this class since the counters were reset.", 62, 2,
			func(c *gpu.ClassStats) int64 { return c.Acquires }, grouped[int64]),
		portion("Reuse", "Share of acquires served from the cache.", 0,
			func(c *gpu.ClassStats) (part, whole int64) { return c.Reuses, c.Acquires }),
		portion("Waste", "Share of live bytes lost to rounding up.", 3,
			func(c *gpu.ClassStats) (part, whole int64) { return liveBytes(c) - c.LiveRequested, liveBytes(c) }),
		{
			Title: "State", About: "Stranded: served none of the last 256 acquires, so its cached buffers go unused.", Width: 60, Cell: classState,
		},
		{Action: &kit.Action[gpu.ClassStats]{Name: "Clear", Able: func(c *gpu.ClassStats) bool { return c.Cached > 0 }, Do: v.clear}},
	}
}

func liveBytes(c *gpu.ClassStats) int64 { return int64(c.Live) * int64(c.Size) }

// count is a column of a number.
func count(title, about string, width float32, drop int, of func(*gpu.ClassStats) int64, text func(int64) string) classColumn {
	return classColumn{
		Title: title, About: about, Number: true, Width: width, Drop: drop,
		Cell:  func(c *gpu.ClassStats) kit.TableCell { return kit.TableCell{Text: text(of(c))} },
		Order: func(a, b *gpu.ClassStats) int { return cmp.Compare(of(a), of(b)) },
	}
}

// portion is a column of a part in percent; a dash if there is nothing that it is a part of.
func portion(title, about string, drop int, of func(*gpu.ClassStats) (part, whole int64)) classColumn {
	ratio := func(c *gpu.ClassStats) float64 {
		part, whole := of(c)
		return float64(part) / float64(whole)
	}
	return classColumn{
		Title: title, About: about, Number: true, Width: 46, Drop: drop,
		Cell: func(c *gpu.ClassStats) kit.TableCell {
			if _, whole := of(c); whole == 0 {
				return kit.TableCell{Text: si.Unknown, Color: kit.ColorSecondary}
			}
			return kit.TableCell{Text: percent(ratio(c))}
		},
		Order: func(a, b *gpu.ClassStats) int { return cmp.Compare(ratio(a), ratio(b)) }, // nothing of nothing sorts lowest
	}
}

// show shows the classes.
func (v *classesView) show(s *app.PoolState) {
	v.running = s.Running
	kit.Able(v.all, s.Stats.Cached > 0)
	if v.drawn && slices.Equal(v.classes, s.Classes) {
		return
	}
	v.classes, v.drawn = s.Classes, true
	v.cells = v.cells[:0]
	for i := range v.classes {
		v.cells = append(v.cells, stripCell(&v.classes[i]))
	}
	v.strip.SetCells(v.cells)
	v.table.SetItems(v.classes)
	v.strip.Select(v.chosen())
}

// chosen returns the index of the chosen class in the strip; -1: none.
func (v *classesView) chosen() int {
	c := v.table.Chosen()
	if c == nil {
		return -1
	}
	return slices.IndexFunc(v.classes, func(o gpu.ClassStats) bool { return o.Size == c.Size })
}

func stripCell(c *gpu.ClassStats) chart.StripCell {
	note := fmt.Sprintf("%d live, %d cached", c.Live, c.Cached)
	if c.Acquires > 0 {
		note += fmt.Sprintf(", %s of %s reused", percent(float64(c.Reuses)/float64(c.Acquires)), counted(c.Acquires, "acquire"))
	}
	if c.Stranded && c.Cached > 0 {
		note += ", stranded"
	}
	return chart.StripCell{Label: classText(int64(c.Size)), Value: float64(c.Size) * float64(c.Live+c.Cached), Note: note}
}

// choose marks a class in strip and table.
func (v *classesView) choose(i int) {
	if i < 0 || i >= len(v.classes) {
		return
	}
	v.table.SetChosen(v.table.Key(&v.classes[i]))
	v.strip.Select(i)
}

func classState(c *gpu.ClassStats) kit.TableCell {
	switch {
	case c.Stranded && c.Cached > 0:
		return kit.TableCell{Text: "stranded", Color: theme.ColorNameWarning}
	case c.Live > 0:
		return kit.TableCell{Text: "in use"}
	case c.Cached > 0:
		return kit.TableCell{Text: "waiting"}
	}
	return kit.TableCell{Text: "empty", Color: kit.ColorSecondary}
}

// clear frees what a class caches.
func (v *classesView) clear(c *gpu.ClassStats) {
	size := c.Size
	pool := v.desk.Session.Pool
	v.desk.Background(func() func() {
		freed, err := pool.ClearSize(size)
		return func() { v.freed("the class of "+classText(int64(size)), freed, err) }
	})
}

func (v *classesView) clearAll() {
	pool := v.desk.Session.Pool
	v.desk.Background(func() func() {
		freed, err := pool.Clear()
		return func() { v.freed("the pool", freed, err) }
	})
}

// freed reports what was freed of a class or of all.
func (v *classesView) freed(of string, f gpu.Freed, err error) {
	if err != nil {
		v.desk.Fail("Cannot clear "+of, err)
	} else {
		v.desk.Say(fmt.Sprintf("Cleared %s: %s%s.", of, freedText(f), noted(v.running)))
	}
	v.changed()
}

// freedText says what was freed.
func freedText(f gpu.Freed) string {
	if f.Buffers == 0 {
		return "nothing was cached"
	}
	return fmt.Sprintf("%s freed, %s", counted(f.Buffers, "buffer"), bytesText(f.Bytes))
}
