package ui

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"assay/app/report"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// itemNamed finds a menu's item.
func itemNamed(m *menu, menuName, title string) *fyne.MenuItem {
	for _, menu := range m.main.Items {
		for _, i := range menu.Items {
			if menu.Label == menuName && i.Label == title {
				return i
			}
		}
	}
	return nil
}

// TestMenusAreWhereMacOSPutsThem checks the menus that Fyne moves: items by their exact names, and Help.
func TestMenusAreWhereMacOSPutsThem(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	for _, c := range []struct {
		mac   bool
		menus []string
	}{{true, []string{"File", "Edit", "Run", "View", "Help"}}, {false, []string{"File", "Run", "View", "Help"}}} {
		m := newMenu(d, c.mac)
		var names []string
		keys := map[string]string{}
		for _, menu := range m.main.Items {
			names = append(names, menu.Label)
			for _, i := range menu.Items {
				if s, ok := i.Shortcut.(fyne.KeyboardShortcut); ok {
					key := string(s.Key())
					if keys[key] != "" {
						t.Errorf("%s and %s have the same shortcut", keys[key], i.Label)
					}
					keys[key] = i.Label
					if s.Mod() != fyne.KeyModifierShortcutDefault {
						t.Errorf("%s has the modifier %v, want Command or Control", i.Label, s.Mod())
					}
				}
			}
		}
		if !slices.Equal(names, c.menus) {
			t.Errorf("mac %v: menus %v, want %v", c.mac, names, c.menus)
		}
		about, settings := itemNamed(m, "Help", "About"), itemNamed(m, "File", "Settings…")
		if about == nil || settings == nil || keys[","] != "Settings…" || keys["O"] != "Open…" || keys["W"] != "Close" {
			t.Errorf("mac %v: About, Settings… or Open… is not where Fyne or the user looks for it: %v", c.mac, keys)
		}
		if (itemNamed(m, "File", "Quit") != nil) == c.mac {
			t.Errorf("mac %v: macOS has Quit in the application menu, other systems in File", c.mac)
		}
	}
}

func TestEditMenuServesTheFocusedEntry(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	m := newMenu(d, true)
	e := entryOf(t, d, "max_size")
	itemNamed(m, "Edit", "Paste").Action() // with no focus
	d.Window.Canvas().Focus(e)
	e.SetText("256")
	itemNamed(m, "Edit", "Select All").Action()
	itemNamed(m, "Edit", "Cut").Action()
	if got := d.App.Clipboard().Content(); got != "256" || e.Text != "" {
		t.Errorf("cut %q, left %q", got, e.Text)
	}
	itemNamed(m, "Edit", "Paste").Action()
	if e.Text != "256" {
		t.Errorf("pasted %q", e.Text)
	}
}

func TestAboutAndSettings(t *testing.T) {
	for title, want := range map[string]string{"About": "Version 1.2.3", "Settings…": "/home/ada/runs"} {
		d, s := newTestWindow(t, kit.AlwaysDark, 1280, 800)
		d.Model.Engines = s.States
		menu := map[string]string{"About": "Help", "Settings…": "File"}[title]
		if itemNamed(d.menu, menu, title).Action(); !uitest.Says(d.front, want) {
			t.Errorf("%s says %q, not %q", title, uitest.Texts(d.front), want)
		}
	}
}

// TestEveryPageHasItsKey presses 1, 2 and so on, to 9 and 0. Pages after the tenth have none.
func TestEveryPageHasItsKey(t *testing.T) {
	uitest.Again(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	for i, p := range d.pages {
		found := itemNamed(d.menu, "View", p.Title)
		if key, ok := found.Shortcut.(*desktop.CustomShortcut); ok != (i < 10) ||
			ok && (key.KeyName != fyne.KeyName("1234567890"[i:i+1]) || key.Modifier != fyne.KeyModifierShortcutDefault) {
			t.Errorf("%s has the shortcut %+v", p.Title, found.Shortcut)
		}
		if found.Action(); d.at != i || d.rail.At != i {
			t.Errorf("%s shows page %d, the rail marks %d", p.Title, d.at, d.rail.At)
		}
	}
}

// TestExportIsOfThePageInFront exports the run shown in Results, and elsewhere the chosen workload's last run.
func TestExportIsOfThePageInFront(t *testing.T) {
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	if len(d.menu.exports) != len(report.Formats()) || !d.menu.exports[0].Disabled {
		t.Fatal("there is nothing to export, and the menu offers it")
	}
	uitest.Play(d.Desk, "finished")
	other := uitest.FinishedRun(uitest.Sweep())
	other.Meta.ID, other.Dir = "20261101-080000-batching", "/home/ada/runs/other"
	d.ShowRun(other)
	c := &uitest.Chooser{}
	d.AskBy(c)
	for page, want := range map[string]string{desk.PageRun: "20261120-120000-batching", desk.PageResults: other.Meta.ID} {
		d.showNamed(page)
		for _, f := range report.Formats() {
			itemNamed(d.menu, "File", "Export "+f.Title+"…").Action()
			if got := c.Last().Name; got != want+"."+f.Extension {
				t.Errorf("%s exports %s as %s, want %s.%s", page, f.Title, got, want, f.Extension)
			}
		}
	}
	d.showNamed(desk.PageHistory)
	if !d.menu.exports[0].Disabled {
		t.Error("no run is chosen in History, and the menu offers to export it")
	}
}
