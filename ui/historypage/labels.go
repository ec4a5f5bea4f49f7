package historypage

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
)

// labels edits the tags and the note of a run. What was typed is saved when another run is chosen.
type labels struct {
	desk   *desk.Desk
	run    *bundle.Summary
	tags   *kit.Entry
	note   *kit.Entry
	limits *kit.Text // or what is wrong
	save   *kit.Button
	revert *kit.Button
	drafts map[string]draft // labels that could not be saved when another run was chosen, by folder
	object fyne.CanvasObject
}

// draft is the content of the fields.
type draft struct{ tags, note string }

func newLabels(d *desk.Desk) *labels {
	l := &labels{desk: d, tags: kit.NewEntry(), note: kit.NewLinesEntry(), limits: kit.NewCaption("", 2), drafts: map[string]draft{}}
	l.tags.PlaceHolder = "Tags, separated by commas"
	l.note.PlaceHolder = "Note"
	l.note.Wrapping = fyne.TextWrapWord
	l.note.SetMinRowsVisible(1)
	l.tags.OnChanged = func(string) { l.changed() }
	l.note.OnChanged = func(string) { l.changed() }
	l.tags.OnSubmitted = func(string) { l.write() }
	l.save = kit.NewButton("Save", l.write)
	l.revert = kit.NewButton("Revert", func() { l.fill() })
	l.revert.Importance = widget.LowImportance
	foot := container.NewBorder(nil, nil, nil, kit.Row(4, l.revert, l.save), kit.Middle(l.limits))
	l.object = container.NewBorder(kit.Stack(4, kit.NewCaption("Tags and note", 1), l.tags), kit.Inset(foot, 0, 4), nil, nil, l.note)
	return l
}

// show edits the labels of a run. Text being typed for it stays.
func (l *labels) show(s *bundle.Summary) {
	switch {
	case l.run == nil || l.run.Dir != s.Dir:
		l.leave()
		l.run = s
		l.fill()
		l.bringBack()
	case l.dirty():
		l.run = s
		l.changed()
	default:
		same := sameLabels(l.run.Labels, s.Labels)
		l.run = s
		if !same {
			l.fill()
		}
	}
}

// leave saves the typed labels of a run before another is shown. Labels that cannot be saved are restored when the run
// is shown again.
func (l *labels) leave() {
	if !l.dirty() {
		return
	}
	run, typed := l.run, l.typed()
	l.drafts[run.Dir] = draft{l.tags.Text, l.note.Text}
	listed := slices.ContainsFunc(l.desk.Model.Runs.List, func(s bundle.Summary) bool { return s.Dir == run.Dir })
	if _, err := typed.Tidy(); err != nil || !listed {
		return
	}
	l.desk.SetLabels(run, typed, func(err error) {
		if err != nil {
			l.desk.Fail("Cannot save the tags and the note of "+run.ID, err)
			return
		}
		delete(l.drafts, run.Dir)
	})
}

// bringBack restores what was typed for the run before.
func (l *labels) bringBack() {
	if d, ok := l.drafts[l.run.Dir]; ok {
		delete(l.drafts, l.run.Dir)
		l.tags.SetText(d.tags)
		l.note.SetText(d.note)
	}
}

// fill shows what is kept.
func (l *labels) fill() {
	l.tags.SetText(strings.Join(l.run.Tags, ", "))
	l.note.SetText(l.run.Note)
	l.changed()
}

// typed is the current content of the fields.
func (l *labels) typed() bundle.Labels {
	var tags []string
	for _, t := range strings.Split(l.tags.Text, ",") {
		if t = strings.TrimSpace(t); t != "" {
			tags = append(tags, t)
		}
	}
	return bundle.Labels{Tags: tags, Note: strings.TrimSpace(l.note.Text)}
}

// dirty reports whether there are unsaved changes.
func (l *labels) dirty() bool { return l.run != nil && !sameLabels(l.typed(), l.run.Labels) }

// changed shows how much of the limits is used, or which is exceeded.
func (l *labels) changed() {
	typed := l.typed()
	_, err := typed.Tidy()
	words, color := fmt.Sprintf("%d of %d tags, %d of %d characters", len(typed.Tags), bundle.MaxTags,
		utf8.RuneCountInString(typed.Note), bundle.MaxNote), kit.ColorSecondary
	if err != nil {
		words, color = err.Error(), theme.ColorNameError
	}
	l.limits.SetColored(words, color)
	kit.Able(l.save, err == nil && l.dirty())
	kit.Show(l.revert, l.dirty())
}

// write saves the content of the fields.
func (l *labels) write() {
	if !l.dirty() || l.save.Disabled() {
		return
	}
	run, typed := l.run, l.typed()
	l.desk.SetLabels(run, typed, func(err error) {
		if err != nil {
			l.limits.SetColored(err.Error(), theme.ColorNameError)
			return
		}
		if l.run.Dir == run.Dir {
			kept := *l.run
			kept.Labels = typed
			l.run = &kept
			l.changed()
		}
	})
}
