package gpu

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Site is a source line of the program. The zero Site is unknown.
type Site struct {
	Func string // with its import path
	File string
	Line int
}

// String returns "folder/file.go:line (pkg.Func)": short, and without paths of the machine it was built on.
func (s Site) String() string {
	if s.File == "" {
		return "unknown site"
	}
	file := path.Join(path.Base(path.Dir(s.File)), path.Base(s.File))
	return fmt.Sprintf("%s:%d (%s)", file, s.Line, s.Func[strings.LastIndexByte(s.Func, '/')+1:])
}

// site holds the return addresses of the innermost calls, innermost first; 0 where the stack ends. The first ones lie in
// this package, and some may belong to functions that acquire for others.
type site [8]uintptr

// trace returns the lines that the addresses stand for, without those of this package, starting at the first line outside the
// helper packages. If all lines are in helpers, it returns all of them.
func (s *site) trace(helpers []string) []Site {
	var all []Site
	helping := true
	for _, pc := range s {
		if pc == 0 {
			break
		}
		// One address at a time: for calls inlined into one function this gives the innermost first.
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
