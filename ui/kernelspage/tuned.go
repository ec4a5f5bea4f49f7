package kernelspage

import (
	"cmp"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
)

// tunedView shows what searches for faster kernels found: for which call and device, and whether runs use it.
type tunedView struct {
	desk  *desk.Desk
	all   []app.KeptTuning
	asked int // counts requested lists: the last one is shown

	filter  *kit.FormBar
	about   *kit.Text
	clear   *kit.Button
	send    *kit.Button // exports
	take    *kit.Button // imports
	table   *kit.Table[app.KeptTuning]
	chosen  *kit.Text
	hint    *kit.Text
	none    *kit.Text // instead of the table
	rows    *fyne.Container
	nothing fyne.CanvasObject
	object  *fyne.Container
}

func newTunedView(d *desk.Desk) *tunedView {
	v := &tunedView{desk: d, about: kit.NewBody("", 3), chosen: kit.NewCaption("", 3), hint: kit.NewCaption("", 2), none: kit.NewBody("", 4)}
	v.filter = kit.NewFormBar([]kit.Field{
		{Name: "words", Title: "Filter: any word of a call, a kernel or a device"},
		{Name: "used", Title: "Only what is used", Kind: kit.SwitchField},
	}, v.refill)
	v.clear = kit.NewButton("Remove All", v.removeShown)
	v.send = kit.NewButton("Export", d.ExportTunings)
	v.take = kit.NewButton("Import", func() { d.ImportTunings(v.list) })
	v.table = v.newTable()
	v.explain(nil)
	v.none.Align, v.none.Color = fyne.TextAlignCenter, kit.ColorSecondary
	head := kit.NewFlow(8, v.filter.Object, container.New(&kit.ToolsLayout{MinWidth: 300}, v.about, kit.Row(8, v.take, v.send, v.clear)))
	v.rows = kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtBottom, kit.Inset(kit.NewFlow(2, v.chosen, v.hint), 2, 3))
	v.nothing = kit.Middle(v.none)
	v.object = container.New(kit.HeadedLayout{Gap: 10}, head, kit.StackOf(v.rows, v.nothing))
	return v
}

func (v *tunedView) newTable() *kit.Table[app.KeptTuning] {
	t := kit.NewTable(v.columns(), 1)
	t.Key, t.OnHead = (*app.KeptTuning).ID, v.explain
	t.SortBy(v.desk.Settings.Order("tuned kernels"))
	t.OnOrdered = func(name string, descending bool) { v.desk.Settings.SetOrder("tuned kernels", name, descending) }
	t.OnItem = v.tell
	t.OnEdit = func(s fyne.Shortcut) {
		if _, ok := s.(*fyne.ShortcutCopy); ok && t.Chosen() != nil {
			v.desk.Copy("The kernel’s name was", cmp.Or(t.Chosen().Choice(), t.Chosen().Default))
		}
	}
	return t
}

type tunedColumn = kit.Column[app.KeptTuning]

func (v *tunedView) columns() []tunedColumn {
	text := func(of func(*app.KeptTuning) string) func(*app.KeptTuning) kit.TableCell {
		return func(k *app.KeptTuning) kit.TableCell { return kit.TableCell{Text: of(k), Color: kit.ColorSecondary} }
	}
	return []tunedColumn{
		{
			Title: "Call", About: "Operation, number format and sizes: it is used for exactly these.",
			Cell: func(k *app.KeptTuning) kit.TableCell { return kit.TableCell{Text: k.Call()} },
		},
		{Title: "Choice", About: "The kernel that beat the default, with its tunables.", Cell: text(choice)},
		{
			Title: "Faster", About: "How much faster it was than the default when it was confirmed.", Number: true,
			Cell: text(func(k *app.KeptTuning) string {
				if !k.Kept() {
					return ""
				}
				return si.Ratio(k.Gain.Median)
			}),
			Order: func(a, b *app.KeptTuning) int { return cmp.Compare(a.Gain.Median, b.Gain.Median) },
		},
		{Title: "State", About: "Whether runs with tuned kernels use it; choose one to see why not.", Shaped: true, Always: true, Cell: tunedState},
		{Title: "Device", About: "What it was measured on.", Cell: text(func(k *app.KeptTuning) string { return k.On.Device }), Drop: 2},
		{
			Title: "Found", About: "When the search ended.", Number: true, Largest: true, Drop: 1,
			Cell:  text(func(k *app.KeptTuning) string { return k.At.Local().Format(time.DateOnly) }),
			Order: func(a, b *app.KeptTuning) int { return a.At.Compare(b.At) },
		},
		{Action: &kit.Action[app.KeptTuning]{Name: "Remove", Do: func(k *app.KeptTuning) { v.remove([]string{k.ID()}) }}},
	}
}

// choice is the kernel to use, in a cell.
func choice(k *app.KeptTuning) string {
	if !k.Kept() {
		return "the default"
	}
	return strings.TrimPrefix(k.Choice(), k.Op+"/")
}

func tunedState(k *app.KeptTuning) kit.TableCell {
	switch {
	case k.Unused != "":
		return kit.TableCell{Text: "Not used", Icon: theme.NewWarningThemedResource(theme.WarningIcon())}
	case !k.Kept():
		return kit.TableCell{Text: "Default kept", Color: kit.ColorSecondary}
	}
	return kit.TableCell{Text: "Used", Icon: theme.NewSuccessThemedResource(theme.ConfirmIcon())}
}

// tell shows details of an entry that are not in its row.
func (v *tunedView) tell(k *app.KeptTuning) {
	words := k.Call() + ": "
	if k.Kept() {
		words += k.Choice() + ", " + k.Gain.String() + " faster than " + k.Default
	} else {
		words += "no candidate beats " + k.Default
	}
	words += "; " + si.Counted(k.Candidates, "candidate") + ", operands from " + cmp.Or(k.Operands, "memory") + "."
	if k.Unused != "" {
		words += " " + plain.Capitalized(k.Unused) + "."
	}
	v.chosen.Set(words)
	v.object.Refresh() // it may need another line
}

// explain explains the column under the pointer or the keyboard focus.
func (v *tunedView) explain(c *tunedColumn) {
	if c != nil && c.About != "" {
		v.hint.Set(c.Title + ": " + c.About)
		return
	}
	v.hint.Set("The workload Tuning finds them. With Settings, Kernels: Tuned, the next runs use them.")
}

// update lists again after a search, and when the engines may have changed.
func (v *tunedView) update(c desk.Change) {
	if v.object.Visible() && c.Has(desk.ChangedEngines|desk.ChangedChoice|desk.ChangedRun) {
		v.list()
	}
}

// list reads what is kept, and shows it.
func (v *tunedView) list() {
	v.after(func(desk.TuningsService) error { return nil })
}

// after changes what is kept, and shows the result.
func (v *tunedView) after(do func(desk.TuningsService) error) {
	v.asked++
	asked, service := v.asked, v.desk.Session.Tunings
	v.desk.Background(func() func() {
		refused := do(service)
		all, err := service.List() // this may open engines
		return func() {
			if asked != v.asked {
				return
			}
			v.show(all, cmp.Or(refused, err))
		}
	})
}

func (v *tunedView) show(all []app.KeptTuning, err error) {
	v.all = all
	used := 0
	for i := range all {
		if all[i].Kept() && all[i].Unused == "" {
			used++
		}
	}
	v.none.Set("No search has found anything yet. Run the workload Tuning.")
	v.about.SetColored(si.Counted(len(all), "call")+" tuned; runs use "+si.Count(used)+" on this machine.", kit.ColorSecondary)
	if err != nil {
		v.about.SetColored(plain.Capitalized(err.Error())+".", theme.ColorNameError)
	}
	v.refill()
}

// refill lists the entries that match the filter.
func (v *tunedView) refill() {
	words := v.filter.Words()
	var picked []app.KeptTuning
	for i := range v.all {
		k := &v.all[i]
		text := strings.ToLower(strings.Join([]string{k.Call(), k.Choice(), k.Default, k.On.Device, k.Unused}, "\n"))
		if has(text, words) && (!v.filter.On("used") || k.Unused == "" && k.Kept()) {
			picked = append(picked, *k)
		}
	}
	v.table.SetItems(picked)
	if v.chosen.Set(""); v.table.Chosen() != nil {
		v.tell(v.table.Chosen())
	}
	if len(v.all) > 0 && len(picked) == 0 {
		v.none.Set("Nothing matches. Clear the filter to see all.")
	}
	kit.Show(v.rows, len(picked) > 0)
	kit.Show(v.nothing, len(picked) == 0)
	kit.Show(v.clear, len(picked) > 0)
	kit.Show(v.send, len(v.all) > 0)
	name, told := "Remove All", si.Counted(len(v.all), "call")
	if len(picked) != len(v.all) {
		name, told = "Remove Shown", si.Count(len(picked))+" of "+told
	}
	v.clear.SetText(name)
	v.filter.Tell(told)
	v.object.Refresh()
}

// has reports whether a text has all words.
func has(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// removeShown asks, and then removes what matches the filter.
func (v *tunedView) removeShown() {
	var ids []string
	for row := range v.table.Rows() {
		k := v.table.Item(row)
		ids = append(ids, k.ID())
	}
	v.desk.Ask("Removes what was found for "+si.Counted(len(ids), "call")+". Runs use the defaults again until a new search. This cannot be undone.",
		v.clear.Text, func() { v.remove(ids) })
}

func (v *tunedView) remove(ids []string) {
	v.after(func(s desk.TuningsService) error {
		_, err := s.Clear(ids)
		return err
	})
}
