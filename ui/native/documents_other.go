//go:build !darwin

package native

// WatchDocuments does nothing here: documents come on the command line.
func WatchDocuments(func([]string)) {}
