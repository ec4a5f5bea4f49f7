package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

func float32s(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

// expression is a term of the language, and its value as a float.
type expression struct {
	text string
	want float64
}

// evaluate runs all expressions in one kernel and compares exactly. They are preceded by declarations in the kernel's body.
func evaluate(t *testing.T, declarations string, list []expression) {
	t.Helper()
	var b strings.Builder
	b.WriteString("kernel void k(device float *out [[buffer(0)]], device float4 *mem [[buffer(1)]], constant packed_float3 *packed [[buffer(2)]]) {\n")
	b.WriteString(declarations)
	for i, e := range list {
		fmt.Fprintf(&b, "{ out[%d] = float(%s); }\n", i, e.text)
	}
	k := entryPoint(t, b.String()+"}", true)
	out := make([]byte, 4*len(list))
	mem := floats(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0)
	if err := k.Run(t.Context(), line(1, out, mem, floats(10, 20, 30, 40, 50, 60))); err != nil {
		t.Fatal(err)
	}
	for i, v := range float32s(out) {
		want := float64(float32(list[i].want))
		if float64(v) != want && (!math.IsNaN(want) || v == v) {
			t.Errorf("%s = %g, want %g", list[i].text, v, want)
		}
	}
}

func TestVectors(t *testing.T) {
	evaluate(t, `
		float4 v = float4(1, 2, 3, 4);
		int3 n = int3(7, -8, 9);
		uchar4 bytes = uchar4(250, 251, 252, 253);
		float4 w = v; w.xy = v.zw; w.wz += float2(10, 20); w.r *= 2;
		float3 partial = {5, 6};
		float4 splat = 2;
		mem[2] = v; mem[2].yz = v.xx; mem[3].xyz = packed[1]; mem[3].w = 9;
		uint dynamic = 0; for (int i = 0; i < 4; i++) dynamic = dynamic * 10 + uint(v[i]);
		packed_float3 p = packed[0]; p += float3(1); p[2] = 4;
		half4 h = half4(v) / 8; bool4 less = v < 2.5f;
		float4x4 m = float4x4(1.0f); m[3] = v;
		float2x3 tall = float2x3(float3(1, 2, 3), float3(4, 5, 6));
		device float *inside = &mem[1].y;
	`, []expression{
		{"sizeof(float3)", 16},
		{"sizeof(half3)", 8},
		{"sizeof(packed_float3)", 12},
		{"sizeof(packed_half4)", 8},
		{"alignof(packed_half4)", 2},
		{"sizeof(bool4)", 4},
		{"sizeof(char3)", 4},
		{"sizeof(ulong2)", 16},
		{"sizeof(float3x3)", 48},
		{"sizeof(half4x4)", 32},
		{"v.w", 4},
		{"v.abgr.x", 4},
		{"v.wzyx.y", 3},
		{"v.xxyy.z", 2},
		{"v.zw.y", 4},
		{"v.rgb.b", 3},
		{"w.x", 6},
		{"w.y", 4},
		{"w.z", 23},
		{"w.w", 14},
		{"partial.y", 6},
		{"partial.z", 0},
		{"splat.w", 2},
		{"mem[2].y", 1},
		{"mem[2].w", 4},
		{"mem[3].y", 50},
		{"mem[3].w", 9},
		{"dynamic", 1234},
		{"*inside", 6},
		{"float4(v.xy, 5, 6).z", 5},
		{"float4(1, v.yz, 6).z", 3},
		{"float4(v.xyz, 9).w", 9},
		{"float4(9, v.xyz).w", 3},
		{"float4(v.zw, v.xy).z", 1},
		{"float3(v.xy, 7).z", 7},
		{"float3(7, v.xy).z", 2},
		{"float4(int4(v) * 3).z", 9},
		{"int2(float2(1.9f, -1.9f)).y", -1},
		{"(v * 2 + 1).z", 7},
		{"(1 / v).y", 0.5},
		{"(v - v.wzyx).x", -3},
		{"(-v).x", -1},
		{"(n % 4).x", 3},
		{"(n << 2).x", 28},
		{"(n >> 1).y", -4},
		{"(n & 6).x", 6},
		{"(~n).x", -8},
		{"(n | int3(1, 0, 0)).z", 9},
		{"(bytes + uchar4(10)).x", 4},
		{"uint4(bytes).w", 253},
		{"(v == float4(1)).x", 1},
		{"(v != float4(1)).x", 0},
		{"all(v > 0)", 1},
		{"any(v > 4)", 0},
		{"any(less && bool4(false, false, true, true))", 0},
		{"(!less).w", 1},
		{"select(v, -v, less).x", -1},
		{"select(v, -v, less).z", 3},
		{"h.w", 0.5},
		{"half(h.x + h.y)", 0.375},
		{"p.x", 11},
		{"p.z", 4},
		{"(p * 2).y", 42},
		{"(packed[0] + packed[1]).z", 90},
		{"as_type<uint>(1.0f)", 0x3f800000},
		{"as_type<float2>(ulong(0x3f80000040000000)).y", 1},
		{"as_type<half2>(0x3c004000u).x", 2},
		{"m[3][2]", 3},
		{"(m * v).x", 5},
		{"(v * m).w", 30},
		{"transpose(m)[2][3]", 3},
		{"determinant(m)", 4},
		{"(tall * float2(1, 10)).z", 63},
		{"(float3(1, 1, 1) * tall).y", 15},
		{"(m * 2)[3][3]", 8},
		{"half4x4(m)[3][1]", 2},
		{"determinant(float3x3(2.0f))", 8},
		{"float2x2(1, 2, 3, 4)[1][0]", 3},
		{"determinant(float2x2(1, 2, 3, 4))", -2},
		{"vec_elements<half3>::value", 3},
	})
}

func TestNumbers(t *testing.T) {
	evaluate(t, `
		bfloat b = bfloat(1.00390625f); half h = 0.1h; bool yes = out[0] == 0;
		atomic_uint a; array<int, 3> list = {4, 5, 6};
	`, []expression{
		{"b", 1},
		{"bfloat(1.01171875f)", 1.015625},
		{"b + b", 2},
		{"bfloat(256) + bfloat(1)", 256},
		{"bfloat(256) + 1.0f", 257},
		{"(yes ? b : 0)", 1},
		{"bfloat(3) < 4", 1},
		{"sizeof(bfloat)", 2},
		{"h", 0.0999755859375},
		{"half(65504.0f) * 2.0f", 131008},
		{"half(1) / half(3)", 0.333251953125},
		{"numeric_limits<half>::max()", 65504},
		{"numeric_limits<bfloat>::epsilon()", 0.0078125},
		{"numeric_limits<int>::lowest()", -2147483648},
		{"numeric_limits<uchar>::max()", 255},
		{"numeric_limits<float>::infinity()", math.Inf(1)},
		{"numeric_limits<float>::quiet_NaN()", math.NaN()},
		{"HALF_MAX", 65504},
		{"M_PI_H", 3.140625},
		{"INT_MIN", -2147483648},
		{"list[2] + int(list.size())", 9},
		{"is_same_v<remove_cv_t<const int>, int>", 1},
		{"is_floating_point<bfloat>::value", 1},
		{"is_unsigned_v<ushort>", 1},
		{"is_integral<half>::value", 0},
		{"min(7u, 3)", 3},
		{"max(-1, 2)", 2},
		{"max(h, 0.5h)", 0.5},
		{"min(NAN, 2.0f)", 2},
		{"clamp(5.5f, 0, 1)", 1},
		{"clamp(float3(-1, 0.5, 3), 0.0f, 1.0f).y", 0.5},
		{"min3(3, 1, 2)", 1},
		{"median3(3.0f, 1.0f, 2.0f)", 2},
		{"abs(-3)", 3},
		{"abs(int2(-4, 4)).x", 4},
		{"sign(-2.0f)", -1},
		{"saturate(1.5h)", 1},
		{"clz(1u)", 31},
		{"clz(ushort(1))", 15},
		{"ctz(8)", 3},
		{"ctz(uchar(0))", 8},
		{"popcount(0xf0f0u)", 8},
		{"reverse_bits(1u)", 2147483648},
		{"rotate(0x80000001u, 1u)", 3},
		{"mulhi(0x80000000u, 4u)", 2},
		{"mulhi(INT_MIN, 4)", -2},
		{"mul24(0x1000002, 3)", 6},
		{"mad24(2, 3, 4)", 10},
		{"addsat(uchar(200), uchar(100))", 255},
		{"subsat(3u, 5u)", 0},
		{"addsat(2147483647, 1)", 2147483647},
		{"absdiff(-5, 5)", 10},
		{"hadd(5, 8)", 6},
		{"rhadd(5, 8)", 7},
		{"madsat(uchar(100), uchar(3), uchar(1))", 255},
		{"madhi(0x80000000u, 4u, 1u)", 3},
		{"extract_bits(0xabcdu, 4, 8)", 0xbc},
		{"extract_bits(-1, 0, 4)", -1},
		{"insert_bits(0u, 0xffu, 4, 4)", 0xf0},
		{"popcount(ulong(-1))", 64},
		{"dot(float3(1, 2, 3), float3(4, 5, 6))", 32},
		{"cross(float3(1, 0, 0), float3(0, 1, 0)).z", 1},
		{"length(float2(3, 4))", 5},
		{"distance(float2(1, 1), float2(4, 5))", 5},
		{"normalize(float2(0, 4)).y", 1},
		{"length_squared(packed[0])", 1400},
		{"dot(half2(1, 2), half2(3, 4))", 11},
		{"reflect(float2(1, -1), float2(0, 1)).y", 1},
		{"mix(float2(0, 2), float2(4), 0.5f).y", 3},
		{"step(2.0f, 3.0f)", 1},
		{"smoothstep(0.0f, 2.0f, 1.0f)", 0.5},
		{"fma(2.0f, 3.0f, 4.0f)", 10},
		{"ldexp(1.5f, 4)", 24},
		{"fract(-0.25f)", 0.75},
		{"rint(2.5f)", 2},
		{"round(2.5f)", 3},
		{"trunc(-1.5f)", -1},
		{"copysign(3.0f, -0.0f)", -3},
		{"fmod(7.5f, 2.0f)", 1.5},
		{"isnan(NAN)", 1},
		{"isinf(float2(INFINITY, 1)).y", 0},
		{"isnormal(1e-40f)", 0},
		{"isnormal(half(1))", 1},
		{"signbit(-0.0f)", 1},
		{"isfinite(half(1))", 1},
		{"sinpi(0.5f)", 1},
		{"cospi(1.0f)", -1},
		{"tanpi(0.25f)", 1},
		{"exp10(2.0f)", 100},
		{"exp2(half(3))", 8},
		{"pow(2.0f, 10)", 1024},
		{"powr(4.0f, 0.5f)", 2},
		{"rsqrt(4.0h)", 0.5},
		{"fast::sqrt(9.0f)", 3},
		{"precise::divide(1.0f, 4.0f)", 0.25},
		{"nextafter(1.0h, 2.0h)", 1.0009765625},
	})
}

// Every function of one float, compared with the math package over its domain.
func TestMathFunctions(t *testing.T) {
	functions := []struct {
		name   string
		want   func(float64) float64
		lo, hi float64
	}{
		{"acos", math.Acos, -1, 1},
		{"acosh", math.Acosh, 1, 50},
		{"asin", math.Asin, -1, 1},
		{"asinh", math.Asinh, -50, 50},
		{"atan", math.Atan, -50, 50},
		{"atanh", math.Atanh, -0.99, 0.99},
		{"ceil", math.Ceil, -9, 9},
		{"cos", math.Cos, -9, 9},
		{"cosh", math.Cosh, -9, 9},
		{"exp", math.Exp, -9, 9},
		{"exp2", math.Exp2, -9, 9},
		{"exp10", func(x float64) float64 { return math.Pow(10, x) }, -4, 4},
		{"fabs", math.Abs, -9, 9},
		{"floor", math.Floor, -9, 9},
		{"log", math.Log, 0.01, 90},
		{"log2", math.Log2, 0.01, 90},
		{"log10", math.Log10, 0.01, 90},
		{"rint", math.RoundToEven, -9, 9},
		{"round", math.Round, -9, 9},
		{"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 0.01, 90},
		{"sin", math.Sin, -9, 9},
		{"sinh", math.Sinh, -9, 9},
		{"sqrt", math.Sqrt, 0, 90},
		{"sinpi", func(x float64) float64 { return math.Sin(math.Pi * x) }, -0.9, 0.9},
		{"cospi", func(x float64) float64 { return math.Cos(math.Pi * x) }, -0.4, 0.4},
		{"tan", math.Tan, -1.5, 1.5},
		{"tanh", math.Tanh, -5, 5},
		{"tanpi", func(x float64) float64 { return math.Tan(math.Pi * x) }, -0.45, 0.45},
		{"trunc", math.Trunc, -9, 9},
	}
	const points = 256
	var b strings.Builder
	b.WriteString("kernel void k(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {\nfloat x;\n")
	for f, fn := range functions {
		fmt.Fprintf(&b, "x = in[%d + i]; out[2 * (%d + i)] = %s(float2(0.5f, x)).y; out[2 * (%d + i) + 1] = %s(half(x));\n", f*points, f*points, fn.name, f*points, fn.name)
	}
	k := entryPoint(t, b.String()+"}", false)
	in := make([]float32, 0, points*len(functions))
	for _, fn := range functions {
		for i := range points {
			in = append(in, float32(fn.lo+(fn.hi-fn.lo)*float64(i)/(points-1)))
		}
	}
	out := make([]byte, 8*len(in))
	if err := k.Run(t.Context(), line(points, floats(in...), out)); err != nil {
		t.Fatal(err)
	}
	got := float32s(out)
	for f, fn := range functions {
		for i := range points {
			at := f*points + i
			if want := fn.want(float64(in[at])); !near(float64(got[2*at]), want, 1e-6) {
				t.Fatalf("%s(%g) = %g, want %g", fn.name, in[at], got[2*at], want)
			}
			short := halfOf(in[at])
			if want := fn.want(short); !near(float64(got[2*at+1]), want, 1.0/1024) {
				t.Fatalf("%s(half %g) = %g, want %g", fn.name, short, got[2*at+1], want)
			}
		}
	}
}

// near allows for a relative error, and for an absolute one if results cancel.
func near(got, want, tolerance float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return math.IsNaN(got) == math.IsNaN(want) && math.IsInf(got, 0) == math.IsInf(want, 0)
	}
	return math.Abs(got-want) <= tolerance*max(math.Abs(want), 0.1)
}

// halfOf rounds to the 11 significant bits of a half; the values tested have no subnormal results.
func halfOf(x float32) float64 {
	_, exponent := math.Frexp(float64(x))
	unit := math.Ldexp(1, max(exponent, -13)-11)
	return math.RoundToEven(float64(x)/unit) * unit
}
