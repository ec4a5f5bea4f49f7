//go:build headless

package main

import (
	"context"
	"fmt"

	"assay/app"
)

// noWindow says why no window can be opened.
func noWindow() string { return "This is the headless build, which has no window" }

// restoreEnvironment does nothing without Fyne.
func restoreEnvironment() {}

// openWindow refuses: the headless build is the command line, without Fyne, OpenGL and X.
func openWindow(_ context.Context, _ app.Config, documents []string) error {
	return fmt.Errorf("cannot open %s: this is the headless build, which has no window. Install the package assay instead of assay-headless, "+
		"or build with make build; the headless build reads runs with: assay report RUN, "+
		"and measures weights with: assay run quantization --set weights=file --set file=FILE", documents[0])
}
