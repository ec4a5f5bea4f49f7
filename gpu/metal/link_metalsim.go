//go:build metalsim && !darwin && cgo

package metal

import _ "assay/gpu/metal/sim" // the simulated Metal that the Objective-C files link with
