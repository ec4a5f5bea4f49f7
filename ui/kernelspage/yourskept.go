package kernelspage

import (
	"path/filepath"

	"assay/app"
)

// keptPath is the setting with the kernel that was edited last, which comes back with the next window. Unsaved edits are a draft.
const keptPath = "own kernel"

// keep remembers the kernel for the next window: where it is, and what is not saved.
func (y *yours) keep() {
	if filepath.IsAbs(y.path) {
		y.desk.Settings.SetChoice(keptPath, y.path)
	}
	draft := app.OwnKernel{}
	if !y.isUnchanged() {
		draft = y.kernel()
	}
	if draft == y.draft {
		return
	}
	y.draft = draft
	if !y.keeping {
		y.keepDraft()
	}
}

// keepDraft writes the draft, and again if it changes meanwhile. A failure is reported once.
func (y *yours) keepDraft() {
	y.keeping = true
	draft := y.draft
	y.desk.Background(func() func() {
		err := y.service.KeepDraft(draft)
		return func() {
			if err != nil && !y.cannotKeep {
				y.cannotKeep = true
				y.desk.Fail("Cannot keep what is not saved for the next window", err)
			}
			if y.keeping = false; y.draft != draft {
				y.keepDraft()
			}
		}
	})
}

// restore shows what was last edited, or a template.
func (y *yours) restore() {
	y.load(y.service.Templates()[0].Files)
	path, _ := y.desk.Settings.Kept(keptPath)
	y.desk.Background(func() func() {
		k, err := y.service.Draft()
		isDraft := err == nil && k != app.OwnKernel{}
		if !isDraft {
			if path == "" {
				return nil
			}
			if k, err = y.read(path); err != nil {
				return nil // it is gone: the template stays
			}
		}
		return func() {
			if !y.isUnchanged() {
				return
			}
			y.load(k)
			if isDraft {
				y.saved = app.OwnKernel{Path: k.Path} // whatever is on disk: the texts are not saved
				y.draft = k
				y.changed()
			}
		}
	})
}
