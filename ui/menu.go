package ui

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"assay/app"
	"assay/app/report"
	"assay/ui/desk"
	"assay/ui/kit"
)

// menu is the window's menu with its shortcuts.
type menu struct {
	main      *fyne.MainMenu
	run, stop *fyne.MenuItem
	capture   *fyne.MenuItem
	exports   []*fyne.MenuItem // one per format
	looks     map[kit.Appearance]*fyne.MenuItem
	redraw    func() // after a change of what is enabled or ticked
}

// newMenu builds the menu. On macOS, Fyne moves items called exactly "About" and "Settings…" to the application menu,
// which already has Quit, and puts "Help" last; and what is not in a menu there, such as Copy, is hard to find.
func newMenu(d *window, mac bool) *menu {
	m := &menu{looks: map[kit.Appearance]*fyne.MenuItem{}}
	menus := []*fyne.Menu{m.file(d, mac)}
	if mac {
		menus = append(menus, m.edit(d))
	}
	m.main = fyne.NewMainMenu(append(menus, m.running(d), m.view(d), m.help(d))...)
	m.redraw = m.main.Refresh
	if mac {
		// AppKit asks for the state of an item when it shows it. Rebuilding the menu would add a separator to the
		// application menu each time, and leave About without the app's name.
		m.redraw = func() {}
	}
	m.mark(d.Settings.Appearance())
	return m
}

func (m *menu) file(d *window, mac bool) *fyne.Menu {
	list := []*fyne.MenuItem{item("Open…", fyne.KeyO, d.chooseDocument), fyne.NewMenuItemSeparator()}
	for i, f := range report.Formats() {
		key := fyne.KeyName("")
		if i == 0 {
			key = fyne.KeyE
		}
		m.exports = append(m.exports, item("Export "+f.Title+"…", key, func() { d.export(f) }))
	}
	list = append(append(list, m.exports...), fyne.NewMenuItemSeparator(),
		item("Settings…", fyne.KeyComma, func() { d.goTo(d.pageNamed(pageSettings)) }), fyne.NewMenuItemSeparator(),
		item("Close", fyne.KeyW, d.quit))
	if !mac {
		quit := item("Quit", fyne.KeyQ, d.quit)
		quit.IsQuit = true
		list = append(list, quit)
	}
	return fyne.NewMenu("File", list...)
}

// edit is the Edit menu, for the focused entry.
func (m *menu) edit(d *window) *fyne.Menu {
	board := d.App.Clipboard()
	pass := func(title string, s fyne.Shortcut) *fyne.MenuItem {
		i := fyne.NewMenuItem(title, func() { d.pass(s) })
		i.Shortcut = s
		return i
	}
	return fyne.NewMenu("Edit",
		pass("Undo", &fyne.ShortcutUndo{}), pass("Redo", &fyne.ShortcutRedo{}), fyne.NewMenuItemSeparator(),
		pass("Cut", &fyne.ShortcutCut{Clipboard: board}), pass("Copy", &fyne.ShortcutCopy{Clipboard: board}),
		pass("Paste", &fyne.ShortcutPaste{Clipboard: board}), pass("Select All", &fyne.ShortcutSelectAll{}))
}

func (m *menu) running(d *window) *fyne.Menu {
	m.run = item("Run", fyne.KeyR, d.StartRun)
	m.stop = item("Stop", fyne.KeyPeriod, d.StopRun)
	m.capture = item("Capture for Xcode…", "", d.CaptureRun)
	find := item("Find", fyne.KeyF, d.find)
	return fyne.NewMenu("Run", m.run, m.stop, m.capture, fyne.NewMenuItemSeparator(), find, item("Reset to Defaults", "", func() { d.do(desk.ResetForm) }))
}

// find looks for something on the visible page, or else for a workload.
func (d *window) find() {
	if f := d.views[d.at].Find; d.Modal() || f != nil && f() {
		return
	}
	d.goTo(d.pageNamed(desk.PageRun))
	d.do(desk.FindWorkload)
}

// pageKeys is how many pages have their own key.
const pageKeys = 10

// pageKey is the key of page i, in the order of the keyboard: 1 to 9, then 0.
func pageKey(i int) string { return strconv.Itoa((i + 1) % pageKeys) }

func (m *menu) view(d *window) *fyne.Menu {
	var list []*fyne.MenuItem
	for i, p := range d.pages {
		key := fyne.KeyName("")
		if i < pageKeys {
			key = fyne.KeyName(pageKey(i))
		}
		list = append(list, item(p.Title, key, func() { d.goTo(i) }))
	}
	list = append(list, fyne.NewMenuItemSeparator())
	for _, look := range appearances() {
		m.looks[look.a] = item(look.title, "", func() { d.SetAppearance(look.a) })
		list = append(list, m.looks[look.a])
	}
	return fyne.NewMenu("View", list...)
}

func (m *menu) help(d *window) *fyne.Menu {
	about := func() { d.goTo(d.pageNamed(pageAbout)) }
	return fyne.NewMenu("Help",
		item("Show Runs", "", d.ShowRuns), item("Show Log", "", func() { d.ShowFolder(app.UserPaths().Logs) }),
		item("Metal System Trace…", "", about), item("About", "", about))
}

// namedLook is an appearance and its name.
type namedLook struct {
	title string
	a     kit.Appearance
}

func appearances() []namedLook {
	return []namedLook{{"Follow System", kit.FollowSystem}, {"Light", kit.AlwaysLight}, {"Dark", kit.AlwaysDark}}
}

// item is a menu item with Cmd or Ctrl and a key as its shortcut; "" for none.
func item(title string, key fyne.KeyName, action func()) *fyne.MenuItem {
	i := fyne.NewMenuItem(title, action)
	if key != "" {
		i.Shortcut = &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
	}
	return i
}

// mark ticks the appearance in use.
func (m *menu) mark(a kit.Appearance) {
	if m.looks[a].Checked {
		return
	}
	for look, i := range m.looks {
		i.Checked = look == a
	}
	m.redraw()
}

// update enables the available items.
func (m *menu) update(run, stop, capture, export bool) {
	if m.run.Disabled == !run && m.stop.Disabled == !stop && m.capture.Disabled == !capture && m.exports[0].Disabled == !export {
		return
	}
	m.run.Disabled, m.stop.Disabled, m.capture.Disabled = !run, !stop, !capture
	for _, i := range m.exports {
		i.Disabled = !export
	}
	m.redraw()
}

// pass passes a shortcut of the Edit menu to the focused object.
func (d *window) pass(s fyne.Shortcut) {
	if focused, ok := d.Window.Canvas().Focused().(fyne.Shortcutable); ok {
		focused.TypedShortcut(s)
	}
}
