package native

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/ebitengine/purego"
)

// trimC makes glibc's malloc release its unused pages; another C library may have no such call.
func trimC() {
	if f, err := purego.Dlsym(purego.RTLD_DEFAULT, "malloc_trim"); err == nil {
		purego.SyscallN(f, 0)
	}
}

// TuneMalloc makes glibc's malloc keep less of what is freed. It limits malloc to two arenas: by default there are up to eight per
// processor, any of the runtime's threads may call C, and each arena keeps what is left between its blocks. Blocks of 8 KB and
// more, such as the texture of a word, are mapped individually, and unmapped when freed: in the heap they would leave holes among
// smaller blocks that live on. A redraw of the Monitor page maps about a hundred. Another C library may have no such
// call. It must be called before the first threads have their arenas.
func TuneMalloc() {
	const (
		arenaMax, arenas     = -8, 2 // M_ARENA_MAX of malloc.h
		mmapThreshold, bytes = -3, 8 << 10
	)
	f, err := purego.Dlsym(purego.RTLD_DEFAULT, "mallopt")
	if err != nil {
		return
	}
	for _, option := range [][2]int{{arenaMax, arenas}, {mmapThreshold, bytes}} {
		purego.SyscallN(f, uintptr(option[0]), uintptr(option[1]))
	}
}

// dropCode releases the code and constants of the program and of shared libraries. Code that runs again is read from the page
// cache: a software GL compiles its shaders at start, with some 50 MB of code that is idle afterward.
func dropCode() {
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for _, m := range mappings(string(smaps)) {
		if from, to, ok := m.inFile(program); ok {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED) // on failure it stays as it is
		}
	}
}

// mapping is a range of the program's memory.
type mapping struct {
	head    string // its first line
	changed bool   // part of it differs from the file, for instance through a debugger or the dynamic linker
}

// mappings reads /proc/self/smaps.
func mappings(smaps string) (all []mapping) {
	for line := range strings.Lines(smaps) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "Private_Dirty", "Anonymous", "Swap":
			if len(all) > 0 && strings.TrimSpace(value) != "0 kB" {
				all[len(all)-1].changed = true
			}
		default:
			if strings.Contains(name, "-") { // two addresses
				all = append(all, mapping{head: line})
			}
		}
	}
	return all
}

// inFile returns the range of a mapping that holds unmodified content of the program's file or a shared library's. Other files
// may be unmapped at any time, and their addresses reused.
func (m mapping) inFile(program string) (from, to uintptr, ok bool) {
	f := strings.Fields(m.head)
	if m.changed || len(f) != 6 || f[1] != "r-xp" && f[1] != "r--p" || f[5] != program && !(strings.HasPrefix(f[5], "/") && strings.Contains(f[5], ".so")) {
		return 0, 0, false
	}
	first, last, _ := strings.Cut(f[0], "-")
	a, err := strconv.ParseUint(first, 16, strconv.IntSize)
	b, err2 := strconv.ParseUint(last, 16, strconv.IntSize)
	return uintptr(a), uintptr(b), err == nil && err2 == nil && a < b
}
