package memorypage

import (
	"fmt"
	"slices"

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

// classesView is the size classes of the pool as a heat strip and as a table, of which one class is chosen in both.
type classesView struct {
	desk    *desk.Desk
	classes []gpu.ClassStats
	chosen  int  // the size of the class; 0: none
	drawn   bool // classes are on show
	running bool // a run goes on
	cells   []chart.StripCell
	strip   *uichart.Strip
	table   *table
	all     quietButton // clears all
	object  *fyne.Container
	changed func() // after buffers were freed
}

func newClassesView(d *desk.Desk, changed func()) *classesView {
	v := &classesView{desk: d, changed: changed}
	v.strip = uichart.NewStrip(chart.StripConfig{
		Title: "Bytes held by size of buffer, live and cached; color on a square-root scale", Unit: chart.Bytes, Root: true,
		Format: bytesText[float64],
	})
	v.strip.OnChosen = v.choose
	v.strip.OnFocus = func() { kit.Reveal(v.strip) }
	d.Pace(v.strip)
	v.all = newQuietButton("Clear All", v.clearAll)
	columns := classColumns()
	v.table = newTable(columns, captions(columns, d.Hints, v.all.object), rowAction{"Clear", true, v.clearable, v.clear}, v.choose)
	v.table.cell = v.cell
	rows := kit.Edged(v.table.object, kit.AtBottom, kit.Inset(kit.NewCaption(classKeys, 1), 1, 3))
	v.object = container.New(kit.HeadedLayout{Gap: 10}, kit.NewPanel(container.New(stripLayout{v.strip}, kit.OnPanel(v.strip)), 4), rows)
	return v
}

// classKeys says what keys do to the rows.
const classKeys = "Arrow keys select a class, Return or Delete clears it."

// stripLayout gives the strip a height that grows with the text, which stands above and below its cells.
type stripLayout struct{ strip *uichart.Strip }

// MinSize is part of fyne.Layout.
func (l stripLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	l.strip.SetMinSize(fyne.NewSize(300, kit.Scaled(84)))
	return o[0].MinSize()
}

// Layout is part of fyne.Layout.
func (stripLayout) Layout(o []fyne.CanvasObject, size fyne.Size) { o[0].Resize(size) }

func classColumns() []column {
	return []column{
		{"Size", "Size of each buffer in the class; serves requests up to it.", 64, 0.4, true, 0},
		{"Live", "Buffers in use.", 42, 1, true, 0},
		{"Cached", "Buffers kept for reuse.", 48, 1, true, 0},
		{"In cache", "Bytes of cached buffers.", 66, 1, true, 1},
		{"Acquires", "Acquires of this class since the counters were reset.", 62, 1, true, 2},
		{"Reuse", "Share of acquires served from the cache.", 46, 1, true, 0},
		{"Waste", "Share of live bytes lost to rounding up.", 46, 1, true, 3},
		{"State", "Stranded: served none of the last 256 acquires, so its cached buffers go unused.", 62, 1, false, 0},
	}
}

// show shows the classes.
func (v *classesView) show(s *app.PoolState) {
	v.running = s.Running
	v.all.able(s.Stats.Cached > 0)
	if v.drawn && slices.Equal(v.classes, s.Classes) {
		return
	}
	v.classes, v.drawn = s.Classes, true
	v.cells = v.cells[:0]
	for i := range v.classes {
		v.cells = append(v.cells, stripCell(&v.classes[i]))
	}
	v.strip.SetCells(v.cells)
	at := slices.IndexFunc(v.classes, func(c gpu.ClassStats) bool { return c.Size == v.chosen })
	v.strip.Select(at)
	v.table.show(len(v.classes), at)
}

func stripCell(c *gpu.ClassStats) chart.StripCell {
	note := fmt.Sprintf("%d live, %d cached", c.Live, c.Cached)
	if c.Acquires > 0 {
		note += fmt.Sprintf(", %s of %s reused", percent(float64(c.Reuses)/float64(c.Acquires)), counted(c.Acquires, "acquire"))
	}
	if c.Stranded && c.Cached > 0 {
		note += ", stranded"
	}
	return chart.StripCell{Label: bytesText(c.Size), Value: float64(c.Size) * float64(c.Live+c.Cached), Note: note}
}

// choose marks a class in strip and table.
func (v *classesView) choose(i int) {
	if i < 0 || i >= len(v.classes) {
		return
	}
	v.chosen = v.classes[i].Size
	v.strip.Select(i)
	v.table.choose(i)
}

func (v *classesView) cell(row, at int) (string, fyne.ThemeColorName) {
	c := &v.classes[row]
	plain := theme.ColorNameForeground
	switch at {
	case 0:
		return bytesText(c.Size), plain
	case 1:
		return grouped(c.Live), plain
	case 2:
		return grouped(c.Cached), plain
	case 3:
		return bytesText(int64(c.Cached) * int64(c.Size)), plain
	case 4:
		return grouped(c.Acquires), plain
	case 5:
		return share(c.Reuses, c.Acquires)
	case 6:
		return share(int64(c.Live)*int64(c.Size)-c.LiveRequested, int64(c.Live)*int64(c.Size))
	}
	return classState(c)
}

// share is a part in percent, or a dash where there is nothing of which it is a part.
func share(part, whole int64) (string, fyne.ThemeColorName) {
	if whole == 0 {
		return si.Unknown, kit.ColorSecondary
	}
	return percent(float64(part) / float64(whole)), theme.ColorNameForeground
}

func classState(c *gpu.ClassStats) (string, fyne.ThemeColorName) {
	switch {
	case c.Stranded && c.Cached > 0:
		return "stranded", theme.ColorNameWarning
	case c.Live > 0:
		return "in use", theme.ColorNameForeground
	case c.Cached > 0:
		return "waiting", theme.ColorNameForeground
	}
	return "empty", kit.ColorSecondary
}

func (v *classesView) clearable(row int) bool { return v.classes[row].Cached > 0 }

// clear frees what a class caches.
func (v *classesView) clear(row int) {
	if row >= len(v.classes) {
		return
	}
	size := v.classes[row].Size
	pool := v.desk.Session.Pool
	v.desk.Background(func() func() {
		freed, err := pool.ClearSize(size)
		return func() { v.freed("the class of "+bytesText(size), freed, err) }
	})
}

func (v *classesView) clearAll() {
	pool := v.desk.Session.Pool
	v.desk.Background(func() func() {
		freed, err := pool.Clear()
		return func() { v.freed("the pool", freed, err) }
	})
}

// freed tells what was freed of a class or of all.
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
