//go:build !darwin

package native

// WatchDocuments does nothing here: documents are passed on the command line.
func WatchDocuments(func([]string)) {}
