package app

import "assay/app/report"

// The name of a run bundle's folder ends in BundleExtension, a dot and BundleType.
const (
	BundleType      = report.Type
	BundleExtension = report.Extension
)

// Load reads the run bundle in a folder, also one that was cut off.
func Load(dir string) (*Run, error) { return report.Load(dir) }
