//go:build metalsim && cgo

package sim

/*
#include <stdlib.h>
#include "kernel.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/cgo"
	"sync"
	"unsafe"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/gpu/msl/exec"
)

// say passes an error's text to C, which frees it.
func say(to **C.char, format string, args ...any) { *to = C.CString(fmt.Sprintf(format, args...)) }

// Sources have no path in Metal; Apple's compiler uses this name.
const sourceName = "program_source"

// cacheVariable names the folder for compiled kernels.
const cacheVariable = "METALSIM_CACHE"

// cacheDir is the simulator's folder in the user's cache directory, never the app's. Test packages share compiled
// kernels there.
func cacheDir() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		return dir, nil
	}
	user, err := os.UserCacheDir()
	return filepath.Join(user, "assay", "metalsim"), err
}

//export simCompile
func simCompile(source *C.char, fast C.int, macros **C.char, count C.int, text **C.char) C.uintptr_t {
	compiler, err := clang.Find()
	if err != nil {
		say(text, "no compiler for .metal source: %v", err)
		return 0
	}
	cache, err := cacheDir()
	if err != nil {
		say(text, "no folder for compiled kernels: %v", err)
		return 0
	}
	defined := map[string]string{}
	texts := unsafe.Slice(macros, int(count))
	for i := 0; i+1 < len(texts); i += 2 {
		defined[C.GoString(texts[i])] = C.GoString(texts[i+1])
	}
	library, err := compileOnce(compiler, msl.Source{Name: sourceName, Text: C.GoString(source), Macros: defined},
		clang.Options{Checked: true, FastMath: fast != 0, Cache: cache})
	if err != nil {
		say(text, "%v", err)
		return 0
	}
	return C.uintptr_t(cgo.NewHandle(library))
}

// compiled keeps libraries of the process: tests open many devices, and the compiler's preprocessor has to run for each
// library, in a process of its own.
var compiled = newLibraries(128)

func compileOnce(c *clang.Compiler, s msl.Source, o clang.Options) (*clang.Library, error) {
	key := fmt.Sprintf("%q %q %+v", s.Text, s.Macros, o)
	if l, ok := compiled.get(key); ok {
		return l, nil
	}
	l, err := c.Compile(context.Background(), s, o)
	if err == nil {
		compiled.keep(key, l)
	}
	return l, err
}

//export simDrop
func simDrop(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	if c, ok := h.Value().(interface{ Close() error }); ok {
		_ = c.Close() // a release cannot report an error
	}
	h.Delete()
}

//export simEntryName
func simEntryName(handle C.uintptr_t, at C.int) *C.char {
	entries := cgo.Handle(handle).Value().(*clang.Library).Entries()
	if int(at) >= len(entries) {
		return nil
	}
	return C.CString(entries[at].Name)
}

func findEntry(l *clang.Library, name string) (msl.Entry, bool) {
	for _, e := range l.Entries() {
		if e.Name == name {
			return e, true
		}
	}
	return msl.Entry{}, false
}

// constantValues returns the values by index. Names that the source does not declare are skipped.
func constantValues(l *clang.Library, constants *C.sim_constant, count C.int) map[int][]byte {
	values := map[int][]byte{}
	for i := range unsafe.Slice(constants, int(count)) {
		c := &unsafe.Slice(constants, int(count))[i]
		index := int(c.index)
		if name := C.GoString(&c.name[0]); name != "" {
			index = -1
			for _, known := range l.Constants() {
				if known.Name == name {
					index = known.Index
				}
			}
		}
		if index >= 0 {
			values[index] = C.GoBytes(unsafe.Pointer(&c.value[0]), C.int(c.bytes))
		}
	}
	return values
}

//export simHasEntry
func simHasEntry(handle C.uintptr_t, name *C.char) C.int {
	if _, ok := findEntry(cgo.Handle(handle).Value().(*clang.Library), C.GoString(name)); !ok {
		return 0
	}
	return 1
}

// sharedKernel serializes launches: queues may share a pipeline, but a Kernel runs one launch at a time.
type sharedKernel struct {
	sync.Mutex
	*exec.Kernel
}

//export simBuild
func simBuild(handle C.uintptr_t, name *C.char, constants *C.sim_constant, count C.int, out *C.sim_kernel,
	text **C.char,
) C.int {
	library := cgo.Handle(handle).Value().(*clang.Library)
	values := constantValues(library, constants, count)
	object, err := library.Object(context.Background(), C.GoString(name), values)
	if err != nil {
		say(text, "%v", err)
		return 0
	}
	kernel, err := exec.Load(object)
	if err != nil {
		say(text, "%v", err)
		return 0
	}
	entry := object.Entry
	out.handle = C.uintptr_t(cgo.NewHandle(&sharedKernel{Kernel: kernel}))
	out.max_threads = C.uint32_t(entry.MaxThreads)
	for _, a := range entry.Args {
		if a.Index < 0 || a.Index >= len(out.buffers) || !exists(library, a, values) {
			continue
		}
		switch a.Kind {
		case msl.Buffer:
			out.buffers[a.Index] = C.CString(a.Name)
		case msl.Threadgroup:
			out.threadgroups[a.Index] = C.CString(a.Name)
		}
	}
	return 1
}

// exists reports whether the argument exists with these constants.
func exists(l *clang.Library, a msl.Arg, values map[int][]byte) bool {
	if a.Condition == "" {
		return true
	}
	for _, c := range l.Constants() {
		if c.Name == a.Condition {
			v := values[c.Index]
			return len(v) > 0 && v[0] != 0
		}
	}
	return true
}

//export simRun
func simRun(handle C.uintptr_t, launch *C.sim_launch, text **C.char) C.int {
	kernel := cgo.Handle(handle).Value().(*sharedKernel)
	kernel.Lock()
	err := kernel.Run(context.Background(), launchOf(launch))
	kernel.Unlock()
	if err == nil {
		return C.SIM_DONE
	}
	say(text, "%v", err)
	var fault *exec.Fault
	if errors.As(err, &fault) {
		return C.SIM_FAULT
	}
	return C.SIM_FAILED
}

func launchOf(c *C.sim_launch) exec.Launch {
	var l exec.Launch
	for i := range 3 {
		l.Groups[i], l.Threads[i], l.Grid[i] = uint32(c.groups[i]), uint32(c.threads[i]), uint32(c.grid[i])
	}
	for i := range c.buffers {
		l.Threadgroup[i] = int(c.threadgroups[i])
		if c.buffers[i] != nil {
			l.Buffers[i] = unsafe.Slice((*byte)(c.buffers[i]), int(c.lengths[i]))
		}
	}
	return l
}
