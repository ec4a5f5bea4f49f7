package resultspage

import (
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// BenchmarkManyRows does what a user does to a table of 10,000 rows.
func BenchmarkManyRows(b *testing.B) {
	s := open(b, kit.AlwaysDark, uitest.Usual)
	run, other := manyRun(10_000), manyRun(10_000)
	other.Meta.ID = "other"
	s.Desk.ShowRun(run)
	step := func(name string, f func(i int)) {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				f(i)
			}
		})
	}
	step("open", func(i int) {
		if i%2 == 0 {
			s.Desk.ShowRun(other)
		} else {
			s.Desk.ShowRun(run)
		}
	})
	step("scroll a page", func(i int) { s.table.ShowRow(i * 24 % 10_000) })
	step("choose a row", func(i int) { s.table.Choose(i * 7 % 10_000) })
	for i, c := range s.table.shown {
		step("sort by "+c.Title, func(int) { s.table.OnSorted(i) })
	}
	s.filter.Inputs[0].Entry.SetText("f32")
	step("filter", func(i int) { s.filter.Inputs[0].Entry.SetText([]string{"matmul 12", "verified 99"}[i%2]) })
	step("hidden tick", func(int) { s.update(0) })
	s.table.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
}
