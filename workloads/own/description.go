package own

import (
	"path/filepath"
	"strings"
	"time"
)

// Limits on descriptions, which may be untrusted.
const (
	maxDescription = 256 << 10 // bytes in the file
	maxSizes       = 32
	maxArguments   = 62
	maxOfLimit     = 10 * time.Minute
	defaultTime    = 60 * time.Second
	defaultMemory  = 4 << 30
	minMemory      = 64 << 20
	maxMemory      = 64 << 30
)

// Description specifies how a kernel is called and what its results must be.
type Description struct {
	Path   string // of its file
	About  string
	Source string // .metal file next to the description
	Entry  string // empty: the source has only one
	// Include lists folders, and Define macros, for the compiler.
	Include   []string
	Define    map[string]string
	FastMath  bool
	NoRace    string // why the result may depend on thread order; empty: it must not
	Sizes     []Size
	Args      []Argument
	Constants []Setting
	Launch    Geometry
	Reference *Truth // nil: results are not verified
	Time      time.Duration
	Memory    int64
	// Operations and Bytes are the work of one launch, for rates; empty: not given.
	Operations, Bytes Expr
}

// Size is a named size. Check is its value in checked and race mode, Sweep the values of a sweep.
type Size struct {
	Name  string
	Value float64
	Check float64
	Sweep []float64
}

// Argument is what one argument of the entry point holds.
type Argument struct {
	Name    string
	Type    string // empty: the entry point's type
	Length  Expr   // of a buffer, in elements of Type
	Extents []Expr // of a tensor, from the innermost (contiguous) dimension on; Length may then be omitted
	Strides []Expr // in elements, one for each of Extents; none: no gaps
	Fill    Fill   // of a buffer
	Seed    uint64
	Low     float64 // random numbers range from Low to High; ramps begin at Low and rise by Step
	High    float64
	Step    float64
	File    string // of .npy or .safetensors
	Tensor  string // in File
	Value   Expr   // of a scalar
	Fields  []Field
	Bytes   Expr // of a threadgroup argument
	Compare bool // it is an output, compared with the reference
}

// Field is a member of a struct argument.
type Field struct {
	Name, Type string
	Value      Expr
}

// Fill is what a buffer holds before the kernel runs.
type Fill string

// Fills.
const (
	Random   Fill = "random"
	Ramp     Fill = "ramp"
	Zeros    Fill = "zeros"
	Ones     Fill = "ones"
	FromFile Fill = "file"
	Written  Fill = "output" // no contents: bytes of 0xFF, and the kernel must write it
)

// Fills lists them.
func Fills() []Fill { return []Fill{Random, Ramp, Zeros, Ones, FromFile, Written} }

// Setting is a value of a function constant.
type Setting struct {
	Name  string
	Value Expr
}

// Geometry is how many threads are launched: either Grid, the total number of threads, or Groups, the number of threadgroups; and the
// threads in each.
type Geometry struct{ Grid, Groups, Threadgroup []Expr }

// Truth is the reference that results are compared with: functions in Starlark, or another kernel.
type Truth struct {
	Starlark string
	Kernel   string // .metal file; empty: the same source
	Entry    string // of the other kernel
	Launch   Geometry
	Abs, Rel float64 // a result may be off by Abs + Rel·|wanted|; −1: the default for its type
	// Limit is how many elements of each output are compared with Starlark's.
	Limit int
}

// Verified reports whether results are compared with anything.
func (d *Description) Verified() bool { return d.Reference != nil }

// Name is the kernel's display name: the description's file name without its ending, or the folder of a kernel.toml.
func (d *Description) Name() string {
	base := filepath.Base(d.Path)
	if base == single {
		folder := filepath.Dir(d.Path)
		if full, err := filepath.Abs(folder); err == nil {
			folder = full // "." and ".." are not names
		}
		return filepath.Base(folder)
	}
	return strings.TrimSuffix(base, ending)
}

// Folder returns the description's folder.
func (d *Description) Folder() string { return filepath.Dir(d.Path) }

// Values returns the sizes by name; checked selects those of checked mode.
func (d *Description) Values(checked bool) map[string]float64 {
	all := map[string]float64{}
	for _, s := range d.Sizes {
		all[s.Name] = s.Value
		if checked {
			all[s.Name] = s.Check
		}
	}
	return all
}
