package gpu

import (
	"fmt"
	"path"
	"runtime"
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
// this package.
type site [4]uintptr

// resolve finds the innermost line outside this package.
func (s *site) resolve() Site {
	for _, pc := range s {
		if pc == 0 {
			break
		}
		// One address at a time: of calls that were inlined into one function this gives the innermost.
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "assay/gpu.") {
			return Site{f.Function, f.File, f.Line}
		}
	}
	return Site{}
}
