package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
	"assay/ui/view"
)

// Say shows a sentence of what was just done, until something else is.
func (d *Desk) Say(sentence string) { d.notice(sentence, false) }

// Fail shows an error that the user can do something about, until it is dismissed or something else is done, and notes it
// in the log.
func (d *Desk) Fail(what string, err error) {
	log.Printf("%s: %v", what, err)
	d.notice(fmt.Sprintf("%s: %v", what, err), true)
}

// slow is how long what goes on in the background takes before it is told of.
const slow = 400 * time.Millisecond

// Await tells of something that goes on in the background, once that takes long. The function it returns says that it is over.
func (d *Desk) Await(sentence string) (done func()) {
	over := false
	timer := time.AfterFunc(slow, func() {
		d.Post(func() {
			if !over {
				d.Say(sentence)
			}
		})
	})
	return func() {
		over = true
		timer.Stop()
		if d.Model.Notice == sentence {
			d.Dismiss()
		}
	}
}

// Dismiss takes the notice away.
func (d *Desk) Dismiss() { d.notice("", false) }

// Offer tells what was just done, and offers to undo it until something else is done.
func (d *Desk) Offer(sentence string, back func()) {
	d.Model.ClearNotice()
	d.Model.Notice, d.Model.Back = sentence, back
	d.Redraw(ChangedNotice)
}

// TakeBack undoes what the notice offers to undo.
func (d *Desk) TakeBack() {
	back := d.Model.Back
	d.Dismiss()
	if back != nil {
		back()
	}
}

func (d *Desk) notice(sentence string, wrong bool) {
	d.Model.ClearNotice()
	d.Model.Notice, d.Model.Wrong = sentence, wrong
	d.Redraw(ChangedNotice)
}

// Ask asks before something is done that cannot be undone. The button that does it says what it does.
func (d *Desk) Ask(question, doing string, then func()) {
	if d.Modal() {
		return
	}
	body := container.New(kit.FixedSize{Width: kit.Scaled(questionWidth)}, kit.NewBody(question, 8))
	asked := dialog.NewCustomWithoutButtons(doing+"?", body, d.Window)
	cancel := kit.NewButton("Cancel", asked.Dismiss)
	do := kit.NewButton(doing, func() { asked.Dismiss(); then() })
	do.Importance = widget.DangerImportance
	cancel.OnEscape, do.OnEscape = asked.Dismiss, asked.Dismiss
	asked.SetButtons([]fyne.CanvasObject{cancel, do})
	asked.Show()
	d.Window.Canvas().Focus(cancel) // what Return and Space do first takes nothing away
}

// questionWidth is that of the words of a question.
const questionWidth = 400

// Copy puts text on the clipboard, and says so.
func (d *Desk) Copy(what, text string) {
	d.App.Clipboard().SetContent(text)
	d.Say(what + " copied to the clipboard.")
}

// ShowRuns shows the folder of runs in the Finder, or what stands for it.
func (d *Desk) ShowRuns() { d.ShowFolder(d.Library.Dir()) }

// ShowFolder shows one of Assay's own folders in the Finder, or what stands for it. It is made where it is not there yet.
func (d *Desk) ShowFolder(folder string) {
	d.showFolder(folder, func(abs string) error { return os.MkdirAll(abs, 0o755) }) // it may not be there before the first run
}

// ShowRunFolder shows the folder of a run. One that is gone stays so.
func (d *Desk) ShowRunFolder(folder string) {
	d.showFolder(folder, func(abs string) error {
		if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
			return errors.New("it no longer exists")
		}
		return nil
	})
}

func (d *Desk) showFolder(folder string, prepare func(abs string) error) {
	abs, err := filepath.Abs(folder)
	if folder == "" {
		err = errors.New("the home folder is unknown")
	}
	if err == nil {
		err = prepare(abs)
	}
	if err == nil {
		err = d.App.OpenURL(&url.URL{Scheme: "file", Path: abs})
	}
	if err != nil {
		d.Fail("Cannot show the folder "+view.Homely(strings.TrimSpace(folder)), err)
	}
}
