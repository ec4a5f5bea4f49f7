//go:build !headless

package main

import (
	"context"

	"assay/app"
	"assay/ui"
	"assay/ui/fyneenv"
)

// noWindow says why no window can be opened; empty: it can, as far as is known.
func noWindow() string {
	if ui.HasDisplay() {
		return ""
	}
	return "No display (neither DISPLAY nor WAYLAND_DISPLAY is set)"
}

// restoreEnvironment undoes the changes made for Fyne, so that programs that Assay starts do not see them.
func restoreEnvironment() { fyneenv.Restore() }

// openWindow opens the window on a new session, with these documents, and returns when the user has quit.
func openWindow(ctx context.Context, c app.Config, documents []string) error {
	return ui.Open(ctx, c, documents)
}
