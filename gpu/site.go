package gpu

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Site is a line of the program. The zero Site is an unknown one.
type Site struct {
	Func string // with its import path
	File string
	Line int
}

// String is "folder/file.go:line (pkg.Func)": short, and without the paths of the machine it was built on.
func (s Site) String() string {
	if s.File == "" {
		return "unknown site"
	}
	file := path.Join(path.Base(path.Dir(s.File)), path.Base(s.File))
	return fmt.Sprintf("%s:%d (%s)", file, s.Line, s.Func[strings.LastIndexByte(s.Func, '/')+1:])
}

// site is the return addresses of the innermost calls, the innermost first; 0 where the stack ends. The first lie in
// this package, and some may be those of functions that acquire for others.
type site [8]uintptr

// trace is the lines that the addresses stand for, without those of this package, and from the first that lies outside the
// packages helpers. If all are theirs, it is all of them.
func (s *site) trace(helpers []string) []Site {
	var all []Site
	helping := true
	for _, pc := range s {
		if pc == 0 {
			break
		}
		// One address at a time: of calls that were inlined into one function this gives the innermost first.
		for frames, more := runtime.CallersFrames([]uintptr{pc}), true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if f.Function == "" || strings.HasPrefix(f.Function, "assay/gpu.") || strings.HasPrefix(f.Function, "runtime.") {
				continue
			}
			if helping && !slices.ContainsFunc(helpers, func(h string) bool { return strings.HasPrefix(f.Function, h+".") }) {
				helping, all = false, nil
			}
			all = append(all, Site{f.Function, f.File, f.Line})
		}
	}
	return all
}
