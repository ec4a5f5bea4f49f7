package runpage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"assay/internal/si"
	"assay/ui/kit"
	"assay/workloads"
)

// presets offers sets of values for a purpose, and shows whether the form still matches the chosen one.
type presets struct {
	form   func() *form
	offer  func(done string, back func()) // to undo
	menu   *kit.Select
	about  *kit.Text
	reset  *kit.Button
	object fyne.CanvasObject
	of     *workloads.Workload // whose presets are listed
	last   map[string]int      // by workload: the last one chosen or matched
	quiet  bool
}

// defaultsTitle is the choice of the default values.
const defaultsTitle = "Defaults"

func newPresets(current func() *form, offer func(string, func())) *presets {
	p := &presets{form: current, offer: offer, about: kit.NewCaption("", 2), last: map[string]int{}}
	p.menu = kit.NewSelect(nil, p.choose)
	p.reset = kit.NewButton("Reset", p.toDefaults)
	p.reset.Importance = widget.LowImportance
	label := container.New(layout.NewCustomPaddedLayout(0, 0, 0, 6), container.NewCenter(kit.NewHeading("Preset").Whole()))
	line := container.NewBorder(nil, nil, label, p.reset, p.menu)
	p.object = kit.Stack(3, line, container.New(kit.LinesLayout{Lines: 2}, p.about))
	return p
}

// choose applies the menu's choice.
func (p *presets) choose(string) {
	if f := p.form(); f != nil && !p.quiet {
		p.take(f, max(0, p.menu.SelectedIndex()))
	}
}

// toDefaults applies the defaults.
func (p *presets) toDefaults() { p.take(p.form(), 0) }

// take writes the values of a choice into the form. Values that the user had set can be restored.
func (p *presets) take(f *form, at int) {
	last, own := p.holds(f)
	before := f.raw()
	p.last[f.workload.Name] = at
	f.set(p.values(f, at), f.quick)
	if own == 0 || maps.Equal(before, f.raw()) {
		return
	}
	name := "the defaults"
	if at > 0 {
		name = "the preset " + f.workload.Presets[at-1].Title
	}
	p.offer(fmt.Sprintf("%s: your values were replaced by %s.", f.workload.Title, name), func() {
		p.last[f.workload.Name] = last
		f.set(before, f.quick)
	})
}

// values returns the values of a choice; the first choice is the defaults.
func (p *presets) values(f *form, at int) workloads.Values {
	if at > 0 {
		if v, err := f.workload.Preset(f.workload.Presets[at-1].Name); err == nil {
			return v
		}
	}
	return f.workload.Defaults(f.quick)
}

// update shows which preset the form matches, or that it was changed.
func (p *presets) update(able bool) {
	f := p.form()
	p.list(f.workload)
	kit.Able(p.menu, able)
	at, off := p.holds(f)
	kit.Able(p.reset, able && (at != 0 || off > 0))
	title, about := defaultsTitle, ""
	if at > 0 {
		title, about = f.workload.Presets[at-1].Title, f.workload.Presets[at-1].About
	}
	switch {
	case off > 0:
		about = strings.TrimSpace(fmt.Sprintf("%s changed. %s", si.Counted(off, "setting"), about))
		title += ", changed"
	case at == 0:
		about = "Default settings."
	}
	p.show(title, off > 0)
	p.about.Set(about)
}

// list lists the presets of a workload.
func (p *presets) list(w *workloads.Workload) {
	if p.of == w {
		return
	}
	p.of = w
	options := []string{defaultsTitle}
	for _, preset := range w.Presets {
		options = append(options, preset.Title)
	}
	p.menu.Options = options
}

// show shows a choice, or a text that is not a choice.
func (p *presets) show(title string, changed bool) {
	selected, holder := title, p.menu.PlaceHolder
	if changed {
		selected, holder = "", title
	}
	if p.menu.Selected != selected || p.menu.PlaceHolder != holder {
		p.menu.Selected, p.menu.PlaceHolder = selected, holder
		p.menu.Refresh()
	}
}

// holds returns the preset that the form matches; else the last one, and how many values differ.
func (p *presets) holds(f *form) (at, off int) {
	v := f.raw()
	last := min(p.last[f.workload.Name], len(f.workload.Presets))
	order := []int{last}
	for i := range len(f.workload.Presets) + 1 {
		order = append(order, i)
	}
	for _, i := range order {
		if maps.Equal(v, p.values(f, i)) {
			p.last[f.workload.Name] = i
			return i, p.changed(f, v)
		}
	}
	return last, p.changed(f, p.values(f, last))
}

// changed returns how many lines of the form differ from values, or are invalid.
func (p *presets) changed(f *form, want workloads.Values) int {
	n := 0
	for _, r := range f.Rows {
		if slices.ContainsFunc(r.Inputs, func(in *kit.Input) bool { return in.Err != nil || in.Value != want[in.Name] }) {
			n++
		}
	}
	return n
}
