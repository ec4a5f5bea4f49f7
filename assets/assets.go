// Package assets embeds the icon and the app's name.
//
// Icon.png is rendered from Icon.svg with rsvg-convert -w 1024 -h 1024, and Icon256.png likewise.
package assets

import _ "embed"

// The app's identity. FyneApp.toml repeats it for the packager; a test keeps
// the two identical.
const (
	Name        = "Assay"
	ID          = "io.github.assay.Assay"
	Version     = "0.1.0"
	Build       = 1
	Description = "Measures compute workloads on GPUs and processors, and watches memory, heat and power while they run."
)

//go:embed Icon256.png
var iconPNG []byte

// Icon returns the app icon, a PNG of 256 × 256 pixels, which must not be changed. The packager reads a larger one from a file;
// in memory it would take 4 MB wherever it is shown.
func Icon() []byte { return iconPNG }
