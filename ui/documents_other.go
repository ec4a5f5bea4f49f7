//go:build !darwin

package ui

// watchDocuments does nothing here: documents come on the command line.
func watchDocuments(func([]string)) {}
