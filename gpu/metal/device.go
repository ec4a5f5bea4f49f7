package metal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/gpu"
)

// facts are the properties that a device reports.
type facts struct {
	name, architecture    string // architecture is empty before macOS 14
	registryID            uint64
	workingSet, maxBuffer uint64
	maxThreads            int
	maxThreadgroupMemory  int
	location              int // 0 built in, 1 slot, 2 external, −1 unspecified
	apple, mac, metal     int // the highest of each kind of family; 0: none
	cores                 int // 0: unknown
	lowPower, headless    bool
	removable, unified    bool
	simulated             bool
	stageCounters         bool
}

// deviceInfo is a GPU that an engine can open.
type deviceInfo struct {
	name       string
	registryID uint64 // for this boot of the system
	location   string // "built in", "slot", "external", "unspecified"
	lowPower   bool   // the weaker of two GPUs
	unified    bool   // host and device share memory
	removable  bool
	headless   bool  // no display can be connected
	simulated  bool  // there is no GPU
	workingSet int64 // bytes that can be live at once without penalty; 0: not reported
	maxBuffer  int64 // bytes
}

// String names the device and what sets it apart.
func (d deviceInfo) String() string {
	words := []string{fmt.Sprintf("%s (0x%x", d.name, d.registryID), d.location}
	for _, w := range []struct {
		is   bool
		word string
	}{
		{d.unified, "unified memory"},
		{d.lowPower, "low power"},
		{d.removable, "removable"},
		{d.headless, "headless"},
	} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ") + ")"
}

func (f facts) device() deviceInfo {
	name := f.name
	if f.simulated {
		name = simulatedName(name)
	}
	return deviceInfo{
		name: name, registryID: f.registryID, location: f.where(),
		lowPower: f.lowPower, unified: f.unified, removable: f.removable, headless: f.headless, simulated: f.simulated,
		workingSet: int64(f.workingSet), maxBuffer: int64(f.maxBuffer),
	}
}

// simulatedName makes sure that the name of a simulated device says so.
func simulatedName(name string) string {
	if strings.Contains(strings.ToLower(name), "simulated") {
		return name
	}
	return name + " (simulated)"
}

func (f facts) where() string {
	switch f.location {
	case 0:
		return "built in"
	case 1:
		return "slot"
	case 2:
		return "external"
	}
	return "unspecified"
}

// choose returns the index of the device to open. want is a name or a registry ID. If it is empty, devices are compared in
// this order: unified memory, highest Apple family, not low-power, not removable, larger working set, and finally the lower
// registry ID, so that the choice is the same every time.
func choose(devices []facts, want string) (int, error) {
	if len(devices) == 0 {
		return 0, gpu.Errorf(gpu.ErrUnsupported, "open", "", "this system has no Metal device")
	}
	if want != "" {
		return find(devices, want)
	}
	best := 0
	for i := range devices {
		if better(&devices[i], &devices[best]) < 0 {
			best = i
		}
	}
	return best, nil
}

// better returns a negative number if a is the better device.
func better(a, b *facts) int {
	return cmp.Or(
		first(a.unified, b.unified),
		cmp.Compare(b.apple, a.apple),
		first(!a.lowPower, !b.lowPower),
		first(!a.removable, !b.removable),
		cmp.Compare(b.workingSet, a.workingSet),
		cmp.Compare(a.registryID, b.registryID),
	)
}

// first returns a negative number if only a holds.
func first(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

func find(devices []facts, want string) (int, error) {
	id, err := strconv.ParseUint(want, 0, 64)
	isID := err == nil
	i := slices.IndexFunc(devices, func(f facts) bool {
		return isID && f.registryID == id || strings.EqualFold(f.name, want) || strings.EqualFold(f.device().name, want)
	})
	if i >= 0 {
		return i, nil
	}
	var have []string
	for _, f := range devices {
		have = append(have, f.device().String())
	}
	return 0, gpu.Errorf(gpu.ErrUnsupported, "open", "", "no Metal device %q; there are: %s", want,
		strings.Join(have, "; "))
}
