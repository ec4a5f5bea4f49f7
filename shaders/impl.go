package shaders

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Library names the platform's own library that runs an implementation in place of MSL source.
type Library string

// Libraries. Own means none: the implementation has a source.
const (
	Own        Library = ""
	MPS        Library = "mps"        // Metal Performance Shaders
	CuBLAS     Library = "cublas"     // on NVIDIA GPUs, if installed
	OpenBLAS   Library = "openblas"   // on CPUs, if installed
	Accelerate Library = "accelerate" // on the CPUs of macOS
)

// libraryNames is how people refer to a library.
type libraryNames struct {
	short, title, full, engine string
	system                     string // the only operating system that has it, as runtime.GOOS; empty: any
}

func (l Library) names() libraryNames {
	return map[Library]libraryNames{
		MPS:        {"MPS", "Apple’s MPS", "Metal Performance Shaders", "metal", ""},
		CuBLAS:     {"cuBLAS", "NVIDIA’s cuBLAS", "cuBLAS", "cuda", "linux"},
		OpenBLAS:   {"OpenBLAS", "OpenBLAS", "OpenBLAS", "cpu", ""},
		Accelerate: {"Accelerate", "Apple’s Accelerate", "Accelerate", "cpu", "darwin"},
	}[l]
}

// Short names a library in variants, Title in the window, and Full in sentences; all are empty for Own.
func (l Library) Short() string { return l.names().short }

// Title returns the name in the window; see Short.
func (l Library) Title() string { return l.names().title }

// Full returns the name in sentences; see Short.
func (l Library) Full() string { return l.names().full }

// Engine returns the name of the engine that may have it; empty for Own.
func (l Library) Engine() string { return l.names().engine }

// MayBeOn reports whether an operating system may have the library.
func (l Library) MayBeOn(system string) bool {
	only := l.names().system
	return only == "" || only == system
}

// Feature is a set of things that a device or its compiler must offer.
type Feature uint8

// Features.
const (
	SIMDGroupMatrix Feature = 1 << iota // simdgroup_matrix: Apple GPUs from the M1 on
	BFloat                              // bfloat: Metal 3.1
	// Threadgroups is for implementations whose point is threadgroups, and which would be something else without them: every GPU has them.
	Threadgroups
	FloatAtomics // atomic_float: Metal 3
	// HostTensors means that arguments are tensors, whose shapes come in a buffer that gpu/msl adds: whatever it compiles has them.
	HostTensors
)

// String names the features in the set: "simdgroup_matrix and bfloat".
func (f Feature) String() string {
	var names []string
	for i, name := range []string{"simdgroup_matrix", "bfloat", "threadgroups", "atomic_float", "tensors as arguments"} {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// Limits are the limits of a device or a pipeline that a launch must respect. 0 means not known, which limits nothing.
type Limits struct {
	Threads int // per threadgroup
	Shared  int // bytes of threadgroup memory
}

// Launch is the geometry of one dispatch: threadgroups, threads in each, and the bytes of the [[threadgroup(n)]]
// arguments, in order; each is a multiple of 16.
type Launch struct {
	Groups, Threads [3]uint32
	// Grid is the total number of threads if the last threadgroups have fewer than the others; 0: all are whole.
	Grid   [3]uint32
	Shared []int
}

// FloatBytes returns the bytes of a [[threadgroup(n)]] argument of n floats.
func FloatBytes(n uint32) int { return int(4*n+15) / 16 * 16 }

// check refuses what exceeds the limits.
func (l *Launch) check(limits Limits) error {
	threads := uint64(l.Threads[0]) * uint64(l.Threads[1]) * uint64(l.Threads[2])
	if limits.Threads > 0 && threads > uint64(limits.Threads) {
		return fmt.Errorf("%d × %d × %d threads in a threadgroup, the pipeline allows %d", l.Threads[0], l.Threads[1],
			l.Threads[2], limits.Threads)
	}
	shared := 0
	for _, n := range l.Shared {
		shared += n
	}
	if limits.Shared > 0 && shared > limits.Shared {
		return fmt.Errorf("%d B of threadgroup memory, the device has %d B", shared, limits.Shared)
	}
	return nil
}

// Plain names the implementation of an operation beside which others have distinguishing names.
const Plain = "plain"

// Impl is an implementation: how an operation is computed.
type Impl struct {
	Op    *Op
	Name  string // unique within the operation: Plain, "tiled", "mps"
	Title string // in charts and sentences: "two passes"; empty: Name
	About string // one plain sentence; empty: the operation's
	Types []Type // supported types
	// Source is the MSL of all its entry points; libraries have none.
	Source  Source
	Library Library
	// Entry is the entry point if a user's source names it differently than the rule; see Kernel.Name.
	Entry string
	// Constants are the constants of the operation that the implementation uses. A source declares these, and tunables with an index, and no
	// other function constants.
	Constants []Constant
	Tunables  []Tunable
	// Fixed are function constants of a user's source, of any type that the language allows.
	Fixed []ConstantValue
	Cases []Case // in addition to the operation's: settings of tunables
	Needs Feature
	// MaxThreads returns the value of max_total_threads_per_threadgroup under constants, used if the tunable with the index Attribute is 1; nil if
	// there is no such tunable.
	MaxThreads func(c Constants) int
	// Valid refuses calls of the operation that this implementation cannot run; nil accepts all.
	Valid func(c Call) error
	// Suits says why a call that it can run is not what it is designed for, so that comparisons leave it out; nil: there are no such calls.
	Suits func(c Call) error
	// Launch returns the geometry for a call. If the limits make it use fewer threads, the source loops by
	// threads_per_threadgroup. Nil for a library's implementation.
	Launch func(c Call, l Limits) Launch
	// Dims returns the sizes that a library's operation is prepared for, in the order in which the library's row
	// in the engine lists them. Nil for implementations with a source.
	Dims func(c Call) []uint32
}

// Shown returns the implementation's name in charts and sentences.
func (m *Impl) Shown() string { return cmp.Or(m.Title, m.Name) }

// entry returns the name of the implementation's kernel of type t.
func (m *Impl) entry(t Type) string {
	switch {
	case m.Entry != "":
		return m.Entry
	case m.Name == Plain:
		return m.Op.Name + "_" + t.String()
	}
	return m.Op.Name + "_" + m.Name + "_" + t.String()
}

// Kernel returns the implementation's kernel for type t, which must be one of Types.
func (m *Impl) Kernel(t Type) Kernel {
	k := Kernel{Impl: m, Name: m.entry(t), Type: t}
	return k.With(nil)
}

// args returns the operation's arguments for type t and constants c.
func (m *Impl) args(t Type, c Constants) []Arg {
	all := slices.Clone(m.Op.Args)
	for i, a := range all {
		if a.Type == Var {
			all[i].Type = t
		}
		if c[a.Half] != 0 {
			all[i].Type = F16
		}
	}
	return all
}

// defaults returns the values of constants that were not given.
func (m *Impl) defaults() Constants {
	all := Constants{}
	for _, t := range m.Tunables {
		all[t.Name] = t.Default
	}
	return all
}

// Fit returns a number of threads, in whole SIMD groups, that is at most `threads` and within the limits.
func (l Limits) Fit(threads uint32) uint32 {
	if l.Threads == 0 || int(threads) <= l.Threads {
		return threads
	}
	return max(32, uint32(l.Threads)/32*32)
}

// Choices formats the values that a tunable may have: "8, 16 or 32".
func Choices(values []int32) string {
	text := strings.Trim(fmt.Sprint(values), "[]")
	text = strings.ReplaceAll(text, " ", ", ")
	if i := strings.LastIndex(text, ", "); i >= 0 {
		text = text[:i] + " or " + text[i+2:]
	}
	return text
}
