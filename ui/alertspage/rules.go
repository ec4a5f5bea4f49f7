package alertspage

import (
	"cmp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// rulesList lists the rules that raise alerts; one of them can be open for changes.
type rulesList struct {
	desk   *desk.Desk
	object *fyne.Container
	form   *ruleForm // the rule that is open; nil: none

	resized func() // called when the list may be longer or shorter
}

func newRulesList(d *desk.Desk, resized func()) *rulesList {
	return &rulesList{desk: d, object: kit.Stack(8), resized: resized}
}

// fill rebuilds the list. An open form stays as it is.
func (l *rulesList) fill() {
	all := l.desk.Rules()
	l.object.Objects = []fyne.CanvasObject{l.head(all)}
	if l.form != nil && l.form.rule.ID == "" {
		l.object.Add(l.form.object)
	}
	for _, r := range all {
		if l.form != nil && l.form.rule.ID == r.ID {
			l.object.Add(l.form.object)
			continue
		}
		l.object.Add(l.card(r))
	}
	l.refresh()
}

func (l *rulesList) refresh() {
	l.object.Refresh()
	l.resized()
}

// head says what rules are, and has the controls for all of them.
func (l *rulesList) head(all []monitor.Rule) fyne.CanvasObject {
	about := kit.NewCaption("A rule raises an alert when a metric has been at or beyond a value for a while. Alerts about leaks and the "+
		"run’s folder have no threshold. The command line has the same rules: assay alerts.", 3)
	add := kit.NewButton("Add Rule…", func() { l.open(monitor.NewOwnRule()) })
	reset := kit.NewButton("Reset All…", func() {
		l.desk.Ask("Gives all rules their default values. Rules that you have added are removed. This cannot be undone.", "Reset Rules", func() {
			l.form = nil
			l.desk.ResetRules()
		})
	})
	kit.Able(reset, slices.ContainsFunc(all, func(r monitor.Rule) bool { return r.Changed() }))
	return kit.NewRow(kit.NewHeading("Rules"), about, kit.Row(8, add, reset))
}

// card is one rule: whether it is on, and when it raises its alert.
func (l *rulesList) card(r monitor.Rule) fyne.CanvasObject {
	title := kit.NewHeading(r.Title).Whole()
	word := kit.NewCaption(view.SeverityWord(r.Severity), 1).Whole()
	word.Color, word.Style.Bold = kit.ColorSecondary, true
	tools := kit.Row(10, kit.NewButton("Edit", func() { l.open(r) }))
	for _, f := range monitor.RuleFields() {
		if f.Switch {
			tools.Add(l.flip(f, r))
		}
	}
	if r.Off {
		title.Color = kit.ColorSecondary
		word.Set(word.Content + ", off")
	}
	m, _ := monitor.Lookup(r.Metric)
	words := m.Title + ". " + r.Condition() + "."
	if r.Changed() && !r.Own {
		words += " Changed."
	}
	icon := shape(view.SeverityIcon(monitor.Alert{Severity: r.Severity}))
	line := container.NewBorder(nil, nil, kit.Row(8, icon, word, title), tools)
	return kit.NewPanel(kit.NewFlow(4, line, kit.NewCaption(words, 4)), 12)
}

// flip is a switch for a field that is on or off.
func (l *rulesList) flip(f monitor.RuleField, r monitor.Rule) fyne.CanvasObject {
	options := f.Options(r)
	s := kit.NewSwitch(func(on bool) {
		to := options[1]
		if on {
			to = options[0]
		}
		if err := l.desk.SetRule(r.ID, map[string]string{f.Name: to}); err != nil {
			l.desk.Fail("Cannot change the rule", err)
		}
	})
	s.Set(f.Get(r) == options[0])
	return container.NewCenter(s)
}

// open opens a rule for changes.
func (l *rulesList) open(r monitor.Rule) {
	l.form = newRuleForm(l, r)
	l.fill()
	l.form.focus()
}

// close closes the open rule.
func (l *rulesList) close() {
	l.form = nil
	l.fill()
}

// ruleForm changes one rule, or makes a new one.
type ruleForm struct {
	list   *rulesList
	rule   monitor.Rule // as it was; a new one has no ID
	draft  monitor.Rule // with the chosen metric
	texts  map[string]string
	notes  map[string]*kit.Text
	first  fyne.Focusable
	rows   *fyne.Container
	object fyne.CanvasObject
}

func newRuleForm(l *rulesList, r monitor.Rule) *ruleForm {
	f := &ruleForm{list: l, rule: r, draft: r, texts: map[string]string{}, rows: kit.NewFlow(0)}
	f.fill()
	f.object = kit.NewPanel(f.rows, 4)
	return f
}

// fill makes a row for each field, and the buttons.
func (f *ruleForm) fill() {
	heading := f.rule.Title
	if f.rule.ID == "" {
		heading = "New rule"
	}
	f.rows.Objects, f.notes, f.first = nil, map[string]*kit.Text{}, nil
	f.rows.Add(kit.NewRow(kit.NewHeading(heading), kit.NewCaption(f.about(), 2), nil))
	for _, field := range monitor.RuleFields() {
		if !field.Switch && (!field.Own || f.rule.Own) {
			note := kit.NewCaption(field.About, 4)
			f.notes[field.Name] = note
			f.rows.Add(kit.NewRow(kit.NewHeading(field.Title), note, container.New(kit.FixedSize{Width: 230}, f.control(field))))
		}
	}
	f.rows.Add(kit.Inset(f.buttons(), 14, 10))
	f.rows.Refresh()
}

// about says what the rule's defaults are.
func (f *ruleForm) about() string {
	if f.rule.Own {
		return "For high values; for low ones if it clears above where it raises."
	}
	i := slices.IndexFunc(monitor.Rules(), func(r monitor.Rule) bool { return r.ID == f.rule.ID })
	if i < 0 {
		return ""
	}
	usual := monitor.Rules()[i]
	return "By default: " + usual.Condition() + "."
}

func (f *ruleForm) buttons() fyne.CanvasObject {
	save := kit.NewButton("Save", f.save)
	cancel := kit.NewButton("Cancel", f.list.close)
	save.OnEscape, cancel.OnEscape = f.list.close, f.list.close
	row := kit.Row(8, save, cancel)
	name := "Use Defaults"
	if f.rule.Own {
		name = "Remove"
	}
	if f.rule.ID != "" && f.rule.Changed() {
		row.Add(kit.NewButton(name, func() {
			f.list.form = nil
			f.list.desk.ResetRules(f.rule.ID)
		}))
	}
	return row
}

// control is a menu or a field of text.
func (f *ruleForm) control(field monitor.RuleField) fyne.CanvasObject {
	value, given := f.texts[field.Name]
	if !given {
		value = field.Get(f.draft)
	}
	if field.Options != nil {
		if options := field.Options(f.draft); options != nil {
			menu := f.menu(field, options, value)
			f.firstly(menu)
			return menu
		}
	}
	entry := kit.NewEntry()
	entry.SetText(value)
	entry.OnChanged = func(text string) { f.texts[field.Name] = text }
	entry.OnSubmitted = func(string) { f.save() }
	f.firstly(entry)
	return entry
}

func (f *ruleForm) firstly(o fyne.Focusable) {
	if f.first == nil {
		f.first = o
	}
}

// menu chooses among values. The metric decides what the other fields are.
func (f *ruleForm) menu(field monitor.RuleField, options []string, value string) *kit.Select {
	var titles []string
	for _, o := range options {
		titles = append(titles, words(&field, o))
	}
	menu := kit.NewSelect(titles, nil)
	menu.SetSelectedIndex(slices.Index(options, value))
	menu.OnChanged = func(string) {
		i := menu.SelectedIndex()
		if i < 0 {
			return
		}
		f.texts[field.Name] = options[i]
		if field.Own && field.Set(&f.draft, options[i]) == nil {
			f.fill()
			f.list.refresh()
		}
	}
	return menu
}

// words is a value in words, a severity as on the cards.
func words(field *monitor.RuleField, value string) string {
	if level := severity.Level(value); level.Known() {
		return view.SeverityWord(level)
	}
	return field.Words(value)
}

func (f *ruleForm) focus() {
	if f.first != nil {
		f.list.desk.Window.Canvas().Focus(f.first)
	}
}

// save makes the changes; a value that is not valid is reported at its field.
func (f *ruleForm) save() {
	texts := map[string]string{}
	for _, field := range monitor.RuleFields() {
		text := strings.TrimSpace(f.texts[field.Name])
		if text != "" && text != field.Get(f.rule) {
			texts[field.Name] = text
		}
	}
	id := f.rule.ID
	if id == "" {
		id = monitor.OwnRuleID(cmp.Or(texts["title"], f.draft.Title), f.list.desk.Rules())
	}
	var err error
	if len(texts) > 0 || f.rule.ID == "" {
		err = f.list.desk.SetRule(id, texts)
	}
	if err != nil {
		f.tell(err)
		return
	}
	f.list.close()
}

// tell reports at each field what is not valid.
func (f *ruleForm) tell(err error) {
	told, problems := false, monitor.RuleProblems(err)
	for _, r := range monitor.RuleFields() {
		note, why := f.notes[r.Name], problems[r.Name]
		switch {
		case note == nil:
		case why == "":
			note.SetColored(r.About, kit.ColorSecondary)
		default:
			note.SetColored(why, theme.ColorNameError)
			told = true
		}
	}
	if !told {
		f.list.desk.Fail("Cannot change the rule", err)
		return
	}
	f.list.refresh()
}
