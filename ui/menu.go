package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// menu is the window's menu with its shortcuts.
type menu struct {
	main              *fyne.MainMenu
	run, stop, export *fyne.MenuItem
	looks             map[appearance]*fyne.MenuItem
}

func newMenu(d *desk, pages []page) *menu {
	m := &menu{looks: map[appearance]*fyne.MenuItem{}}
	m.export = item("Export CSV…", fyne.KeyE, d.exportCSV)
	quit := item("Quit", fyne.KeyQ, d.quit)
	quit.IsQuit = true
	m.run = item("Run", fyne.KeyR, d.startRun)
	m.stop = item("Stop", fyne.KeyPeriod, d.stopRun)
	reset := item("Reset to Defaults", "", d.resetForm)
	var views []*fyne.MenuItem
	for i, p := range pages {
		views = append(views, item(p.title, fyne.KeyName(rune('1'+i)), func() { d.showPage(i) }))
	}
	views = append(views, fyne.NewMenuItemSeparator())
	for _, look := range []struct {
		title string
		a     appearance
	}{{"Follow System", followSystem}, {"Light", alwaysLight}, {"Dark", alwaysDark}} {
		m.looks[look.a] = item(look.title, "", func() { d.setAppearance(look.a) })
		views = append(views, m.looks[look.a])
	}
	m.main = fyne.NewMainMenu(
		fyne.NewMenu("File", m.export, fyne.NewMenuItemSeparator(), quit),
		fyne.NewMenu("Run", m.run, m.stop, fyne.NewMenuItemSeparator(), reset),
		fyne.NewMenu("View", views...),
	)
	m.mark(d.settings.appearance())
	return m
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
func (m *menu) mark(a appearance) {
	for look, i := range m.looks {
		i.Checked = look == a
	}
	m.main.Refresh()
}

// update enables what can be done now.
func (m *menu) update(run, stop, export bool) {
	if m.run.Disabled == !run && m.stop.Disabled == !stop && m.export.Disabled == !export {
		return
	}
	m.run.Disabled, m.stop.Disabled, m.export.Disabled = !run, !stop, !export
	m.main.Refresh()
}
