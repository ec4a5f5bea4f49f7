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

// resolve finds the innermost line outside this package and outside the packages helpers. If it finds only theirs, it
// is the innermost of them.
func (s *site) resolve(helpers []string) Site {
	var helper Site
	for _, pc := range s {
		if pc == 0 {
			break
		}
		// One address at a time: of calls that were inlined into one function this gives the innermost.
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		if f.Function == "" || strings.HasPrefix(f.Function, "assay/gpu.") {
			continue
		}
		at := Site{f.Function, f.File, f.Line}
		if !slices.ContainsFunc(helpers, func(h string) bool { return strings.HasPrefix(f.Function, h+".") }) {
			return at
		}
		if helper == (Site{}) {
			helper = at
		}
	}
	return helper
}
