package cuda

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"assay/gpu"
)

// minCapability is the minimum compute capability of a device, times ten: the target of kernels' PTX.
const minCapability = 80

// simdWidth is the width of SIMD groups that the kernels are written for: a warp's.
const simdWidth = 32

// facts are what the driver reports about a device.
type facts struct {
	index           int    // among the devices that the process sees
	name, uuid, pci string // uuid is empty if the driver does not report it
	memory          int64  // bytes
	version         int    // the driver's CUDA version: 13000 is 13.0
	major, minor    int    // compute capability
	warp            int
	multiprocessors int
	l2              int64   // bytes
	bandwidth       float64 // of memory, from its clock and width, in bytes per second; 0: unknown
	mapsHost, ecc   bool
	integrated      bool // its memory is the host's
	prohibited      bool // no process may use it
	maxThreads      int
	maxBlock        [3]int
	maxGrid         [3]int
	shared          int // bytes of a threadgroup, the maximum that a kernel may request
}

// formatUUID writes a UUID as NVIDIA's tools do.
func formatUUID(b [16]byte) string {
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func (f *facts) capability() string { return fmt.Sprintf("%d.%d", f.major, f.minor) }

func (f *facts) cuda() string { return fmt.Sprintf("%d.%d", f.version/1000, f.version%1000/10) }

// String names the device and what distinguishes it.
func (f *facts) String() string {
	return fmt.Sprintf("%s (%d, %s, PCI %s)", f.name, f.index, cmp.Or(f.uuid, "no UUID"), f.pci)
}

// lacks returns why the engine cannot use the device; empty: it can.
func (f *facts) lacks() string {
	switch {
	case f.prohibited:
		return "its compute mode prohibits all use (nvidia-smi -c DEFAULT allows it)"
	case 10*f.major+f.minor < minCapability:
		return fmt.Sprintf("compute capability %s, the kernels need %d.%d", f.capability(), minCapability/10, minCapability%10)
	case f.warp != simdWidth:
		return fmt.Sprintf("warps of %d threads, the kernels need %d", f.warp, simdWidth)
	case !f.mapsHost:
		return "it cannot see the host's memory"
	}
	return ""
}

// features describes what the device and its driver support.
func (f *facts) features() []string {
	all := []string{
		"compute capability " + f.capability(), "driver for CUDA " + f.cuda(), "bfloat", "atomic_float", "simdgroup_matrix",
	}
	if f.ecc {
		all = append(all, "ECC")
	}
	return all
}

// choose returns the position of the device to open: the one that want names by index, UUID or name, or the first that the engine
// can use. The driver lists the fastest first, unless CUDA_DEVICE_ORDER specifies otherwise.
func choose(devices []facts, want string) (int, error) {
	if len(devices) == 0 {
		return 0, gpu.Errorf(gpu.ErrUnsupported, "open", "", "%s", meaningOf(100).about)
	}
	var all []string
	for i := range devices {
		d := &devices[i]
		why := d.lacks()
		switch {
		case want != "" && !d.is(want):
		case why == "":
			return i, nil
		case want != "":
			return 0, gpu.Errorf(gpu.ErrUnsupported, "open", "", "%v: %s", d, why)
		default:
			all = append(all, d.String()+": "+why)
			continue
		}
		all = append(all, d.String())
	}
	if want != "" {
		return 0, gpu.Errorf(gpu.ErrUnsupported, "open", "", "no CUDA device %q; there are: %s", want, strings.Join(all, "; "))
	}
	return 0, gpu.Errorf(gpu.ErrUnsupported, "open", "", "no device can be used: %s", strings.Join(all, "; "))
}

// listed lists the devices, the one at index first before the others. A device is selected by its UUID, or by its index if it has
// none.
func listed(all []facts, first int) []gpu.Device {
	devices := make([]gpu.Device, 0, len(all))
	for i := range all {
		devices = append(devices, gpu.Device{ID: cmp.Or(all[i].uuid, strconv.Itoa(all[i].index)), Name: all[i].String()})
	}
	return append(devices[first:first+1:first+1], append(devices[:first:first], devices[first+1:]...)...)
}

// is reports whether the user's choice names the device.
func (f *facts) is(want string) bool {
	index, err := strconv.Atoi(want)
	return err == nil && index == f.index || f.uuid != "" && strings.EqualFold(want, f.uuid) || strings.EqualFold(want, f.name)
}

// checkGrid refuses a launch that the device's limits do not allow.
func (f *facts) checkGrid(kernel string, groups, threads [3]uint32) error {
	for i, axis := range []string{"x", "y", "z"} {
		if int(groups[i]) > f.maxGrid[i] {
			return gpu.Errorf(gpu.ErrUnsupported, "launch", kernel, "%d threadgroups along %s, %s allows %d", groups[i], axis, f.name,
				f.maxGrid[i])
		}
		if int(threads[i]) > f.maxBlock[i] {
			return gpu.Errorf(gpu.ErrUnsupported, "launch", kernel, "%d threads along %s in a threadgroup, %s allows %d", threads[i],
				axis, f.name, f.maxBlock[i])
		}
	}
	return nil
}
