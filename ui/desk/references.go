package desk

import (
	"fmt"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/imported"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/native"
)

// Shelf is what can be placed beside a run.
type Shelf struct {
	Files     []imported.File // the imported ones
	Baselines []app.Baseline
}

// Shelf reads what can be placed beside a run: call it through Background.
func (d *Desk) Shelf() (s Shelf, err error) {
	if s.Files, err = d.Library.References(); err == nil {
		s.Baselines, err = d.Library.Baselines()
	}
	return s, err
}

// OfferReferences offers, below a button, what can be placed beside a run. What is already there has a check mark.
func (d *Desk) OfferReferences(run *bundle.Run, below fyne.CanvasObject) {
	if run == nil || d.Modal() {
		return
	}
	d.Background(func() func() {
		s, err := d.Shelf()
		return func() {
			if err != nil {
				d.Fail("Cannot read the figures for reference", err)
				return
			}
			menu := widget.NewPopUpMenu(d.ReferenceMenu(run, &s), d.Window.Canvas())
			menu.ShowAtRelativePosition(fyne.NewPos(0, below.Size().Height+2), below)
		}
	})
}

// ReferenceMenu returns the menu of a run.
func (d *Desk) ReferenceMenu(run *bundle.Run, s *Shelf) *fyne.Menu {
	var items []*fyne.MenuItem
	var names []string
	add := func(name, title string) {
		on := beside(run, name)
		item := fyne.NewMenuItem(title, func() { d.putBeside(run, name, !on) })
		item.Checked = on
		items, names = append(items, item), append(names, name)
	}
	for i := range s.Baselines {
		if name := app.BaselineName(s.Baselines[i].Name); !slices.Contains(names, name) && !s.own(run, s.Baselines[i].Name) {
			add(name, "Baseline "+s.Baselines[i].Name)
		}
	}
	for i := range s.Files {
		f := &s.Files[i]
		add(f.Name, fmt.Sprintf("%s (%s)", plain.Text(f.Name), si.Counted(len(f.Rows), "result")))
	}
	for i := range run.References { // forgotten since, but still beside the run
		if f := &run.References[i]; !slices.Contains(names, f.Name) {
			add(f.Name, plain.Text(f.Name))
		}
	}
	if len(items) > 0 {
		items = append(items, fyne.NewMenuItemSeparator())
	}
	items = append(items, fyne.NewMenuItem("Import File…", func() { d.ImportReference(run) }),
		fyne.NewMenuItem("Name This Run as a Baseline…", func() { d.nameBaseline(run) }))
	if forget := d.forgetItems(s); len(forget) > 0 {
		more := fyne.NewMenuItem("Forget", nil)
		more.ChildMenu = fyne.NewMenu("", forget...)
		items = append(items, more)
	}
	return fyne.NewMenu("", items...)
}

// own reports whether the baseline that a name means for a run is that run itself: the one on its device.
func (s *Shelf) own(run *bundle.Run, name string) bool {
	return slices.ContainsFunc(s.Baselines, func(b app.Baseline) bool { return b.Name == name && b.Is(run) })
}

// forgetItems are the menu items that remove names from the menu; runs keep the figures beside them.
func (d *Desk) forgetItems(s *Shelf) (items []*fyne.MenuItem) {
	forget := func(title string, do func() error) {
		items = append(items, fyne.NewMenuItem(title, func() {
			d.Background(func() func() {
				err := do()
				return func() { d.sayOr(title+" was removed from the list.", "Cannot remove "+title, err) }
			})
		}))
	}
	seen := map[string]bool{}
	for i := range s.Baselines {
		if name := s.Baselines[i].Name; !seen[name] {
			seen[name] = true
			forget("Baseline "+name, func() error { return d.Library.RemoveBaseline(name) })
		}
	}
	for i := range s.Files {
		name := s.Files[i].Name
		forget(plain.Text(name), func() error { return d.Library.RemoveReference(name) })
	}
	return items
}

func (d *Desk) sayOr(done, failed string, err error) {
	if err != nil {
		d.Fail(failed, err)
		return
	}
	d.Say(done)
}

// beside reports whether the figures of that name are beside a run.
func beside(run *bundle.Run, name string) bool {
	return slices.ContainsFunc(run.References, func(f imported.File) bool { return f.Name == name })
}

// putBeside places figures beside a run, or removes them.
func (d *Desk) putBeside(run *bundle.Run, name string, on bool) {
	act := d.Library.TakeFromBeside
	if on {
		act = d.Library.PutBeside
	}
	d.Background(func() func() {
		list, err := act(run.Dir, name)
		return func() { d.besides(run, list, err) }
	})
}

// besides shows what is beside a run now.
func (d *Desk) besides(run *bundle.Run, list []imported.File, err error) {
	if err != nil {
		d.Fail("Cannot change the figures beside the run", err)
		return
	}
	run.References = list
	d.Redraw(ChangedShown)
}

// ImportReference asks for a file of external figures and places them beside a run.
func (d *Desk) ImportReference(run *bundle.Run) {
	if run == nil || d.Modal() {
		return
	}
	q := native.Question{Title: "Import Figures of llama-bench, MLX, google-benchmark or hyperfine", Types: []string{"json", "jsonl", "txt"}}
	d.Files.Open(q, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot import", err)
			return
		}
		d.Background(func() func() {
			f, err := d.Library.Import(path)
			var list []imported.File
			if err == nil {
				list, err = d.Library.PutBeside(run.Dir, f.Name)
			}
			return func() {
				if err != nil {
					d.Fail("Cannot import", err)
					return
				}
				d.Settings.setFolder(filepath.Dir(path))
				d.Say(fmt.Sprintf("%s of %s imported, and put beside the run.", plain.Capitalized(si.Counted(len(f.Rows), "result")), plain.Text(f.Name)))
				d.besides(run, list, nil)
			}
		})
	})
}

// nameBaseline asks for a name and makes the run a baseline.
func (d *Desk) nameBaseline(run *bundle.Run) {
	about := "Later runs on this device can be compared with the run by that name: with assay run --baseline NAME, or beside their results."
	d.AskText("Name This Run as a Baseline", about, "Save", func(name string, answer func(error)) {
		d.Background(func() func() {
			b, err := d.Library.SaveBaseline(name, run.Dir)
			return func() {
				if answer(err); err == nil {
					d.Say("The run is baseline " + b.Name + " of " + plain.Text(b.Device) + ".")
				}
			}
		})
	})
}
