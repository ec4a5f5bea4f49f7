//go:build !darwin

package native

import (
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage/repository"
)

// nameOnly makes Fyne's save dialog return only a name until restore is called: the dialog truncates the chosen file
// before it returns the name. The old file would be lost if the new one cannot be written, or the process ends first.
func nameOnly() (restore func()) {
	usual, err := repository.ForScheme(fileScheme)
	disk, ok := usual.(files)
	if _, already := usual.(naming); err != nil || !ok || already {
		return func() {}
	}
	repository.Register(fileScheme, naming{disk})
	return func() { repository.Register(fileScheme, usual) }
}

const fileScheme = "file"

// files is what a file dialog needs from the disk.
type files interface {
	repository.WritableRepository
	repository.ListableRepository
	repository.HierarchicalRepository
}

var errNameOnly = errors.New("the dialog returned a name and did not open the file")

// naming is a file repository that never writes.
type naming struct{ files }

// Writer is part of repository.WritableRepository. It touches no file.
func (naming) Writer(u fyne.URI) (fyne.URIWriteCloser, error) { return name{u}, nil }

// name is a file that was named but not opened.
type name struct{ uri fyne.URI }

// URI is part of fyne.URIWriteCloser.
func (n name) URI() fyne.URI { return n.uri }

// Write is part of fyne.URIWriteCloser.
func (name) Write([]byte) (int, error) { return 0, errNameOnly }

// Close is part of fyne.URIWriteCloser.
func (name) Close() error { return nil }
