package kernelspage

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/editor"
	"assay/ui/kit"
	"assay/ui/native"
)

// checkDelay is how long after the last edit the kernel is compiled; its description is read at once.
const checkDelay = 120 * time.Millisecond

// oneSize is the choice not to sweep.
const oneSize = "One size"

// ending is the file extension of descriptions.
const ending = ".kernel.toml"

// edited follows an edit of either text.
func (y *yours) edited() {
	y.changed()
	y.later(checkDelay)
}

// changed shows what follows from the texts alone.
func (y *yours) changed() {
	d, problems := y.service.Describe(y.kernel())
	y.form.show(y.describe.Text(), d, y.entries)
	y.offerSweeps(d)
	if len(problems) > 0 {
		y.mark(problems)
	} else if y.report != nil {
		y.mark(y.report.Problems)
	}
	y.tell()
	y.able()
}

// offerSweeps lists the sizes that have values to sweep.
func (y *yours) offerSweeps(d *app.OwnDescription) {
	options := []string{oneSize}
	for _, s := range d.Sizes {
		if len(s.Sweep) > 0 {
			options = append(options, "Sweep "+s.Name)
		}
	}
	was := y.sweep.Selected
	y.sweep.SetOptions(options)
	y.sweep.SetSelectedIndex(0)
	for i, o := range options {
		if o == was {
			y.sweep.SetSelectedIndex(i)
		}
	}
}

// sweeping returns the size to sweep; empty: none.
func (y *yours) sweeping() string {
	if name, ok := strings.CutPrefix(y.sweep.Selected, "Sweep "); ok {
		return name
	}
	return ""
}

// tell says what is being edited, and its state.
func (y *yours) tell() {
	name := strings.TrimSuffix(filepath.Base(y.path), ending)
	if name == "kernel.toml" {
		name = filepath.Base(filepath.Dir(y.path))
	}
	switch {
	case !filepath.IsAbs(y.path):
		name += " (an example, not saved)"
	case !y.isSaved():
		name += " (edited)"
	}
	y.name.Set(name)
	y.state.SetColored(y.stateText())
}

// set changes a key of the description, as the form says.
func (y *yours) set(text string) { y.describe.Change(text) }

// mark shows problems at their lines and in the list.
func (y *yours) mark(problems []app.OwnProblem) {
	var source, describe []editor.Mark
	for i := range problems {
		p := &problems[i]
		m := editor.Mark{Line: p.Line, Column: p.Column, Warning: p.Hint, Message: worded(p)}
		switch {
		case p.Line == 0:
		case y.inDescription(p):
			describe = append(describe, m)
		case y.inSource(p):
			source = append(source, m)
		}
	}
	y.source.SetMarks(source)
	y.describe.SetMarks(describe)
	y.problems.SetItems(problems)
	if shown := len(problems) > 0; shown != y.listed.Visible() {
		kit.Show(y.listed, shown)
		y.object.Refresh()
	}
}

func (y *yours) inDescription(p *app.OwnProblem) bool { return p.File == y.path }

func (y *yours) inSource(p *app.OwnProblem) bool {
	return strings.HasSuffix(p.File, ".metal") && (y.report == nil || y.report.Source == "" || p.File == y.report.Source)
}

// lineCell says where a problem is; if that file is not edited here, with its name.
func (y *yours) lineCell(p *app.OwnProblem) kit.TableCell {
	icon := theme.NewErrorThemedResource(theme.ErrorIcon())
	cell := kit.TableCell{Icon: icon}
	if p.Hint {
		cell.Icon = theme.NewWarningThemedResource(theme.WarningIcon())
	}
	switch {
	case p.Line == 0:
		cell.Text = "–"
	case y.inDescription(p), !y.inSource(p):
		cell.Text = filepath.Base(p.File) + " " + number(p.Line)
	default:
		cell.Text = number(p.Line)
	}
	return cell
}

// goTo puts the cursor at a problem.
func (y *yours) goTo(p *app.OwnProblem) {
	switch {
	case p.Line == 0:
	case y.inDescription(p):
		y.showText(1)
		y.describe.GoTo(p.Line, max(1, p.Column))
	case y.inSource(p):
		y.showText(0)
		y.source.GoTo(p.Line, max(1, p.Column))
	}
}

// leave does something that replaces the kernel, and asks first if an edit would be lost.
func (y *yours) leave(doing string, then func()) {
	if y.isUnchanged() {
		then()
		return
	}
	y.desk.Ask("The kernel in the editor has unsaved changes. They will be lost.", doing, then)
}

// open asks for a description, and opens it.
func (y *yours) open() {
	y.leave("Open", func() {
		y.desk.Files.Open(native.Question{Title: "Open a kernel’s description", Types: []string{"toml", "metal"}}, func(path string, err error) {
			if err != nil {
				y.desk.Fail("Cannot open", err)
				return
			}
			y.openPath(path)
		})
	})
}

// openPath opens a description, or a .metal file with the description beside it; a missing description is started.
func (y *yours) openPath(path string) {
	y.desk.Background(func() func() {
		k, err := y.read(path)
		return func() {
			if err != nil {
				y.desk.Fail("Cannot open "+filepath.Base(path), err)
				return
			}
			y.load(k)
			if k.Description == "" {
				y.fit()
			}
		}
	})
}

// read reads what is at a path.
func (y *yours) read(path string) (app.OwnKernel, error) {
	if strings.HasSuffix(path, ".metal") {
		return y.service.OpenSource(path)
	}
	k, _, err := y.service.Open(path)
	return k, err
}

// fit adds what the source needs and the description lacks, and removes arguments that the source does not have. While something is
// measured it waits, since it compiles.
func (y *yours) fit() {
	if y.busy() {
		y.refit = true
		y.desk.Say("The description is fitted to the source when the measurement ends.")
		return
	}
	y.refit = false
	k, version := y.kernel(), y.describe.Doc.Version()
	ctx := y.compiling()
	y.desk.Background(func() func() {
		s, err := y.service.Suggest(ctx, k)
		return func() {
			switch {
			case errors.Is(err, context.Canceled):
				y.refit = y.busy() && y.kernel() == k
			case err != nil:
				y.desk.Fail("Cannot fit the description to the source", err)
			case version == y.describe.Doc.Version(): // not edited meanwhile
				d, _ := y.service.Describe(k)
				y.describe.Change(fitted(k.Description, d, s))
				y.later(0)
			}
		}
	})
}

// fitted returns a description with the arguments of a suggestion; existing ones stay as they are.
func fitted(text string, d *app.OwnDescription, s *app.OwnSuggestion) string {
	if len(d.Sizes) == 0 {
		text = setTOML(text, []string{"sizes", "n"}, "4096")
	}
	for _, a := range d.Args {
		if !slices.ContainsFunc(s.Args, func(w app.OwnSuggested) bool { return w.Name == a.Name }) {
			text = dropTable(setTOML(text, []string{"args", a.Name}, ""), "args", a.Name)
		}
	}
	for _, w := range s.Args {
		if !slices.ContainsFunc(d.Args, func(a app.OwnArgument) bool { return w.Name == a.Name }) {
			text = setTOML(text, []string{"args", w.Name}, w.Value)
		}
	}
	for _, w := range s.Constants {
		if !slices.ContainsFunc(d.Constants, func(c app.OwnSetting) bool { return w.Name == c.Name }) {
			text = setTOML(text, []string{"constants", w.Name}, w.Value)
		}
	}
	if len(d.Launch.Threadgroup) == 0 {
		text = setTOML(text, []string{"launch", "grid"}, quotedTOML("n"))
		text = setTOML(text, []string{"launch", "threadgroup"}, "64")
	}
	return text
}

// saveAs saves the kernel, and asks where if it is not on disk yet.
func (y *yours) saveAs() {
	if filepath.IsAbs(y.path) {
		y.saveTo(y.path, false)
		return
	}
	y.desk.Files.Save(native.Question{Title: "Save the kernel", Name: filepath.Base(y.path), Types: []string{"toml"}}, func(path string, err error) {
		if err != nil {
			y.desk.Fail("Cannot save", err)
			return
		}
		if !strings.HasSuffix(path, ending) && filepath.Base(path) != "kernel.toml" {
			path = strings.TrimSuffix(path, ".toml") + ending
		}
		y.saveTo(path, false)
	})
}

// saveTo writes both files, and asks first if others would be lost, which replace allows.
func (y *yours) saveTo(path string, replace bool) {
	k, opened := y.kernel(), y.saved
	k.Path = path
	y.desk.Background(func() func() {
		err := y.service.Save(k, opened, replace)
		return func() {
			if exists := (*app.OwnExists)(nil); errors.As(err, &exists) {
				y.desk.Ask(strings.Join(exists.Files, " and ")+": already there, with contents that were not opened here. They will be lost.", "Replace",
					func() { y.saveTo(path, true) })
				return
			}
			if err != nil {
				y.desk.Fail("Cannot save", err)
				return
			}
			y.saved, y.path = k, path
			y.desk.Say("Saved " + path + " and its source.")
			y.changed()
			y.later(0)
		}
	})
}
