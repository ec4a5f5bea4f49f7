package catalog

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/chain"
	"assay/shaders/conv"
	"assay/shaders/entropy"
)

// front is the MSL front end's compiler. If none is found the test is skipped, except where continuous integration requires it.
var front = sync.OnceValues(clang.Find)

func compile(t *testing.T, name, text string) *clang.Library {
	t.Helper()
	c, err := front()
	if err != nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	l, err := c.Compile(t.Context(), msl.Source{Name: name, Text: text}, clang.Options{Cache: cache(t)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cache is a folder that all tests share, so that the language's headers are compiled once.
func cache(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("assay-shaders-test-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// checked has every source as first compiled: the tests examine different aspects of the same libraries.
var checked sync.Map

// eachSource runs f for every source with its kernels. After each source the compiler receives the assertions of
// TestParametersMatchTheHeaders.
func eachSource(t *testing.T, f func(t *testing.T, l *clang.Library, kernels []shaders.Kernel)) {
	bySource := map[string][]shaders.Kernel{}
	for _, k := range own() {
		bySource[k.Impl.Source.File] = append(bySource[k.Impl.Source.File], k)
	}
	for file, kernels := range bySource {
		t.Run(file, func(t *testing.T) {
			l, ok := checked.Load(file)
			if !ok {
				layouts := layouts(kernels, "static_assert", "is_same_v<decltype(%s::%s), %s>")
				l = compile(t, file, kernels[0].Impl.Source.Text()+"\n"+layouts)
				checked.Store(file, l)
			}
			f(t, l.(*clang.Library), kernels)
		})
	}
}

// layouts returns assertions about the parameters of kernels; see layout.
func layouts(kernels []shaders.Kernel, assert, sameType string) string {
	var all strings.Builder
	for _, k := range kernels {
		all.WriteString(layout(reflect.TypeOf(k.Impl.Op.Params), assert, sameType))
	}
	return all.String()
}

func entryOf(t *testing.T, l *clang.Library, k *shaders.Kernel) msl.Entry {
	t.Helper()
	all := l.Entries()
	i := slices.IndexFunc(all, func(e msl.Entry) bool { return e.Name == k.Name })
	if i < 0 {
		t.Fatalf("%s has no entry point %s", k.Impl.Source.File, k.Name)
	}
	return all[i]
}

func TestSourcesHaveEveryKernelAndNoOther(t *testing.T) {
	eachSource(t, func(t *testing.T, l *clang.Library, kernels []shaders.Kernel) {
		for _, k := range kernels {
			entryOf(t, l, &k)
			if k.Impl.Source.Hash() != kernels[0].Impl.Source.Hash() {
				t.Errorf("%s and %s are of two sources called %s", k.Name, kernels[0].Name, k.Impl.Source.File)
			}
		}
		for _, e := range l.Entries() {
			if !slices.ContainsFunc(kernels, func(k shaders.Kernel) bool { return k.Name == e.Name }) {
				t.Errorf("entry point %s has no description", e.Name)
			}
		}
	})
}

// TestEveryFileIsUsed finds sources without a kernel, and headers that no source includes.
func TestEveryFileIsUsed(t *testing.T) {
	generated, _, err := chain.New(chain.Program{Inputs: 1}, chain.Shape{Dims: [4]int{1, 1, 1, 1}, Strides: make([][4]int, 1)}, shaders.F32, "x")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, k := range append(own(), generated) {
		used[k.Impl.Source.File] = true
		for _, line := range strings.Split(k.Impl.Source.Text(), "\n") {
			if name, ok := strings.CutPrefix(line, "#line 1 \"include/"); ok {
				used[strings.TrimSuffix(name, "\"")] = true
			}
		}
	}
	sources, err := filepath.Glob("../*/*.metal")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, s := range sources {
		if !used[filepath.Base(s)] {
			t.Errorf("no kernel uses %s", s)
		}
	}
	err = fs.WalkDir(shaders.Headers(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !used[name] {
			t.Errorf("no source includes %s", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestArgumentsMatchTheSource(t *testing.T) {
	eachSource(t, func(t *testing.T, l *clang.Library, kernels []shaders.Kernel) {
		for _, k := range kernels {
			buffers := slices.DeleteFunc(slices.Clone(entryOf(t, l, &k).Args), func(a msl.Arg) bool { return a.Kind != msl.Buffer })
			if len(buffers) != len(k.Args)+1 {
				t.Errorf("%s: %d buffers in the source, want %d arguments and the parameters", k.Name, len(buffers), len(k.Args))
				continue
			}
			for i, b := range buffers[:len(k.Args)] {
				checkArgument(t, &k, i, b)
			}
			last := buffers[len(k.Args)]
			if want := "constant " + paramsOf(&k) + " &"; last.Type != want || last.Index != len(k.Args) {
				t.Errorf("%s: buffer %d is %s, want %s", k.Name, last.Index, last.Type, want)
			}
		}
	})
}

func paramsOf(k *shaders.Kernel) string { return reflect.TypeOf(k.Impl.Op.Params).Name() }

func checkArgument(t *testing.T, k *shaders.Kernel, i int, b msl.Arg) {
	t.Helper()
	a := k.Args[i]
	if b.Name != a.Name || b.Index != i || b.Space != msl.Device || b.Condition != a.If ||
		(b.Access == msl.Read) != (a.Access == shaders.In) {
		t.Errorf("%s: argument %d is %+v in the source, %+v in Go", k.Name, i, b, a)
	}
	elements := map[shaders.Type][]string{
		shaders.F32: {"float", "atomic_float"}, shaders.F16: {"half"}, shaders.BF16: {"bfloat"}, shaders.I8: {"char", "uchar"},
		shaders.I4: {"uchar"}, shaders.E4M3: {"uchar"}, shaders.E5M2: {"uchar"}, shaders.Ternary: {"uchar"}, shaders.I32: {"int"}, shaders.U32: {"uint"},
	}
	if a.Type.Block() != nil || a.Half != "" {
		elements[a.Type] = []string{"uchar"}
	}
	element := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(b.Type, "device "), "const "), " *")
	if !slices.Contains(elements[a.Type], element) {
		t.Errorf("%s: argument %s is of %s in the source, of %v in Go", k.Name, a.Name, element, a.Type)
	}
}

func TestConstantsMatchTheSource(t *testing.T) {
	eachSource(t, func(t *testing.T, l *clang.Library, kernels []shaders.Kernel) {
		var inSource []shaders.ConstantValue
		for _, c := range l.Constants() {
			inSource = append(inSource, shaders.ConstantValue{Name: c.Name, Index: c.Index, Type: c.Type})
			if c.Type != "bool" && c.Type != "int" {
				t.Errorf("constant %s is %s, want bool or int", c.Name, c.Type)
			}
		}
		for _, k := range kernels {
			values := k.Values()
			for i := range values {
				values[i].Value = 0
			}
			if !slices.Equal(values, inSource) {
				t.Errorf("%s: constants %+v, the source declares %+v", k.Name, values, inSource)
			}
			for _, a := range k.Args {
				for _, c := range []string{a.If, a.Half} {
					if c != "" && !slices.ContainsFunc(values, func(v shaders.ConstantValue) bool { return v.Name == c }) {
						t.Errorf("%s: argument %s depends on %s, which the source does not have", k.Name, a.Name, c)
					}
				}
			}
		}
	})
}

// TestThreadsMatchTheSource: only a kernel that reads the size of its threadgroup may run in one of another size, because of
// limits or of a tunable that its source does not have; or one whose threads know nothing of their threadgroup.
func TestThreadsMatchTheSource(t *testing.T) {
	eachSource(t, func(t *testing.T, l *clang.Library, kernels []shaders.Kernel) {
		for _, k := range kernels {
			loops := slices.ContainsFunc(entryOf(t, l, &k).Args, func(a msl.Arg) bool { return a.Builtin == "threads_per_threadgroup" })
			grouped := slices.ContainsFunc(entryOf(t, l, &k).Args, func(a msl.Arg) bool {
				return a.Builtin != "" && a.Builtin != "thread_position_in_grid"
			})
			for _, sizes := range groupSizes(&k) {
				if len(sizes) > 1 && grouped && !loops {
					t.Errorf("%s: threadgroups of %v, and the source does not loop by their size", k.Name, sizes)
				}
			}
		}
	})
}

// groupSizes returns the sizes of threadgroups that the kernel's cases run in, with large and small limits: those of the defaults
// and of all tunables that only the launch uses, and those of each setting of a tunable that the source has.
func groupSizes(k *shaders.Kernel) []map[[3]uint32]bool {
	all := []map[[3]uint32]bool{{}}
	addSizes(all[0], k.With(nil))
	for _, u := range k.Impl.Tunables {
		for _, v := range u.Values {
			sizes := all[0]
			if u.InSource() {
				sizes = map[[3]uint32]bool{}
				all = append(all, sizes)
			}
			addSizes(sizes, k.With(shaders.Constants{u.Name: v}))
		}
	}
	return all
}

func addSizes(sizes map[[3]uint32]bool, k shaders.Kernel) {
	for _, c := range k.Cases() {
		for _, threads := range []int{0, 1024, 512, 64} {
			if l, err := k.Launch(c.Params, shaders.Limits{Threads: threads}); err == nil {
				sizes[l.Threads] = true
			}
		}
	}
}

func TestThreadgroupMemoryMatchesTheSource(t *testing.T) {
	eachSource(t, func(t *testing.T, l *clang.Library, kernels []shaders.Kernel) {
		for _, k := range kernels {
			var want int
			for _, a := range entryOf(t, l, &k).Args {
				if a.Kind == msl.Threadgroup {
					want++
				}
			}
			for _, c := range k.Cases() {
				with := k.With(c.Constants)
				got, err := with.Launch(c.Params, shaders.Limits{})
				if err != nil || len(got.Shared) != want {
					t.Errorf("%s %+v: lengths %d, %v; the source has %d threadgroup arguments", k.Name, c.Params, got.Shared, err, want)
				}
				for _, n := range got.Shared {
					if n < 16 || n%16 != 0 {
						t.Errorf("%s %+v: %d B of threadgroup memory, want a multiple of 16", k.Name, c.Params, n)
					}
				}
			}
		}
	})
}

// TestParametersMatchTheHeaders lets the compilers of MSL (in eachSource) and of C check that the parameter structs have the same
// fields as the Go structs, in the same places.
func TestParametersMatchTheHeaders(t *testing.T) {
	for _, k := range own() {
		params := reflect.TypeOf(k.Impl.Op.Params)
		if n := len(shaders.EncodeParams(k.Impl.Op.Params)); n != 4*params.NumField() || n != int(params.Size()) {
			t.Errorf("%s: parameters encode to %d B, want %d fields of 4 B", k.Name, n, params.NumField())
		}
	}
	eachSource(t, func(t *testing.T, _ *clang.Library, kernels []shaders.Kernel) {
		inC := layouts(kernels, "_Static_assert", "__builtin_types_compatible_p(__typeof__(((struct %s *)0)->%s), %s)")
		compileC(t, kernels[0].Impl.Source, inC)
	})
}

// TestActivationsMatchTheHeader lets the C compiler check that the list of activations, from which the epilogues of MSL and C are
// built, matches that of shaders.
func TestActivationsMatchTheHeader(t *testing.T) {
	all := shaders.Activations()
	var checks strings.Builder
	checks.WriteString("#define VALUE(value, name) act_##name = value,\nenum { ACTIVATIONS(VALUE) act_none = 0 };\n")
	checks.WriteString("#define ONE(value, name) + 1\n")
	fmt.Fprintf(&checks, "_Static_assert(1 ACTIVATIONS(ONE) == %d, \"number of activations\");\n", len(all))
	for i, a := range all {
		fmt.Fprintf(&checks, "_Static_assert(act_%s == %d, \"value of %s\");\n", a.Name, i, a.Name)
	}
	k := MustFind("matmul_tiled_f32")
	compileC(t, k.Impl.Source, checks.String())
}

// TestNumbersMatchTheHeaders lets the C compiler compare the numbers that launches and sources share.
func TestNumbersMatchTheHeaders(t *testing.T) {
	for kernel, numbers := range map[string]map[string]int{
		"conv2d_tiled_f32": {
			"CONV_MAX_SIDE": conv.MaxSide, "CONV_MAX_STRIDE": conv.MaxStride, "CONV_TILE": conv.Tile,
			"CONV_TILE_OUTPUTS": conv.TileOutputs, "CONV_TILE_FLOATS": conv.TileFloats,
		},
		"entropy_int8":        {"ENTROPY_HALF": entropy.Half},
		"attention_flash_f32": {"ATTENTION_MAX_DIM": attention.MaxDim},
	} {
		var checks strings.Builder
		for name, want := range numbers {
			fmt.Fprintf(&checks, "_Static_assert(%s == %d, \"%s\");\n", name, want, name)
		}
		k := MustFind(kernel)
		compileC(t, k.Impl.Source, checks.String())
	}
}

// layout returns assertions about a struct in C or MSL; sameType is the language's check for the type of a field.
func layout(params reflect.Type, assert, sameType string) string {
	types := map[reflect.Kind]string{reflect.Uint32: "uint", reflect.Int32: "int", reflect.Float32: "float"}
	name := params.Name()
	text := fmt.Sprintf("%s(sizeof(struct %s) == %d, \"size of %s\");\n", assert, name, params.Size(), name)
	for i := range params.NumField() {
		f := params.Field(i)
		field := strings.ToLower(f.Name)
		text += fmt.Sprintf("%s(__builtin_offsetof(struct %s, %s) == %d, \"place of %s\");\n", assert, name, field, f.Offset, field)
		text += fmt.Sprintf("%s("+sameType+", \"type of %s\");\n", assert, name, field, types[f.Type.Kind()], field)
	}
	return text
}

// compileC includes the same parameter headers as the source, like the CPU engine's C code does.
func compileC(t *testing.T, source shaders.Source, checks string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip(err)
	}
	var text strings.Builder
	for _, line := range strings.Split(source.Text(), "\n") {
		if name, ok := strings.CutPrefix(line, "#line 1 \"include/params/"); ok {
			fmt.Fprintf(&text, "#include \"%s\"\n", path.Join("params", strings.TrimSuffix(name, "\"")))
		}
	}
	cmd := exec.CommandContext(t.Context(), cc, "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", "-I", "../include", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text.String() + checks)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("C: %v\n%s\n%s", err, out, text.String()+checks)
	}
}
