// Package native gives the window access to system services: file panels, and documents that the system asks the app
// to open.
package native

import (
	"os"
	"path/filepath"
	"strings"
)

// Chooser asks the user for a file with the system's dialog. It is called on the UI goroutine and calls done there,
// immediately or later; if the user cancels, it does not call it.
type Chooser interface {
	Open(q Question, done func(path string, err error))
	Save(q Question, done func(path string, err error))
}

// Question is what a chooser asks.
type Question struct {
	Title  string   // what the file is for: "Export CSV"
	Name   string   // initial file name; for saving only
	Folder string   // initial folder if none is remembered
	Types  []string // accepted extensions, without the dot
	Inside string   // the file that stands for a folder of one of the types, if folders cannot be chosen; empty: none is a folder
}

// FirstFolder returns the first of the folders that exists, else the user's home.
func FirstFolder(folders ...string) string {
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

// HasType reports whether a file's name ends in one of the types.
func HasType(path string, types ...string) bool {
	for _, t := range types {
		if strings.EqualFold(filepath.Ext(path), "."+t) {
			return true
		}
	}
	return false
}

// Document returns the document of a chosen file: its folder, or the file itself.
func (q Question) Document(path string) string {
	if q.Inside != "" && filepath.Base(path) == q.Inside {
		return filepath.Dir(path)
	}
	return path
}
