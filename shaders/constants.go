package shaders

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Constant is a function constant: a switch that is fixed when the kernel is compiled.
type Constant struct {
	Name  string
	Index int   // [[function_constant(Index)]]
	Max   int32 // valid values are 0…Max; the default is 0
	About string
}

// Types of function constants in Assay's built-in sources.
const boolConstant, intConstant = "bool", "int"

// typeName returns the constant's type in the source: constants of 0 and 1 are MSL bool, of one byte, and the others int, of
// four. A compiler must receive a value of that type.
func (c Constant) typeName() string {
	if c.Max == 1 {
		return boolConstant
	}
	return intConstant
}

// Indices of tunables that are not function constants.
const (
	LaunchOnly = -1 // only the launch geometry uses it
	Attribute  = -2 // whether the kernel has max_total_threads_per_threadgroup; see Kernel.MaxThreads
)

// Tunable is a setting of an implementation that changes its speed but not its result: a tile, a number of threads.
type Tunable struct {
	Name    string
	Index   int     // [[function_constant(Index)]] of type int, LaunchOnly or Attribute
	Values  []int32 // sensible values
	Default int32   // one of them
	About   string
}

// InSource reports whether the source declares the tunable.
func (t *Tunable) InSource() bool { return t.Index >= 0 }

// BoundThreads is the name of AttributeTunable.
const BoundThreads = "attribute"

// AttributeTunable makes a kernel compile with or without the attribute max_total_threads_per_threadgroup, whose value is Impl.MaxThreads. Engines
// add it to the compiled code, so a source need not contain its entry points twice.
func AttributeTunable(standard int32) Tunable {
	return Tunable{
		Name: BoundThreads, Index: Attribute, Values: []int32{0, 1}, Default: standard,
		About: "1: compiled for no more threads in a threadgroup than it is launched with (max_total_threads_per_threadgroup), which may leave each more registers",
	}
}

// Constants gives values to constants and tunables by name. Omitted constants are 0; omitted tunables have their defaults.
type Constants map[string]int32

// Key returns the canonical spelling of c, for cache keys and labels: "a=1,b=2".
func (c Constants) Key() string { return c.key(nil) }

// key leaves out values that are 0 or, if there is a default, equal to it.
func (c Constants) key(defaults Constants) string {
	names := make([]string, 0, len(c))
	for n, v := range c {
		if v != defaults[n] {
			names = append(names, fmt.Sprintf("%s=%d", n, v))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// ParseConstants parses the spelling that Key returns.
func ParseConstants(key string) (Constants, error) {
	all := Constants{}
	if key == "" {
		return all, nil
	}
	for part := range strings.SplitSeq(key, ",") {
		name, value, ok := strings.Cut(part, "=")
		n, err := strconv.ParseInt(value, 10, 32)
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("invalid constant %q: want name=number", part)
		}
		all[name] = int32(n)
	}
	return all, nil
}
