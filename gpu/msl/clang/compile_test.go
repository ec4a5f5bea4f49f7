package clang

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/internal/race"
)

// testCompiler skips a test if there is no suitable clang. Only the Linux machines of CI must have one: Apple's own clang may not
// support address spaces in C++.
func testCompiler(t testing.TB) *Compiler {
	t.Helper()
	c, err := Find()
	switch {
	case err == nil:
		return c
	case os.Getenv("CI") != "" && runtime.GOOS == "linux":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return nil
}

// sharedCache is the folder that this package's tests share, so that the headers are compiled once. It is new in each run: a
// cache would hide changes of the code that fills it.
var sharedCache string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "assay-msl-")
	if err != nil {
		panic(err)
	}
	sharedCache = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// fewWithDetector skips most texts of a table under the race detector: a few show how goroutines meet.
func fewWithDetector(t *testing.T, text string) {
	t.Helper()
	if race.On && len(text)%8 > 0 {
		t.Skip("compiled without the race detector")
	}
}

func compileText(t testing.TB, text string) (*Library, error) {
	t.Helper()
	s := msl.Source{Name: "test.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}
	return testCompiler(t).Compile(context.Background(), s, Options{Cache: sharedCache})
}

func names(l *Library) []string {
	var all []string
	for _, e := range l.Entries() {
		all = append(all, e.Name)
	}
	return all
}

func TestStylesCompile(t *testing.T) {
	tests := map[string]struct {
		entries   []string
		constants int
	}{
		"mlx_style": {[]string{"product_float32", "product_float16", "product_bfloat16", "scale_by_complex32", "scale_by_int64"}, 2},
		"ggml_style": {
			[]string{"kernel_get_rows_nibble", "kernel_get_rows_byte", "kernel_soft_max_rows"}, 2,
		},
		"candle_style": {[]string{
			"sqr_f32", "sqr_f32_strided", "sqr_f16", "sqr_f16_strided", "relu_of_f32", "relu_of_f32_strided", "relu_of_f16",
			"relu_of_f16_strided", "tanh_f32", "tanh_f32_strided", "tanh_f16", "tanh_f16_strided", "sqr_bf16", "sqr_bf16_strided",
			"sum_f32", "sum_u32",
		}, 0},
		"torch_style": {[]string{
			"add_dense_float", "add_dense_half", "add_dense_bfloat", "add_dense_long", "lerp_dense_float", "lerp_dense_half",
			"offsets_float", "offsets_int",
		}, 0},
		"research_style": {[]string{"hproduct", "sproduct"}, 8},
		"nax_style":      {[]string{"nax_product_float16", "nax_product_bfloat16", "nax_product_float32", "nax_product_int8"}, 0},
		"tensor_style":   {[]string{"plain", "staged", "chained", "packed", "softmax", "softmax_relaxed"}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("..", "testdata", name+".metal")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			l, err := testCompiler(t).Compile(context.Background(), msl.Source{Name: file, Text: string(text)}, Options{Cache: sharedCache})
			if err != nil {
				t.Fatal(err)
			}
			if got := names(l); !slices.Equal(got, tt.entries) {
				t.Errorf("entry points %q, want %q", got, tt.entries)
			}
			if got := len(l.Constants()); got != tt.constants {
				t.Errorf("%d function constants, want %d", got, tt.constants)
			}
		})
	}
}

func TestEntryArguments(t *testing.T) {
	l, err := compileText(t, `
enum { AT_A = 2, AT_B };
constant bool extra [[function_constant(3)]];
constant half4 tint [[function_constant(7)]];
constant bool tinted = is_function_constant_defined(tint);
kernel void k(device const float *a [[buffer(AT_A)]], constant uint &n, device half *out [[buffer(AT_B + 1)]],
    device int *more [[buffer(0), function_constant(extra)]], threadgroup float *t, threadgroup float2 &u [[threadgroup(3)]],
    ushort2 at [[thread_position_in_grid]], uint w [[thread_execution_width]]) {
    if (at.x < n) out[at.x] = half(a[at.x]) + (tinted ? tint.x : 0.0h) + half(t[0] + u.x) + half(w);
    if (extra) more[0] = 1;
}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []msl.Arg{
		{Name: "a", Type: "device const float *", Kind: msl.Buffer, Index: 2, Space: msl.Device, Access: msl.Read},
		{Name: "n", Type: "constant uint &", Kind: msl.Buffer, Index: 1, Space: msl.ConstantSpace, Access: msl.Read},
		{Name: "out", Type: "device half *", Kind: msl.Buffer, Index: 4, Space: msl.Device, Access: msl.ReadWrite},
		{Name: "more", Type: "device int *", Kind: msl.Buffer, Index: 0, Space: msl.Device, Access: msl.ReadWrite, Condition: "extra"},
		{Name: "t", Type: "threadgroup float *", Kind: msl.Threadgroup, Index: 0, Space: msl.ThreadgroupSpace, Access: msl.ReadWrite},
		{Name: "u", Type: "threadgroup float2 &", Kind: msl.Threadgroup, Index: 3, Space: msl.ThreadgroupSpace, Access: msl.ReadWrite},
		{Name: "at", Type: "ushort2", Kind: msl.Builtin, Builtin: "thread_position_in_grid"},
		{Name: "w", Type: "uint", Kind: msl.Builtin, Builtin: "thread_execution_width"},
	}
	e := l.Entries()[0]
	for i, a := range e.Args {
		if a != want[i] {
			t.Errorf("argument %d is\n %+v, want\n %+v", i, a, want[i])
		}
	}
	if e.Line != 8 || e.Name != "k" {
		t.Errorf("entry %s at line %d, want k at 8", e.Name, e.Line)
	}
	constants := []msl.Constant{{Name: "extra", Type: "bool", Index: 3, Required: true}, {Name: "tint", Type: "half4", Index: 7}}
	if got := l.Constants(); !slices.Equal(got, constants) {
		t.Errorf("constants %+v, want %+v", got, constants)
	}
}

// Features that the language has and C++ does not.
func TestAccepts(t *testing.T) {
	tests := map[string]string{
		"methods by address space": `struct S { float v; float get() const thread { return v; } float get() const device { return v; }
			float get() constant { return v; } device S &set(float x) device { v = x; return *this; } };
			kernel void k(device S *s, constant S &c) { S l = s[0]; s->set(l.get() + s->get() + c.get()); }`,
		"a class with what differs only in space": `struct C { float r; constexpr C(float x) thread : r(x) {} constexpr C(float x) device : r(x) {}
			constexpr operator float() const thread { return r; } constexpr operator float() const constant { return r; } };
			kernel void k(device float *o) { C c(1); o[0] = c; }`,
		"namespaces": `namespace a { namespace { template <typename T> kernel void f(device T *x) { x[0] = T(1); } }
			template [[host_name("f_half")]] kernel void f<half>(device half *); } namespace b { kernel void g(device int *x) { *x = 1; } }`,
		"a kernel with the name of a library function": `kernel void transpose(device float *x) { x[0] = 1; }
			template <typename T> kernel void exp(device T *x) { x[0] = metal::exp(x[1]); } template [[host_name("e")]] kernel void exp<float>(device float *);`,
		"overloads that call each other": `float f(float x) { return x; } float2 f(float2 v) { return float2(f(v.x), f(v.y)); }
			kernel void k(device float2 *x) { x[0] = f(x[1]); }`,
		"recursion of templates": `template <int N> int fact() { return N * fact<N - 1>(); } template <> int fact<0>() { return 1; }
			kernel void k(device int *x) { x[0] = fact<5>(); }`,
		"threadgroup variables": `struct P { float a, b; }; template <typename T, int N> void h(device T *x) { threadgroup T s[N]; s[0] = x[0]; x[1] = s[0]; }
			kernel void k(device float *x, uint i [[thread_index_in_threadgroup]]) { threadgroup float a[4][8], b; threadgroup P p[2];
			threadgroup atomic_uint n; threadgroup float *at = &a[1][2]; if (i == 0) { b = 1; p[1].b = b; *at = 2; }
			threadgroup_barrier(mem_flags::mem_threadgroup); x[i] = a[1][2] + p[1].b; h<float, 4>(x); atomic_store_explicit(&n, 1u, memory_order_relaxed); }`,
		"threadgroup variables with an initializer": `kernel void k(device float *x) { threadgroup float s[2] = {0}; s[0] = x[0]; x[1] = s[0]; }`,
		"constants in functions": `kernel void k(device float *x, uint i [[thread_position_in_grid]]) { constant float t[2] = {1, 2}; constexpr constant int n = 1;
			const constant float *p = t; x[i] = p[i & 1] + n; }`,
		"conditional across spaces": `kernel void k(device float4 *x, constant float4 &c, uint i [[thread_position_in_grid]]) {
			threadgroup float4 s; s = 1; x[i] = i > 1 ? x[0] : float4(0); x[i] += i > 2 ? c : s; x[0] = i > 3 ? i > 4 ? x[1] : c : s; }`,
		"array parameters": `float sum(constant const int64_t strides[2], const device float w[2][2]) { return strides[1] * w[0][1]; }
			kernel void k(device float *x, const constant int64_t strides[2], device float w[2][2]) { x[0] = sum(strides, w); }`,
		"half and bfloat literals": `kernel void k(device half *h, device bfloat *b) { h[0] = -1.5h * 2.h + 0x1p2h; b[0] = 1.0bf; h[1] = h[0] > 1e-3h ? 1.0H : 0.0h; }`,
		"attributes everywhere": `struct A { float x [[id(0)]]; }; [[kernel]] [[max_total_threads_per_threadgroup(64)]] void k(device A *a [[buffer(0)]],
			uint i [[thread_position_in_grid]] [[maybe_unused]]) { if (a[0].x > 0) [[likely]] { a[0].x = 1; } }`,
		"a function as a template argument": `template <typename T> T twice(T x) { return x + x; } template <typename T, T (*f)(T)> kernel void k(device T *x) { x[0] = f(x[0]); }
			typedef decltype(k<float, twice<float>>) k_t; template [[host_name("k2")]] kernel k_t k<float, twice<float>>;`,
		"static constexpr function constants": `static constant constexpr const int n [[function_constant(1)]]; kernel void k(device int *x) { x[0] = n; }`,
		"two arguments of which one exists": `constant bool a [[function_constant(0)]]; constant bool b = !a;
			kernel void k(device float *x [[buffer(0), function_constant(a)]], device half *y [[buffer(0), function_constant(b)]]) { if (a) x[0] = 1; else y[0] = 1; }`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			fewWithDetector(t, text)
			t.Parallel()
			if _, err := compileText(t, text); err != nil {
				t.Error(err)
			}
		})
	}
}

// Positions are those of the file, two lines below those of the text.
func TestRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no address space":        {"void f(float *x) {}", "test.metal:3:8: error: pointer to float needs an address space"},
		"reference without space": {"void f(const uint &x) {}", "test.metal:3:14: error: reference to uint needs an address space"},
		"local pointer":           {"kernel void k(device float *x) {\n  float *y = 0; }", "test.metal:4:3: error: pointer to float"},
		"cast":                    {"kernel void k(device float *x) { x[0] = *(int *)x; }", "test.metal:3:43: error: pointer to int"},
		"member":                  {"struct S { half4 *p; };", "test.metal:3:12: error: pointer to half4"},
		"wrong space":             {"kernel void k(device float *x) {\n\n  threadgroup float *t = x; }", "test.metal:5:22: error: cannot initialize a variable of type 'threadgroup float *'"},
		"double":                  {"kernel void k(device double *x) {}", "test.metal:3:22: error: 64-bit floating point is not supported"},
		"recursion":               {"int f(int n) { return n < 2 ? 1 : n * f(n - 1); }", "test.metal:3:39: error: recursion is not supported: f calls itself"},
		"mutual recursion":        {"int g(int n);\nint f(int n) { return g(n); }\nint g(int n) { return f(n); }", "test.metal:5:23: error: recursion is not supported"},
		"new":                     {"kernel void k(device int *x) { thread int *p = new int; }", "test.metal:3:48: error: new is not supported"},
		"delete":                  {"void f(thread int *p) { delete p; }", "test.metal:3:25: error: delete is not supported"},
		"virtual":                 {"struct S { virtual int f() { return 1; } };", "test.metal:3:12: error: virtual functions are not supported"},
		"exceptions":              {"void f() { throw 1; }", "test.metal:3:12: error: exceptions are not supported"},
		"goto":                    {"void f() { goto a; a: return; }", "test.metal:3:12: error: goto is not supported"},
		"result":                  {"kernel int k(device int *x) { return 1; }", "test.metal:3:12: error: kernel k must return void"},
		"index twice":             {"kernel void k(device int *x [[buffer(1)]], device int *y [[buffer(1)]]) {}", "test.metal:3:44: error: buffer index 1 is used by argument x"},
		"index too large":         {"kernel void k(device int *x [[buffer(31)]]) {}", "test.metal:3:31: error: buffer index 31 is out of range"},
		"float position":          {"kernel void k(float i [[thread_position_in_grid]]) {}", "test.metal:3:15: error: thread_position_in_grid must be of an integer type"},
		"no attribute":            {"kernel void k(device int *x, uint i) {}", "test.metal:3:30: error: argument i of kernel k needs an attribute"},
		"same name":               {"kernel void k(device int *x) {}\nnamespace n { kernel void k(device int *x) {} }", "test.metal:4:27: error: two entry points are named k"},
		"texture":                 {"kernel void k(texture2d<float> t [[texture(0)]]) {}", "textures are not supported"},
		"vertex":                  {"vertex float4 v(uint i [[vertex_id]]) { return 0; }", "test.metal:3:1: error: vertex functions are not supported"},
		"stage_in":                {"struct V { float4 p; }; kernel void k(V v [[stage_in]]) {}", "stage_in arguments are not supported"},
		"no such kernel":          {"template [[host_name(\"x\")]] kernel void f<float>(device float *);", "test.metal:3:41: error: no kernel named f is defined"},
		"syntax":                  {"kernel void k(device int *x) {\n  x[0] = ; }", "test.metal:4:10: error: expected expression"},
		"unknown name":            {"kernel void k(device int *x) { x[0] = nothing; }", "test.metal:3:39: error: use of undeclared identifier 'nothing'"},
		"in a macro":              {"#define SET(v) x[0] = v\nkernel void k(device int *x) {\n  SET(nothing); }", "test.metal:5:3: error: use of undeclared identifier"},
		"brackets":                {"kernel void k(device int *x) { x[0] = (1; }", "unmatched"},
		"missing include":         {"#include \"nowhere.h\"", "test.metal:3:10: error: 'nowhere.h' file not found"},
		"other primitives":        {"#include <MetalPerformancePrimitives/MPPTensorOpsConvolution2d.h>", "test.metal:3:10: error: of Metal Performance Primitives, only matmul2d is supported"},
		"template that fails":     {"template <typename T> kernel void f(device T *x) {\n  x[0].none = 1; }\ntemplate [[host_name(\"a\")]] kernel void f<int>(device int *);", "test.metal:4:7: error:"},
		"threadgroup global":      {"threadgroup float x[2];", "a threadgroup variable must be declared in a kernel"},
		"constant index":          {"constant int a [[function_constant(0)]];\nconstant int b [[function_constant(0)]];", "test.metal:4:14: error: function constants a and b have the same index 0"},
		"defined":                 {"constant bool a = is_function_constant_defined(q);", "q is not a function constant"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fewWithDetector(t, tt.text)
			t.Parallel()
			_, err := compileText(t, tt.text)
			var compile *msl.CompileError
			if !errors.As(err, &compile) {
				t.Fatalf("error %v, want a CompileError", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}
