//go:build !darwin

package native

import (
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
)

// drawnDialogs are Fyne's dialogs, drawn in the window.
type drawnDialogs struct{ window fyne.Window }

func NewChooser(w fyne.Window) Chooser { return drawnDialogs{w} }

// Open is part of chooser. A run bundle is a folder, which Fyne's dialog cannot choose: the user chooses its run.json.
func (d drawnDialogs) Open(q Question, done func(path string, err error)) {
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

// Save is part of chooser. The caller writes the file, atomically; the dialog only names it.
func (d drawnDialogs) Save(q Question, done func(path string, err error)) {
	restore := nameOnly()
	dialog := dialog.NewFileSave(func(w fyne.URIWriteCloser, err error) {
		restore()
		switch {
		case err != nil:
			done("", err)
		case w != nil:
			done(w.URI().Path(), nil)
		}
	}, d.window)
	dialog.SetFileName(q.Name)
	d.show(q, dialog)
}

func (d drawnDialogs) show(q Question, f *dialog.FileDialog) {
	var endings []string
	for _, t := range q.Types {
		endings = append(endings, "."+t)
	}
	if q.Inside != "" {
		endings = append(endings, filepath.Ext(q.Inside))
	}
	f.SetTitleText(q.Title)
	f.SetFilter(storage.NewExtensionFileFilter(endings))
	if folder, err := storage.ListerForURI(storage.NewFileURI(q.Folder)); err == nil {
		f.SetLocation(folder)
	}
	f.Resize(dialogSize(d.window))
	f.Show()
}

// dialogSize is the size of a file dialog, within the window.
func dialogSize(w fyne.Window) fyne.Size {
	return w.Canvas().Size().SubtractWidthHeight(80, 80).Min(fyne.NewSize(900, 600))
}
