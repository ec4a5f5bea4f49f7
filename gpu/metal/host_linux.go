//go:build metalsim && cgo

package metal

import "golang.org/x/sys/unix"

// readHost of the simulator sets only the release of the system.
func readHost() host {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return host{}
	}
	return host{osBuild: "simulator on " + unix.ByteSliceToString(u.Release[:])}
}
