package kernelspage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/kit"
)

// list is the table of kernels that match the filter.
type list struct {
	*kit.Table[app.KernelInfo]
	page       *kernelsPage
	yes, no    fyne.Resource // shapes, so that the state does not depend on color alone
	partly     fyne.Resource
	searchable map[string]string // by ID, in lower case
}

func newList(p *kernelsPage) *list {
	l := &list{page: p, searchable: map[string]string{}}
	l.yes = theme.NewSuccessThemedResource(theme.ConfirmIcon())
	l.partly = theme.NewWarningThemedResource(theme.WarningIcon())
	l.no = theme.NewColoredResource(theme.ContentRemoveIcon(), kit.ColorSecondary)
	l.Table = kit.NewTable(l.columns(), 2)
	l.Key, l.Always = func(k *app.KernelInfo) string { return k.ID }, true
	l.SortBy(p.desk.Settings.Order("kernels"))
	l.OnOrdered = func(name string, descending bool) { p.desk.Settings.SetOrder("kernels", name, descending) }
	l.OnItem = p.take
	l.OnHead = l.explain
	l.OnEdit = func(s fyne.Shortcut) {
		if k := l.Chosen(); k != nil {
			if _, ok := s.(*fyne.ShortcutCopy); ok {
				p.desk.Copy("The kernel’s name was", k.ID)
			}
		}
	}
	return l
}

// columns are the columns of the list, from left to right.
func (l *list) columns() []kit.Column[app.KernelInfo] {
	return []kit.Column[app.KernelInfo]{
		{Title: "Operation", About: "What is computed.", Cell: textCell(func(k *app.KernelInfo) string { return k.Operation })},
		{
			Title: "Implementation", About: "How it is computed.",
			Cell: textCell(func(k *app.KernelInfo) string { return k.Implementation }),
		},
		{
			Title: "Runs", About: "Whether the engine runs it: in all types, in those named, or not.", Shaped: true, Cell: l.runs,
			Always: true,
		},
		{Title: "Types", About: "Supported element types.", Cell: textCell(func(k *app.KernelInfo) string { return strings.Join(typesOf(k), ", ") })},
		{
			Title: "Family", About: "Operations that share headers and parameters.",
			Cell: faint(func(k *app.KernelInfo) string { return k.Family }),
		},
		{Title: "Source", About: "Its source file, or the library that runs it.", Cell: faint(sourceOf)},
		{
			Title: "Settings", About: "Tunables, which change its speed and not its result, and constants, which change what is computed.",
			Cell: faint(settingsOf),
		},
		{
			Title: "Why Not", About: "Why the engine does not run it, or not in some types.",
			Cell: faint(func(k *app.KernelInfo) string { return l.page.support.Why(k) }),
		},
	}
}

// textCell is a text cell, gray if faint is set.
func textCell(text func(*app.KernelInfo) string) func(*app.KernelInfo) kit.TableCell {
	return func(k *app.KernelInfo) kit.TableCell { return kit.TableCell{Text: text(k)} }
}

func faint(text func(*app.KernelInfo) string) func(*app.KernelInfo) kit.TableCell {
	return func(k *app.KernelInfo) kit.TableCell { return kit.TableCell{Text: text(k), Color: kit.ColorSecondary} }
}

// runs is the cell that shows what the engine runs.
func (l *list) runs(k *app.KernelInfo) kit.TableCell {
	if !l.page.known() {
		return kit.TableCell{Text: "Not known", Color: kit.ColorSecondary}
	}
	switch types := l.page.support.Runs(k); len(types) {
	case len(k.Kernels):
		return kit.TableCell{Text: "Yes", Icon: l.yes}
	case 0:
		return kit.TableCell{Text: "No", Icon: l.no, Color: kit.ColorSecondary}
	default:
		return kit.TableCell{Text: strings.Join(types, ", "), Icon: l.partly}
	}
}

func typesOf(k *app.KernelInfo) []string {
	types := make([]string, len(k.Kernels))
	for i, t := range k.Kernels {
		types[i] = t.Type
	}
	return types
}

// sourceOf returns the file of a kernel's source, or the library that contains it.
func sourceOf(k *app.KernelInfo) string {
	if k.Library != "" {
		return k.Library
	}
	return k.Files[0].Name
}

// settingsOf are the names of a kernel's tunables and constants.
func settingsOf(k *app.KernelInfo) string {
	var names []string
	for _, t := range k.Tunables {
		names = append(names, t.Name)
	}
	for _, c := range k.Constants {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// text is the text of a kernel that the filter searches.
func (l *list) text(k *app.KernelInfo) string {
	if s, ok := l.searchable[k.ID]; ok {
		return s
	}
	parts := []string{k.ID, k.About, k.Family, sourceOf(k), settingsOf(k)}
	for _, a := range k.Args {
		parts = append(parts, a.Name)
	}
	for _, t := range k.Kernels {
		parts = append(parts, t.ID, t.Entry, t.Needs)
	}
	s := strings.ToLower(strings.Join(parts, "\n"))
	l.searchable[k.ID] = s
	return s
}

// explain explains the column under the pointer or the keyboard focus.
func (l *list) explain(c *kit.Column[app.KernelInfo]) {
	if c != nil {
		l.page.hint.Set(c.Title + ": " + c.About)
		return
	}
	l.page.hint.Set("Click a header to sort; hover for help. Arrow keys select, Ctrl or Cmd C copies the kernel’s name.")
}
