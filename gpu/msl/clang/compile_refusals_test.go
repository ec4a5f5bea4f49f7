package clang

import (
	"errors"
	"strings"
	"testing"

	"assay/gpu/msl"
)

// Each text is valid, but similar to one that TestRefusesOtherPlaces refuses.
func TestAcceptsLookAlikes(t *testing.T) {
	tests := map[string]string{
		"prototype":                "kernel void k(device int *x, uint i [[thread_position_in_grid]]);\nkernel void k(device int *x, uint i [[thread_position_in_grid]]) { x[i] = 1; }",
		"prototype in a namespace": "namespace n { [[kernel]] void k(device int *x); [[kernel]] void k(device int *x) { x[0] = 1; } }",
		"extern C":                 "extern \"C\" kernel void e(device int *x [[buffer(0)]]) { x[0] = 1; }",
		"extern C function":        "extern \"C\" int one() { return 1; }\nkernel void k(device int *x) { x[0] = one(); }",
		"alias of a pointer": "typedef device float *fptr; template <typename T> using cptr = constant T *;\n" +
			"kernel void k(fptr o [[buffer(0)]], cptr<float> c [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = c[i]; }",
		"alias of an alias":         "using A = device int *; using B = A; kernel void k(B x) { x[0] = 1; }",
		"attribute before kernel":   "[[max_total_threads_per_threadgroup(64)]] kernel void k(device int *x) { x[0] = 1; }",
		"attribute with kernel":     "[[kernel, max_total_threads_per_threadgroup(64)]] void k(device int *x) { x[0] = 1; }",
		"attribute behind the name": "kernel void k [[max_total_threads_per_threadgroup(64)]] (device int *x) { x[0] = 1; }",
		"brackets that are none of a lambda": "int f(int a) { return a; }\n" +
			"kernel void k(device int *x) { int a[2] = {[0] = 1, [1] = 2}; x[a[0]] = (f(a[1])); auto b = a[f(0)]; x[b] = a[1]; }",
		"positions of one width": "kernel void k(device int *x, uint2 i [[thread_position_in_grid]], ushort2 g [[threads_per_threadgroup]],\n" +
			"uint l [[thread_index_in_threadgroup]], uint s [[threads_per_simdgroup]]) { x[i.x] = g.x + l + s; }",
		"positions of scalars":  "kernel void k(device int *x, uint i [[thread_position_in_grid]], ushort g [[threads_per_threadgroup]]) { x[i] = g; }",
		"constants":             "constant float a = 1; constant constexpr int b[2] = {1, 2}; constexpr constant int c = 1; static constant uint d = 1, e = 2;",
		"constants of a class":  "struct S { static constexpr int n = 2; static constant constexpr int m = 3; float v = 1; };",
		"constants of a kernel": "kernel void k(device int *x) { constexpr int a = 1; const int b = 2; static constant int c[] = {3}; x[0] = a + b + c[0]; }",
		"forward declarations":  "struct S; enum E : int; enum class F { A }; struct S { int a; }; union U; static_assert(sizeof(S) == 4, \"\");",
		"half as a type":        "half f(half, const half x) { return half(1) * x; } template <typename T> struct C {}; C<half> g(uint x, half y) { return C<half>{}; }",
		"pointers to structs": "struct P { float x; };\nvoid f(thread P *p, P thread &q, const device P *r) { p->x = q.x + r->x; }\n" +
			"kernel void k(device P *x) { P s; thread P *p = &s; f(p, s, x); x[0] = s; }",
		"template parameter of a struct's name":               "struct T { int a; };\ntemplate <typename T> void f(T t, thread T &u) { u = t; }\ntemplate <typename T> T g(T &x);",
		"variable of a struct's name":                         "struct size { int a; };\nint f(int mask) { int size = 3; return (size & mask) + (size * mask); }",
		"product of an alias's name":                          "typedef int n;\nint f(int n, int m) { return (n * m) + (n & m); }",
		"variable of a class's own name":                      "struct args { int n; };\nint f(args args, int m) { return (args.n); }\nint g(int m) { int args; args = 2; return (args * m); }",
		"names in two namespaces":                             "namespace a { struct V { int x; }; }\nnamespace b { typedef device int *V; void f(V &x); }",
		"alias of a struct":                                   "typedef struct { float x; } P;\nkernel void k(device P *x) { thread P *p = nullptr; P s; p = &s; x[0] = *p; }",
		"alias of a value":                                    "using real = float; typedef uint index_t; using row = device real *;\nvoid f(thread real *x, row y) { y[0] = x[0]; }",
		"floating-point literals":                             "constant float a = 1.0f; constant half b = 1.0h; constant long c = 0xFL + 1L + 0xEL;",
		"array of constant length":                            "constant int N = 4; template <int M> float g() { float a[M]; a[0] = 1; return a[0]; }\nkernel void k(device float *x) { const int n = 2; float a[N * n]; a[1] = g<3>(); x[0] = a[1]; }",
		"array of a constant's length that hides an argument": "float f(int n) { { constexpr int n = 2; float a[n]; a[0] = 1; return a[0]; } }",
		"name of a sampler":                                   "struct sampler_state { int sampler; }; int f(sampler_state s) { int sampler = s.sampler; return sampler; }",
		"quotes":                                              "constant char a = '\\''; // it's \"open\n#if 0\nit's \"open\n#endif",
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
func TestRefusesOtherPlaces(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"attribute behind the parameters": {"kernel void k(device int *x)\n[[max_total_threads_per_threadgroup(256)]]\n{ x[0] = 1; }", "test.metal:4:3: error: max_total_threads_per_threadgroup cannot be applied to types"},
		"attribute behind kernel":         {"kernel\n[[max_total_threads_per_threadgroup(256)]]\nvoid k(device int *x) { x[0] = 1; }", "test.metal:4:1: error: an attribute list cannot appear here"},
		"attribute behind void":           {"kernel void [[max_total_threads_per_threadgroup(256)]] k(device int *x) { x[0] = 1; }", "test.metal:3:15: error: max_total_threads_per_threadgroup cannot be applied to types"},
		"lambda":                          {"kernel void k(device int *x) {\n  auto f = [&](int a) { return a; };\n  x[0] = f(1); }", "test.metal:4:12: error: lambda expressions are not supported"},
		"lambda as an argument":           {"template <typename F> int f(F g) { return g(); }\nkernel void k(device int *x) { x[0] = f([] { return 1; }); }", "test.metal:4:41: error: lambda expressions are not supported"},
		"positions":                       {"kernel void k(device int *x, uint i [[thread_position_in_grid]], uint3 g [[threads_per_threadgroup]]) { x[i] = g.x; }", "test.metal:3:13: error: positions and sizes of kernel k must be all scalars, or all vectors"},
		"positions of two widths":         {"kernel void k(device int *x, uint2 i [[thread_position_in_grid]], const uint3 g [[threadgroups_per_grid]]) { x[i.x] = g.x; }", "test.metal:3:13: error: positions and sizes of kernel k"},
		"position at program scope":       {"const uint i [[thread_position_in_grid]];\nkernel void k(device int *x) { x[i] = 1; }", "test.metal:3:12: error: thread_position_in_grid at program scope is not supported: make i an argument"},
		"constexpr at program scope":      {"constexpr float T[3] = {1, 2, 3};", "test.metal:3:17: error: program scope variable T must be in the constant address space"},
		"variable at program scope":       {"float a = 1;\n", "test.metal:3:7: error: program scope variable a must be"},
		"const at program scope":          {"namespace n {\n  static const float a = 1; }", "test.metal:4:22: error: program scope variable a must be"},
		"static":                          {"void f() {\n  static int n = 0; n++; }", "test.metal:4:3: error: a static variable of a function must be in the constant address space"},
		"half as a name":                  {"void f(uint half) {}", "test.metal:3:13: error: half is a type and cannot be a name"},
		"half as a variable":              {"void f() { const uint half = 1; }", "test.metal:3:23: error: half is a type and cannot be a name"},
		"pointer to a struct":             {"struct P { float x; };\nvoid f(P *p) {}", "test.metal:4:8: error: pointer to P needs an address space"},
		"reference to a struct":           {"struct P { float x; };\nvoid f(const P &p) {}", "test.metal:4:14: error: reference to P needs an address space"},
		"local pointer to a struct":       {"struct P { float x; };\nvoid f() { P s; P *p = &s; }", "test.metal:4:17: error: pointer to P needs"},
		"member pointer":                  {"struct P { float x; };\nstruct Q { P *p; };", "test.metal:4:12: error: pointer to P needs"},
		"pointer to an enumeration":       {"enum class E { A };\nvoid f(E *p) {}", "test.metal:4:8: error: pointer to E needs"},
		"pointer to an alias":             {"typedef float real;\nvoid f(real *p) {}", "test.metal:4:8: error: pointer to real needs"},
		"pointer to a C struct":           {"typedef struct { float x; } P;\nvoid f(P *p) {}", "test.metal:4:8: error: pointer to P needs"},
		"alias of a pointer":              {"using fp = float *;", "test.metal:3:12: error: pointer to float needs an address space"},
		"assembly":                        {"kernel void k(device int *x) {\n  asm(\"nop\"); }", "test.metal:4:3: error: inline assembly is not supported"},
		"long double":                     {"void f() { float a = 1.0L; }", "test.metal:3:22: error: long double is not supported: 1.0L"},
		"array of variable length":        {"kernel void k(device float *x, uint i [[thread_position_in_grid]]) {\n  float a[i]; a[0] = 1; x[i] = a[0]; }", "test.metal:4:9: error: the length of array a must be a constant"},
		"sampler":                         {"constexpr sampler s(coord::pixel);", "test.metal:3:11: error: samplers are not supported"},
		"string without an end":           {"void f() {\n  auto s = \"abc; }\n", "test.metal:4:12: error: unterminated string"},
		"character without an end":        {"void f() {\n  char s = 'x; }\n", "test.metal:4:12: error: unterminated character constant"},
		"stray character":                 {"void f() { int a = 1 @; }", "test.metal:3:22: error: unexpected character @"},
		"stray byte":                      {"void f() { int a = 1 \x01; }", `test.metal:3:22: error: unexpected character \x01`},
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

func TestOneErrorForATexture(t *testing.T) {
	_, err := compileText(t, "kernel void k(texture2d<float> t [[texture(0)]], device int *x) {}")
	var compile *msl.CompileError
	if !errors.As(err, &compile) || len(compile.Diagnostics) != 1 {
		t.Errorf("error %v, want one diagnostic", err)
	}
}

func TestArraysOfBuffersAreRefused(t *testing.T) {
	_, err := compileText(t, "kernel void k(array<device float *, 4> x [[buffer(0)]]) { x[0][0] = 1; }")
	var c *msl.CompileError
	if !errors.As(err, &c) || !strings.Contains(err.Error(), "test.metal:3:15: error: buffer argument x must be a pointer or reference") {
		t.Errorf("error %v, want one at the argument", err)
	}
}

// The count of a vector's shift is taken modulo the width of its components.

// The names of simd/simd.h.
func TestSIMDHeaderNames(t *testing.T) {
	_, err := compileText(t, `#include <simd/simd.h>
	struct U { simd_float2 a; vector_float4 b; matrix_float4x4 c; simd_uint2 d; vector_uint3 e; simd::float2 f; simd::float4x4 g; simd_float3x3 h; };
	kernel void k(device float *o, constant U &u, uint i [[thread_position_in_grid]]) { o[i] = u.a.x + u.b.y + u.g[0].x + u.h[1].y; }`)
	if err != nil {
		t.Error(err)
	}
}
