package desk

import (
	"path/filepath"

	"assay/ui/native"
)

// choosing sets the initial folder of dialogs: the folder of the last file with the same purpose.
type choosing struct {
	native.Chooser
	settings Settings
}

// Open asks for a file to read.
func (c choosing) Open(q native.Question, done func(path string, err error)) {
	q.Folder = native.FirstFolder(c.settings.openFolder(), q.Folder)
	c.Chooser.Open(q, func(path string, err error) {
		if err == nil {
			c.settings.setOpenFolder(filepath.Dir(q.Document(path)))
		}
		done(path, err)
	})
}

// Save asks where to write. The caller remembers the folder once it has written there.
func (c choosing) Save(q native.Question, done func(path string, err error)) {
	q.Folder = native.FirstFolder(c.settings.folder(), q.Folder)
	c.Chooser.Save(q, done)
}
