//go:build cgo

package metal

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// readHost queries sysctl. Values that it does not have stay unknown.
func readHost() host {
	var h host
	h.osBuild, _ = unix.Sysctl("kern.osversion")
	if version, err := unix.Sysctl("kern.osproductversion"); err == nil {
		major, _, _ := strings.Cut(version, ".")
		h.osMajor, _ = strconv.Atoi(major)
	}
	h.brand, _ = unix.Sysctl("machdep.cpu.brand_string")
	levels, _ := unix.SysctlUint32("hw.nperflevels")
	for level := range levels {
		if n, err := unix.SysctlUint32(fmt.Sprintf("hw.perflevel%d.physicalcpu", level)); err == nil {
			h.cpuCores = append(h.cpuCores, int(n))
		}
	}
	if raw, err := unix.SysctlRaw("iogpu.rsrc_limit"); err == nil {
		h.resourceLimit = decodeInteger(raw)
	}
	return h
}
