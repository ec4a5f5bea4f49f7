package app

import "assay/app/report"

// BundleExtension ends the name of a run bundle's folder.
const BundleExtension = report.Extension

// Load reads the run bundle in a folder, also one that was cut off.
func Load(dir string) (*Run, error) { return report.Load(dir) }
