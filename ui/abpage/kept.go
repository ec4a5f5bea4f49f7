package abpage

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// kept are the comparisons that were kept: which of them is shown, and what can be done with it.
type kept struct {
	desk   *desk.Desk
	show   func(*app.ABRecord)
	now    func() time.Time
	choice *kit.Select
	export *kit.Button
	remove *kit.Button
	object *fyne.Container
	list   []*app.ABRecord // the newest first
	shown  *app.ABRecord   // nil: none of them
}

// maxKept bounds how many are offered; the command line lists all.
const maxKept = 100

func newKept(d *desk.Desk, show func(*app.ABRecord)) *kept {
	k := &kept{desk: d, show: show, now: time.Now}
	k.choice = kit.NewSelect(nil, nil)
	k.choice.PlaceHolder = "Earlier comparisons"
	k.export = kit.NewButtonWithIcon("Export", theme.MenuDropDownIcon(), func() { d.OfferComparison(k.shown, k.export) })
	k.export.IconPlacement = widget.ButtonIconTrailingText
	k.remove = kit.NewButton("Delete", k.deleteShown)
	k.object = container.NewBorder(nil, nil, nil, kit.Inset(kit.Row(8, k.export, k.remove), 0, 0), k.choice)
	k.offer()
	return k
}

// read lists what is on disk.
func (k *kept) read() {
	k.desk.Background(func() func() {
		list, _ := k.desk.Library.Comparisons() // a file that is not a comparison is not offered
		return func() {
			k.list = list[:min(len(list), maxKept)]
			k.offer()
		}
	})
}

// keep writes a record, on the goroutine that measured it; then shows it as the newest.
func (k *kept) keep(r *app.ABRecord) (then func()) {
	err := k.desk.Library.KeepComparison(r)
	return func() {
		if err != nil {
			k.desk.Fail("Cannot keep the comparison", err)
			return
		}
		k.list, k.shown = slices.Insert(k.list, 0, r), r
		k.offer()
	}
}

// offer fills the menu.
func (k *kept) offer() {
	names := make([]string, len(k.list))
	for i, r := range k.list {
		name := title(k.desk.Model.Workloads, r)
		if slices.Contains(names[:i], name) {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		names[i] = name
	}
	k.choice.OnChanged = nil
	k.choice.SetOptions(names)
	if at := slices.Index(k.list, k.shown); at >= 0 {
		k.choice.SetSelectedIndex(at)
	} else {
		k.choice.ClearSelected()
	}
	k.choice.OnChanged = func(string) { k.pick(k.choice.SelectedIndex()) }
	kit.Show(k.object, len(k.list) > 0)
	kit.Able(k.export, k.shown != nil)
	kit.Able(k.remove, k.shown != nil)
}

func (k *kept) pick(i int) {
	if i >= 0 && i < len(k.list) {
		k.shown = k.list[i]
		k.show(k.shown)
		k.offer()
	}
}

// forget shows none of them: another comparison has begun.
func (k *kept) forget() {
	k.shown = nil
	k.offer()
}

// able lets the user choose, except while something is measured.
func (k *kept) able(on bool) {
	kit.Able(k.choice, on)
	kit.Able(k.export, on && k.shown != nil)
	kit.Able(k.remove, on && k.shown != nil)
}

// deleteShown moves the visible one to the trash.
func (k *kept) deleteShown() {
	r := k.shown
	if r == nil {
		return
	}
	k.desk.Background(func() func() {
		err := k.desk.Library.RemoveComparison(r.ID)
		return func() {
			if err != nil {
				k.desk.Fail("Cannot delete", err)
				return
			}
			k.desk.Say("The comparison moved to the trash.")
			k.list = slices.DeleteFunc(k.list, func(o *app.ABRecord) bool { return o == r })
			if k.shown == r {
				k.shown = nil
				k.show(nil)
			}
			k.offer()
		}
	})
}

// title is a comparison's title in the menu: when, of what, and what it shows.
func title(all []workloads.Workload, r *app.ABRecord) string {
	name := r.Workload
	if w, err := workloads.Find(all, name); err == nil {
		name = w.Title
	}
	return plain.Text(fmt.Sprintf("%s · %s · %s", r.Measured.Local().Format("2 Jan 2006, 15:04:05"), name, brief(r)))
}

// brief says what a comparison shows, in a few words.
func brief(r *app.ABRecord) string {
	switch c := r.CrossFigures; {
	case r.Ended != "":
		return "ended early"
	case c != nil && c.Found && c.At != nil:
		return "crossover at " + si.Count(int(math.Round(*c.At)))
	case c != nil && !c.Found && !r.Crossover().Unsure():
		return "no crossover"
	}
	verdict, _, _ := strings.Cut(r.Shows(), ":")
	return verdict
}

// showRecord shows a comparison that was kept; nil: none.
func (o *outcome) showRecord(all []workloads.Workload, r *app.ABRecord) {
	o.clear()
	if r == nil {
		o.redraw()
		return
	}
	o.of, _ = workloads.Find(all, r.Workload)
	for i, program := range []string{r.A.Program, r.B.Program} {
		o.builds[i] = ""
		if program != "" {
			o.builds[i] = filepath.Base(program)
		}
	}
	why := ""
	if r.Ended != "" && !r.Stopped() {
		why = plain.Capitalized(plain.Text(r.Ended)) + "."
	}
	if ab := r.Comparison(); ab != nil {
		o.endAB(ab, r.Early(), why)
	} else {
		o.endCross(r.Crossover(), r.Early(), why)
	}
	o.evidence.Set(plain.Text(settings(r)) + " " + o.evidence.Content)
	o.redraw()
}

// settings are those that differ between the sides of a comparison.
func settings(r *app.ABRecord) string {
	if len(r.A.Settings) == 0 {
		return "A and B have the same settings."
	}
	return fmt.Sprintf("A: %s. B: %s.", strings.Join(r.A.Settings, ", "), strings.Join(r.B.Settings, ", "))
}
