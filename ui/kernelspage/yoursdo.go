package kernelspage

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/kit"
	"assay/ui/native"
)

func number(n int) string { return si.Count(n) }

// later checks the kernel after a while without edits.
func (y *yours) later(delay time.Duration) {
	if y.timer != nil {
		y.timer.Stop()
	}
	y.checked++
	asked := y.checked
	y.timer = time.AfterFunc(delay, func() {
		y.desk.Post(func() {
			if asked == y.checked {
				y.check()
			}
		})
	})
}

// busy reports whether something is measured, which compiling would disturb.
func (y *yours) busy() bool { return y.doing != "" || y.desk.Model.Busy() != nil }

// check compiles the kernel in the background. While something is measured it waits, to avoid disturbing that.
func (y *yours) check() {
	y.keep()
	if y.busy() {
		y.recheck = true
		return
	}
	y.recheck = false
	y.checked++
	asked, k, ctx := y.checked, y.kernel(), y.compiling()
	y.desk.Background(func() func() {
		r, err := y.service.Check(ctx, k)
		return func() {
			if asked == y.checked {
				y.recheck = y.recheck || ctx.Err() != nil
				y.take(r, err)
			}
		}
	})
}

// compiling returns the context for the next compilation, and ends the current one.
func (y *yours) compiling() context.Context {
	y.noCompiling()
	ctx, stop := context.WithCancel(y.desk.Life())
	y.noCompiling = stop
	return ctx
}

// idle does what was waiting for the end of a measurement.
func (y *yours) idle() {
	switch {
	case y.busy():
	case y.refit:
		y.fit()
	case y.recheck:
		y.check()
	}
}

// start runs or times the kernel.
func (y *yours) start(what string) {
	k, o := y.kernel(), y.options()
	y.begin(what, func(ctx context.Context, each func(*app.OwnReport)) (*app.OwnReport, error) {
		if what == doTime {
			return y.service.Time(ctx, k, o, each)
		}
		return y.service.Run(ctx, k, o, each)
	})
}

func (y *yours) options() app.OwnOptions {
	return app.OwnOptions{Engine: y.chosenEngine(), Sweep: y.sweeping()}
}

// compare compares the kernel with the one on disk if it was edited, and otherwise with another one.
func (y *yours) compare() {
	if filepath.IsAbs(y.path) && !y.isSaved() && y.saved.Description != "" {
		y.compareWith(y.saved)
		return
	}
	y.desk.Files.Open(native.Question{Title: "Compare with another kernel", Types: []string{"toml"}}, func(path string, err error) {
		if err != nil {
			y.desk.Fail("Cannot open", err)
			return
		}
		y.desk.Background(func() func() {
			base, _, err := y.service.Open(path)
			return func() {
				if err != nil {
					y.desk.Fail("Cannot open "+filepath.Base(path), err)
					return
				}
				y.compareWith(base)
			}
		})
	})
}

// compareWith times a kernel and the one in the editor alternately.
func (y *yours) compareWith(base app.OwnKernel) {
	k, o := y.kernel(), y.options()
	o.Sweep = ""
	y.begin(doCompare, func(ctx context.Context, each func(*app.OwnReport)) (*app.OwnReport, error) {
		return y.service.Compare(ctx, base, k, o, each)
	})
}

// begin does something with the kernel in the background, and shows its reports as they come.
func (y *yours) begin(what string, do func(context.Context, func(*app.OwnReport)) (*app.OwnReport, error)) {
	if y.doing != "" {
		return
	}
	ctx, stop := context.WithCancel(y.desk.Life())
	y.doing, y.stop = what, stop
	y.checked++ // a check in progress is obsolete
	y.noCompiling()
	saved := y.isSaved()
	k := y.kernel()
	y.showSide(1)
	y.results.begin(what)
	y.tell()
	y.able()
	y.desk.Background(func() func() {
		r, err := do(ctx, func(r *app.OwnReport) { y.desk.Post(func() { y.progress(ctx, r) }) })
		stop()
		if err == nil && saved && len(r.Points) > 0 {
			err = y.service.Keep(k, r)
		}
		return func() { y.ended(what, r, err) }
	})
}

// progress shows how far a job is.
func (y *yours) progress(ctx context.Context, r *app.OwnReport) {
	if ctx.Err() == nil && y.doing != "" {
		y.results.show(y.doing, r)
		y.object.Refresh()
	}
}

// ended shows how a job ended.
func (y *yours) ended(what string, r *app.OwnReport, err error) {
	y.doing, y.stop = "", nil
	y.take(r, err)
	switch {
	case errors.Is(err, context.Canceled):
		y.results.stopped()
	case err == nil:
		y.results.show(what, r)
	default:
		y.results.fail(what, err)
	}
	y.tell()
	y.able()
	y.idle()
}

// take shows the problems of a report.
func (y *yours) take(r *app.OwnReport, err error) {
	switch {
	case errors.Is(err, context.Canceled):
		return
	case err != nil:
		y.report = nil
		y.state.SetColored(plain.Capitalized(err.Error())+".", theme.ColorNameError)
		return
	}
	y.report = r
	if len(r.Entries) > 0 {
		y.entries = r.Entries
	}
	y.changed()
}

// cancel ends what is in progress.
func (y *yours) cancel() {
	if y.stop != nil {
		y.stop()
	}
}

// able enables what can be done.
func (y *yours) able() {
	idle := y.doing == ""
	for name, b := range y.act {
		kit.Able(b, idle && (name == doCheck || y.desk.Model.Busy() == nil))
	}
	if y.halt.Visible() == idle {
		kit.Show(y.halt, !idle)
		y.object.Refresh()
	}
	kit.Able(y.suit, !y.busy())
	kit.Able(y.save, !y.isSaved())
}

// stateText says what is known of the kernel so far.
func (y *yours) stateText() (string, fyne.ThemeColorName) {
	switch r := y.report; {
	case y.doing != "":
		return plain.Capitalized(y.doing) + " in progress.", kit.ColorSecondary
	case y.desk.Model.Busy() != nil:
		return "Not checked while a run is in progress, so as not to disturb it.", kit.ColorSecondary
	case r == nil:
		return "Not checked yet.", kit.ColorSecondary
	case y.problems.Rows() > 0:
		return si.Counted(y.problems.Rows(), "problem") + ", listed below the text.", theme.ColorNameError
	}
	return "Source and description compile without problems. Run it to verify its results.", kit.ColorSecondary
}
