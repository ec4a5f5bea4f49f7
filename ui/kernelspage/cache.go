package kernelspage

import (
	"cmp"
	"context"
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
	"assay/ui/view"
)

// cacheView shows the compiled kernels that an engine keeps on disk: how many and where, how useful they were, and each one.
type cacheView struct {
	desk     *desk.Desk
	cache    app.KernelCache // as last listed
	verified bool            // with the content of each entry
	asked    int             // counts requested lists: the last one is shown

	filter  *kit.FormBar
	about   *kit.Text // where the entries are, or why there is no cache
	session *kit.Text // hits and misses
	outcome *kit.Text // of the last action
	verify  *kit.Button
	clear   *kit.Button
	table   *kit.Table[app.CachedKernel]
	chosen  *kit.Text // of the chosen entry
	hint    *kit.Text
	none    *kit.Text // instead of the table
	rows    *fyne.Container
	nothing fyne.CanvasObject
	object  *fyne.Container
}

func newCacheView(d *desk.Desk) *cacheView {
	v := &cacheView{
		desk: d, about: kit.NewBody("", 3), session: kit.NewBody("", 2), outcome: kit.NewBody("", 3),
		chosen: kit.NewCaption("", 3),
		hint:   kit.NewCaption("", 1), none: kit.NewBody("", 4),
	}
	v.filter = kit.NewFormBar([]kit.Field{
		{Name: "words", Title: "Filter: any word of a name, a device, a system or a state"},
		{Name: "engine", Title: "Next engine", Kind: kit.ChoiceField},
	}, v.refilter)
	v.verify = kit.NewButton("Verify", func() { v.list(true) })
	v.clear = kit.NewButton("Remove All", v.removeShown)
	v.table = v.newTable()
	v.explain(nil)
	v.none.Align, v.none.Color = fyne.TextAlignCenter, kit.ColorSecondary
	tools := kit.Row(8, v.verify, v.clear)
	words := kit.NewFlow(3, v.about, v.session, v.outcome)
	head := kit.NewFlow(8, v.filter.Object, container.New(&kit.ToolsLayout{MinWidth: 300}, words, tools))
	v.rows = kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtBottom, kit.Inset(kit.NewFlow(2, v.chosen, v.hint), 2, 3))
	v.nothing = kit.Middle(v.none)
	v.object = container.New(kit.HeadedLayout{Gap: 10}, head, kit.StackOf(v.rows, v.nothing))
	return v
}

// newTable makes the table of entries, sorted by name.
func (v *cacheView) newTable() *kit.Table[app.CachedKernel] {
	t := kit.NewTable(v.columns(), 1)
	t.Key, t.OnHead = func(k *app.CachedKernel) string { return k.ID }, v.explain
	t.SortBy(v.desk.Settings.Order("kernel cache"))
	t.OnOrdered = func(name string, descending bool) { v.desk.Settings.SetOrder("kernel cache", name, descending) }
	t.OnItem = func(k *app.CachedKernel) { v.tell(k) }
	t.OnEdit = func(s fyne.Shortcut) {
		if _, ok := s.(*fyne.ShortcutCopy); ok && t.Chosen() != nil {
			v.desk.Copy("The kernel’s name was", t.Chosen().Name())
		}
	}
	return t
}

type cacheColumn = kit.Column[app.CachedKernel]

func (v *cacheView) columns() []cacheColumn {
	text := func(of func(*app.CachedKernel) string) func(*app.CachedKernel) kit.TableCell {
		return func(k *app.CachedKernel) kit.TableCell { return kit.TableCell{Text: of(k), Color: kit.ColorSecondary} }
	}
	return []cacheColumn{
		{
			Title: "Kernel", About: "The entry point.",
			Cell: func(k *app.CachedKernel) kit.TableCell { return kit.TableCell{Text: cmp.Or(k.Kernel, "Not known")} },
		},
		{Title: "Constants", About: "Values of its constants that differ from the defaults.", Cell: text(func(k *app.CachedKernel) string { return k.Constants }), Drop: 3},
		{Title: "State", About: "Whether the engine will load it. Verify reads each; choose one to see why not.", Shaped: true, Always: true, Cell: v.state},
		{Title: "Device", About: "What it was compiled for.", Cell: text(func(k *app.CachedKernel) string { return k.Device }), Drop: 1},
		{Title: "System", About: "What compiled it: a build of the system, or a compiler.", Cell: text(func(k *app.CachedKernel) string { return k.System }), Drop: 2},
		{
			Title: "Age", About: "Time since it was stored.", Number: true, Largest: true,
			Cell:  text(func(k *app.CachedKernel) string { return k.Age(time.Now()) }),
			Order: func(a, b *app.CachedKernel) int { return b.Stored.Compare(a.Stored) },
		},
		{
			Title: "Size", About: "Bytes on disk, including files kept beside it.", Number: true, Largest: true,
			Cell:  text(func(k *app.CachedKernel) string { return view.Quantity(float64(k.Bytes), "B") }),
			Order: func(a, b *app.CachedKernel) int { return cmp.Compare(a.Bytes, b.Bytes) },
		},
		{
			Title: "Cold", About: "How long compiling it from source took when it was stored.", Number: true, Largest: true,
			Cell:  text(func(k *app.CachedKernel) string { return seconds(k.Cold) }),
			Order: func(a, b *app.CachedKernel) int { return cmp.Compare(a.Cold, b.Cold) },
		},
		{
			Title: "Warm", About: "How long loading it from the cache took, most recently since the engine was opened.", Number: true, Largest: true,
			Cell:  text(func(k *app.CachedKernel) string { return seconds(k.Warm) }),
			Order: func(a, b *app.CachedKernel) int { return cmp.Compare(a.Warm, b.Warm) },
		},
		{Action: &kit.Action[app.CachedKernel]{Name: "Remove", Do: func(k *app.CachedKernel) { v.remove([]string{k.ID}) }}},
	}
}

// seconds is a time in a cell; empty: unknown.
func seconds(s float64) string {
	if s == 0 {
		return ""
	}
	return view.Quantity(s, "s")
}

// state is the cell with the state of an entry.
func (v *cacheView) state(k *app.CachedKernel) kit.TableCell {
	switch {
	case k.Fault != "":
		return kit.TableCell{Text: "Not loaded", Icon: theme.NewWarningThemedResource(theme.WarningIcon())}
	case v.verified:
		return kit.TableCell{Text: "Verified", Icon: theme.NewSuccessThemedResource(theme.ConfirmIcon())}
	}
	return kit.TableCell{Text: "Not verified", Color: kit.ColorSecondary}
}

// tell shows details of the chosen entry that are not in its row.
func (v *cacheView) tell(k *app.CachedKernel) {
	words := k.Name() + ": " + cmp.Or(k.Device, "device not known") + ", " + cmp.Or(k.System, "system not known") + "."
	if k.Fault != "" {
		words += " It will not be loaded: " + k.Fault + "."
	}
	v.chosen.Set(words)
}

// explain explains the column under the pointer or the keyboard focus.
func (v *cacheView) explain(c *cacheColumn) {
	if c != nil && c.About != "" {
		v.hint.Set(c.Title + ": " + c.About)
		return
	}
	v.hint.Set("Removed kernels are compiled again when needed. To time each: Compile time, preset All kernels.")
}

// update lists again after something that may have changed the cache.
func (v *cacheView) update(c desk.Change) {
	if c.Has(desk.ChangedEngines) {
		v.filter.Offer("engine", availableEngines(v.desk))
	}
	if v.object.Visible() && c.Has(desk.ChangedEngines|desk.ChangedChoice|desk.ChangedRun) {
		v.list(false)
	}
}

// refilter applies the filter, which may name another engine.
func (v *cacheView) refilter() {
	if name := engineOf(v.desk, v.filter); name != v.cache.Engine {
		v.outcome.Set("")
		v.list(false)
	}
	v.refill()
}

// list asks the engine for its cache, and shows it.
func (v *cacheView) list(verify bool) {
	name := engineOf(v.desk, v.filter)
	if name == "" {
		v.fail("The engines are still being looked for.")
		return
	}
	v.asked++
	asked, kernels, life := v.asked, v.desk.Session.Kernels, v.desk.Life()
	v.desk.Background(func() func() {
		cache, err := listed(life, kernels, name, verify) // this may open it
		return func() {
			if asked == v.asked {
				v.take(cache, err, verify)
			}
		}
	})
}

func listed(ctx context.Context, k desk.KernelService, engine string, verify bool) (app.KernelCache, error) {
	if verify {
		return k.VerifyCache(ctx, engine)
	}
	return k.Cache(engine)
}

// take shows what was listed.
func (v *cacheView) take(c app.KernelCache, err error, verified bool) {
	v.cache, v.verified = c, verified
	switch {
	case err != nil:
		v.fail("The cache cannot be read: " + err.Error() + ".")
		return
	case c.Missing != "":
		v.fail("Not available: " + c.Missing + ".")
		return
	case len(c.Entries) == 0:
		v.none.Set("No compiled kernels on disk. A kernel is kept when it was compiled from source.")
	}
	if verified {
		v.tellVerified()
	}
	v.about.Set(c.Title + " keeps " + counted(len(c.Entries), c.Bytes) + " in " + c.Folder + ". " + c.Kept)
	v.session.SetColored(sessionText(c.Session), kit.ColorSecondary)
	v.refill()
}

// tellVerified says how many of the entries will be loaded.
func (v *cacheView) tellVerified() {
	if bad := len(v.cache.Faulty()); bad > 0 {
		v.outcome.SetColored("Verified: "+si.Count(bad)+" of "+si.Count(len(v.cache.Entries))+" will not be loaded. The rest are whole.", theme.ColorNameWarning)
		return
	}
	v.outcome.SetColored("Verified: the content of each matches its checksum.", theme.ColorNameSuccess)
}

func counted(n int, bytes int64) string {
	return si.Counted(n, "compiled kernel") + ", " + view.Quantity(float64(bytes), "B") + ","
}

// sessionText says how much this session used the cache.
func sessionText(u app.CacheUse) string {
	if u == (app.CacheUse{}) {
		return "No kernel was needed since the engine was opened."
	}
	words := "Since the engine was opened: " + si.Counted(u.Hits, "hit") + ", " + misses(u.Misses) + "."
	if u.BuiltIn > 0 {
		words += " " + si.Counted(u.BuiltIn, "kernel") + " built in, for which it was not asked."
	}
	return words
}

func misses(n int) string {
	if n == 1 {
		return "1 miss, compiled from source"
	}
	return si.Count(n) + " misses, compiled from source"
}

// fail shows why there is nothing to list.
func (v *cacheView) fail(why string) {
	v.cache.Entries = nil
	v.about.Set("")
	v.session.Set("")
	v.outcome.Set("")
	v.none.Set(why)
	v.refill()
}

// refill lists the entries that match the filter.
func (v *cacheView) refill() {
	words := v.filter.Words()
	var picked []app.CachedKernel
	for i := range v.cache.Entries {
		if k := &v.cache.Entries[i]; matches(k, words) {
			picked = append(picked, *k)
		}
	}
	v.table.SetItems(picked)
	if v.chosen.Set(""); v.table.Chosen() != nil {
		v.tell(v.table.Chosen())
	}
	all := len(v.cache.Entries)
	if all > 0 && len(picked) == 0 {
		v.none.Set("No compiled kernel matches. Clear the filter to see them all.")
	}
	kit.Show(v.rows, len(picked) > 0)
	kit.Show(v.nothing, len(picked) == 0)
	kit.Show(v.verify, all > 0)
	kit.Show(v.clear, len(picked) > 0)
	name, told := "Remove All", si.Counted(all, "kernel")
	if len(picked) != all {
		name, told = "Remove Shown", si.Count(len(picked))+" of "+told
	}
	v.clear.SetText(name)
	v.filter.Tell(told)
	v.object.Refresh()
}

func matches(k *app.CachedKernel, words []string) bool {
	text := strings.ToLower(strings.Join([]string{k.Name(), k.Device, k.System, k.Fault}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// removeShown asks, and then removes the entries that match the filter; they would have to be compiled again.
func (v *cacheView) removeShown() {
	var ids []string
	for row := range v.table.Rows() {
		ids = append(ids, v.table.Item(row).ID)
	}
	v.desk.Ask("Removes "+si.Counted(len(ids), "compiled kernel")+" from disk. Each is compiled again when it is next used. This cannot be undone.",
		v.clear.Text, func() { v.remove(ids) })
}

// remove removes entries, and shows what is left.
func (v *cacheView) remove(ids []string) {
	v.asked++
	asked, kernels, engine := v.asked, v.desk.Session.Kernels, v.cache.Engine
	v.desk.Background(func() func() {
		freed, refused := kernels.ClearCache(engine, ids)
		left, err := kernels.Cache(engine)
		return func() {
			if asked != v.asked {
				return
			}
			v.take(left, err, false)
			v.outcome.SetColored(si.Counted(freed.Kernels, "compiled kernel")+" removed, "+view.Quantity(float64(freed.Bytes), "B")+".", kit.ColorSecondary)
			if refused != nil {
				v.outcome.SetColored(plain.Capitalized(refused.Error())+".", theme.ColorNameError)
			}
			v.object.Refresh()
		}
	})
}
