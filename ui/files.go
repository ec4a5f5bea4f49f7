package ui

import (
	"os"
	"path/filepath"
	"strings"
)

// chooser asks the user for a file, as the system does it. It is called on the UI goroutine and calls done there, at
// once or later; where the user cancels it does not call it.
type chooser interface {
	open(q question, done func(path string, err error))
	save(q question, done func(path string, err error))
}

// question is what a chooser asks.
type question struct {
	title  string   // what the file is for: "Export CSV"
	name   string   // the file's name to begin with; of save only
	folder string   // where to begin if there is no folder from the last time
	types  []string // endings of names that will do, without their dot
}

// choosing is where the dialogs begin: in the folder of the last file of the same purpose.
type choosing struct {
	chooser
	settings settings
}

// open asks for a file to read.
func (c choosing) open(q question, done func(path string, err error)) {
	q.folder = firstFolder(c.settings.openFolder(), q.folder)
	c.chooser.open(q, func(path string, err error) {
		if err == nil {
			c.settings.setOpenFolder(filepath.Dir(documentOf(path)))
		}
		done(path, err)
	})
}

// save asks where to write. The folder is remembered by who has written there.
func (c choosing) save(q question, done func(path string, err error)) {
	q.folder = firstFolder(c.settings.folder(), q.folder)
	c.chooser.save(q, done)
}

// firstFolder is the first of the folders that is there, else the user's home.
func firstFolder(folders ...string) string {
	for _, f := range folders {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			return f
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return string(filepath.Separator)
	}
	return home
}

// hasType reports whether a file's name ends in one of the types.
func hasType(path string, types ...string) bool {
	for _, t := range types {
		if strings.EqualFold(filepath.Ext(path), "."+t) {
			return true
		}
	}
	return false
}
