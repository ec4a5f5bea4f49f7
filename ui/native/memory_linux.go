package native

import (
	"bufio"
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

// TuneMalloc has glibc's malloc keep less of what is freed. It makes no more than two arenas: it makes one for each of eight threads a
// processor, any of the runtime's threads may call C, and each arena keeps what is left between its blocks. And blocks of 8 KB and more,
// such as the texture of a word, are mapped on their own, and unmapped when they are freed: in the heap they leave holes among smaller
// ones that live on. A redraw of the Monitor page maps some hundred. Another C library may have no such
// call. It has an effect before the first threads have their arenas.
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

// dropCode releases the code of shared libraries. Code that runs again is read from the page cache: a software GL
// compiles its shaders at start, with some 50 MB of code that is then idle. Modified code, for instance by a debugger,
// stays: it is not in the file.
func dropCode() {
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	var from, to uintptr
	code := false
	for s := bufio.NewScanner(maps); s.Scan(); {
		if a, b, ok := libraryCode(s.Text()); ok {
			from, to, code = a, b, true
		}
		if dirty, ok := strings.CutPrefix(s.Text(), "Private_Dirty:"); ok {
			if code && strings.TrimSpace(dirty) == "0 kB" {
				_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED) // a failure leaves it as it is
			}
			code = false
		}
	}
}

// libraryCode is the range of a line that heads a mapping, where that is private code of a shared library: its pages are
// those of the file.
func libraryCode(line string) (from, to uintptr, ok bool) {
	f := strings.Fields(line)
	if len(f) != 6 || f[1] != "r-xp" || !strings.HasPrefix(f[5], "/") || !strings.Contains(f[5], ".so") {
		return 0, 0, false
	}
	first, last, _ := strings.Cut(f[0], "-")
	a, err := strconv.ParseUint(first, 16, strconv.IntSize)
	b, err2 := strconv.ParseUint(last, 16, strconv.IntSize)
	return uintptr(a), uintptr(b), err == nil && err2 == nil && a < b
}
