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

// Say shows what was just done, in a sentence, until the next action or for a while.
func (d *Desk) Say(sentence string) {
	d.notice(sentence, false)
	d.fade(sayTime)
}

// How long a notice stays if nothing else is done: one about an action, and one that offers to undo it. Failures stay.
const (
	sayTime   = 8 * time.Second
	offerTime = 60 * time.Second
)

// fade removes the current notice after a time.
func (d *Desk) fade(after time.Duration) {
	sentence := d.Model.Notice
	time.AfterFunc(after, func() {
		d.Post(func() {
			if !d.shut && d.Model.Notice == sentence && !d.Model.Wrong {
				d.Dismiss()
			}
		})
	})
}

// Fail shows an error that the user can fix, until it is dismissed or the next action, and logs it.
func (d *Desk) Fail(what string, err error) {
	log.Printf("%s: %v", what, err)
	d.notice(fmt.Sprintf("%s: %v", what, err), true)
}

// slow is how long background work may take before a notice appears.
const slow = 400 * time.Millisecond

// Await shows a notice if background work takes long. Call the returned function when it is over.
func (d *Desk) Await(sentence string) (done func()) {
	over := false
	timer := time.AfterFunc(slow, func() {
		d.Post(func() {
			if !over {
				d.notice(sentence, false)
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

// Dismiss removes the notice.
func (d *Desk) Dismiss() { d.notice("", false) }

// Offer shows what was just done, and offers to undo it until the next action or for a while.
func (d *Desk) Offer(sentence string, back func()) {
	d.Model.ClearNotice()
	d.Model.Notice, d.Model.Back = sentence, back
	d.Redraw(ChangedNotice)
	d.fade(offerTime)
}

// TakeBack performs the undo offered by the notice.
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

// Ask asks before an action that cannot be undone. The button is labeled with the action.
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
	d.Window.Canvas().Focus(cancel) // so that Return and Space do no harm
}

// questionWidth is the width of a question's text.
const questionWidth = 400

// Copy puts text on the clipboard, and says so.
func (d *Desk) Copy(what, text string) {
	d.App.Clipboard().SetContent(text)
	d.Say(what + " copied to the clipboard.")
}

// ShowRuns shows the folder of runs in the Finder, or in the system's file manager.
func (d *Desk) ShowRuns() { d.ShowFolder(d.Library.Dir()) }

// ShowFolder shows one of Assay's folders in the file manager. It creates a missing folder.
func (d *Desk) ShowFolder(folder string) {
	d.showFolder(folder, func(abs string) error { return os.MkdirAll(abs, 0o755) }) // it may not exist before the first run
}

// ShowRunFolder shows the folder of a run. It does not create a missing one.
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
