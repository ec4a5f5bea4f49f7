package shaders

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mslParam is one parameter of a kernel in its .metal source.
type mslParam struct {
	name   string
	elem   string // pointee: "float", "T", "uchar"
	isOut  bool
	isRef  bool // the parameter struct
	gate   string
	buffer int
}

// entry is one host-visible kernel: its function and the element type of its instance.
type entry struct{ function, elem string }

var (
	comment       = regexp.MustCompile(`//[^\n]*`)
	plainKernel   = regexp.MustCompile(`(?m)(template <[^\n]*>\n)?^kernel void (\w+)\(`)
	hostName      = regexp.MustCompile(`template \[\[host_name\("(\w+)"\)\]\] kernel void (\w+)<(\w+)>`)
	macroName     = regexp.MustCompile(`(?m)^INSTANTIATE_(UNARY|BINARY)\("(\w+)", \w+\)`)
	macroHostName = regexp.MustCompile(`template \[\[host_name\(name "(_\w+)"\)\]\] kernel void (\w+)<(\w+), op>`)
	bufferParam   = regexp.MustCompile(`^(device|constant) (const )?(\w+) ([*&])(\w+) \[\[buffer\((\d+)\)(?:, function_constant\((\w+)\))?\]\]$`)
	structDef     = regexp.MustCompile(`(?s)struct (\w+Params) \{(.*?)\};`)
	structField   = regexp.MustCompile(`(\w+) (\w+);`)
	constantDef   = regexp.MustCompile(`constant (bool|int) (\w+) \[\[function_constant\((\d+)\)\]\];`)
)

// own lists the kernels that have a source.
func own() []Kernel {
	return slices.DeleteFunc(All(), func(k Kernel) bool { return k.Library != Own })
}

func source(t *testing.T, k Kernel) string {
	t.Helper()
	src := k.Source()
	if !strings.HasPrefix(src, "// Prepended") || !strings.Contains(src, "#line 1 \""+k.File+"\"\n") {
		t.Fatalf("%s: the source does not begin with the common header and a line directive", k.Name)
	}
	return comment.ReplaceAllString(src, "")
}

// entries lists the host-visible kernels of a source: plain ones, template instances, and instances made by macros.
func entries(src string) map[string]entry {
	out := map[string]entry{}
	for _, m := range plainKernel.FindAllStringSubmatch(src, -1) {
		if m[1] == "" { // a template is visible through its instances only
			out[m[2]] = entry{m[2], ""}
		}
	}
	for _, m := range hostName.FindAllStringSubmatch(src, -1) {
		out[m[1]] = entry{m[2], m[3]}
	}
	for _, use := range macroName.FindAllStringSubmatch(src, -1) {
		body := src[strings.Index(src, "#define INSTANTIATE_"+use[1]):]
		body = body[:strings.Index(body, "\n\n")]
		for _, m := range macroHostName.FindAllStringSubmatch(body, -1) {
			out[use[2]+m[1]] = entry{m[2], m[3]}
		}
	}
	return out
}

// signature lists the buffer parameters of a kernel function.
func signature(t *testing.T, src, function string) []mslParam {
	t.Helper()
	_, rest, found := strings.Cut(src, "kernel void "+function+"(")
	if !found {
		t.Fatalf("no kernel function %s", function)
	}
	list, _, _ := strings.Cut(rest, ") {")
	var out []mslParam
	for _, p := range regexp.MustCompile(`,\s*\n\s*`).Split(list, -1) {
		m := bufferParam.FindStringSubmatch(strings.TrimSpace(p))
		if m == nil {
			if strings.Contains(p, "buffer(") {
				t.Fatalf("%s: parameter %q is not understood", function, p)
			}
			continue // a position in the grid
		}
		index, err := strconv.Atoi(m[6])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, mslParam{m[5], m[3], m[1] == "device" && m[2] == "", m[4] == "&", m[7], index})
	}
	return out
}

func TestSourcesHaveEveryKernelAndNoOther(t *testing.T) {
	described := map[string]bool{}
	byFile := map[string]map[string]entry{}
	for _, k := range own() {
		if described[k.Name] {
			t.Errorf("two kernels are called %s", k.Name)
		}
		described[k.Name] = true
		if byFile[k.File] == nil {
			byFile[k.File] = entries(source(t, k))
		}
		if _, ok := byFile[k.File][k.Name]; !ok {
			t.Errorf("%s has no entry point %s", k.File, k.Name)
		}
	}
	for file, names := range byFile {
		for name := range names {
			if !described[name] {
				t.Errorf("%s: entry point %s has no description", file, name)
			}
		}
	}
	files, err := sources.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != "common.metal" && byFile[f.Name()] == nil {
			t.Errorf("no kernel uses %s", f.Name())
		}
	}
}

func TestArgumentsMatchTheSource(t *testing.T) {
	for _, k := range own() {
		src := source(t, k)
		e := entries(src)[k.Name]
		params := signature(t, src, e.function)
		if len(params) != len(k.Args)+1 {
			t.Errorf("%s: %d buffers in the source, want %d arguments and the parameters", k.Name, len(params), len(k.Args))
			continue
		}
		for i, p := range params {
			if p.buffer != i {
				t.Errorf("%s: %s is buffer %d, want %d", k.Name, p.name, p.buffer, i)
			}
			if i == len(k.Args) {
				if want := reflect.TypeOf(k.Params).Name(); !p.isRef || p.elem != want {
					t.Errorf("%s: buffer %d is %+v, want a reference to %s", k.Name, i, p, want)
				}
				continue
			}
			a := k.Args[i]
			if p.isRef || p.name != a.Name || p.isOut != (a.Access == Out) || p.gate != a.If {
				t.Errorf("%s: argument %d is %+v in the source, %+v in Go", k.Name, i, p, a)
			}
			if elem := elementOf(p, e); !holds(elem, a.Type) {
				t.Errorf("%s: argument %s is of %s in the source, of %v in Go", k.Name, a.Name, elem, a.Type)
			}
		}
	}
}

// elementOf is the element type of p in the instance e.
func elementOf(p mslParam, e entry) string {
	if p.elem == "T" {
		return e.elem
	}
	return p.elem
}

func holds(elem string, t Type) bool {
	switch t {
	case F32:
		return elem == "float"
	case F16:
		return elem == "half"
	case I8:
		return elem == "char" || elem == "uchar"
	default:
		return elem == "uchar"
	}
}

func TestParametersMatchTheSource(t *testing.T) {
	mslTypes := map[reflect.Kind]string{reflect.Uint32: "uint", reflect.Int32: "int", reflect.Float32: "float"}
	for _, k := range own() {
		params := reflect.TypeOf(k.Params)
		var fields [][]string
		for _, m := range structDef.FindAllStringSubmatch(source(t, k), -1) {
			if m[1] == params.Name() {
				fields = structField.FindAllStringSubmatch(m[2], -1)
			}
		}
		if len(fields) != params.NumField() {
			t.Errorf("%s: struct %s has %d fields in the source, %d in Go", k.Name, params.Name(), len(fields), params.NumField())
			continue
		}
		for i, f := range fields {
			g := params.Field(i)
			if g.Type.Size() != 4 || mslTypes[g.Type.Kind()] != f[1] || !strings.EqualFold(g.Name, f[2]) {
				t.Errorf("%s: field %d of %s is %s %s in the source, %s %s in Go", k.Name, i, params.Name(), f[1], f[2], g.Type, g.Name)
			}
		}
		if n := len(EncodeParams(k.Params)); n != 4*params.NumField() || n != int(params.Size()) {
			t.Errorf("%s: parameters encode to %d B, want %d fields of 4 B", k.Name, n, params.NumField())
		}
	}
}

func TestConstantsMatchTheSource(t *testing.T) {
	for _, k := range own() {
		defs := constantDef.FindAllStringSubmatch(source(t, k), -1)
		inFile := map[string][]string{}
		for _, d := range defs {
			inFile[d[2]] = d
		}
		for _, c := range k.Constants {
			d := inFile[c.Name]
			if d == nil {
				t.Errorf("%s: constant %s is not in the source", k.Name, c.Name)
				continue
			}
			if d[3] != strconv.Itoa(c.Index) {
				t.Errorf("%s: constant %s has index %s in the source, %d in Go", k.Name, c.Name, d[3], c.Index)
			}
			if c.Max < 1 || (d[1] == "bool") != c.Bool() {
				t.Errorf("%s: constant %s is a %s in the source, 0…%d in Go", k.Name, c.Name, d[1], c.Max)
			}
		}
		for _, a := range k.Args {
			if a.If != "" && inFile[a.If] == nil {
				t.Errorf("%s: argument %s depends on %s, which the source does not have", k.Name, a.Name, a.If)
			}
		}
	}
}

// TestThreadsMatchTheSource: only a kernel that asks for the size of its threadgroup may run in a smaller one.
func TestThreadsMatchTheSource(t *testing.T) {
	for _, k := range own() {
		src := source(t, k)
		_, rest, _ := strings.Cut(src, "kernel void "+entries(src)[k.Name].function+"(")
		list, _, _ := strings.Cut(rest, ") {")
		loops := strings.Contains(list, "[[threads_per_threadgroup]]")
		for _, c := range k.Cases {
			if l := k.Launch(c.Params); l.Fewer != loops {
				t.Errorf("%s %+v: fewer threads than %v allowed: %v; the source loops by their number: %v", k.Name, c.Params,
					l.Threads, l.Fewer, loops)
			}
		}
	}
}
