//go:build !darwin

package ui

import (
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
)

// drawnDialogs are Fyne's own, drawn in the window.
type drawnDialogs struct{ window fyne.Window }

func newChooser(w fyne.Window) chooser { return drawnDialogs{w} }

// open is part of chooser. A run bundle is a folder, which Fyne's dialog cannot choose: its run.json stands for it.
func (d drawnDialogs) open(q question, done func(path string, err error)) {
	d.show(q, dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		switch {
		case err != nil:
			done("", err)
		case r != nil:
			path := r.URI().Path()
			_ = r.Close() // nothing was read
			done(path, nil)
		}
	}, d.window))
}

// save is part of chooser.
func (d drawnDialogs) save(q question, done func(path string, err error)) {
	dialog := dialog.NewFileSave(func(w fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			done("", err)
		case w != nil:
			path := w.URI().Path()
			_ = w.Close() // who asked writes the file itself, as a whole or not at all
			done(path, nil)
		}
	}, d.window)
	dialog.SetFileName(q.name)
	d.show(q, dialog)
}

func (d drawnDialogs) show(q question, f *dialog.FileDialog) {
	var endings []string
	for _, t := range q.types {
		endings = append(endings, "."+t)
		if t == runType {
			endings = append(endings, filepath.Ext(runFile))
		}
	}
	f.SetTitleText(q.title)
	f.SetFilter(storage.NewExtensionFileFilter(endings))
	if folder, err := storage.ListerForURI(storage.NewFileURI(q.folder)); err == nil {
		f.SetLocation(folder)
	}
	f.Resize(dialogSize(d.window))
	f.Show()
}

// dialogSize is that of a file dialog, within the window.
func dialogSize(w fyne.Window) fyne.Size {
	return w.Canvas().Size().SubtractWidthHeight(80, 80).Min(fyne.NewSize(900, 600))
}
