package gputest

import (
	"fmt"
	"strings"

	"assay/gpu"
	"assay/shaders"
)

// typedConstant is a function constant of a user's source: its type, the bytes of a value, and their sum as numbers.
type typedConstant struct {
	name, bytes string
	sum         float64
}

// typedConstants returns one constant of each number type of the language, and vectors.
func typedConstants() []typedConstant {
	return []typedConstant{
		{"bool", "\x01", 1},
		{"char", "\xfb", -5},
		{"uchar", "\xfb", 251},
		{"short", "\x0c\xfe", -500},
		{"ushort", "\x0c\xfe", 65036},
		{"int", "\x90\xee\xfe\xff", -70000},
		{"uint", "\x00\x00\x00\x80", 1 << 31},
		{"long", "\x00\x00\x00\x00\x00\xff\xff\xff", -1 << 40},
		{"ulong", "\x00\x00\x00\x00\x00\x00\x00\x80", 1 << 63},
		{"half", "\x00\x3e", 1.5},
		{"bfloat", "\x49\x40", 3.140625},
		{"float", "\x00\x00\x20\xc0", -2.5},
		{"uchar2", "\x07\xc8", 207},
		{"half3", "\x00\x3c\x00\x40\x00\x42\x00\x00", 6},
		{"uint3", "\x01\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00", 7},
		{"float4", "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x80\x40\x00\x00\x00\x41", 15},
	}
}

// constantsTyped sets constants of every type in a user's source, and then other values in the same source.
func constantsTyped(r *rig) {
	all := typedConstants()
	m := typedSource(r, all)
	if err := r.engine.Supports(m.Kernel(shaders.F32)); err != nil {
		r.t.Skip(err)
	}
	c := shaders.Case{Params: struct{ Unused uint32 }{}}
	r.runAndCheck(m.Kernel(shaders.F32), c, setup{poison: 0xFF})
	for i := range all {
		all[i].bytes, all[i].sum = strings.Repeat("\x00", len(all[i].bytes)), 0
	}
	zeros := typedSource(r, all)
	r.runAndCheck(zeros.Kernel(shaders.F32), c, setup{poison: 0xFF})
	zeros.Fixed[0].Other = strings.Repeat("\x00", 40)
	_, err := r.engine.Kernel(zeros.Kernel(shaders.F32))
	r.fails(err, "a constant larger than any type", kind(gpu.ErrCompile), "40")
}

// typedSource returns a kernel that writes the sum of each constant's lanes.
func typedSource(r *rig, all []typedConstant) *shaders.Impl {
	r.t.Helper()
	m := &shaders.Impl{Name: "typed", Types: []shaders.Type{shaders.F32}, Entry: "typed"}
	declared, stored := "", ""
	for i, c := range all {
		declared += fmt.Sprintf("constant %s c%d [[function_constant(%d)]];\n", c.name, i, i)
		stored += fmt.Sprintf("  out[%d] = %s;\n", i, lanes(c.name, i))
		m.Fixed = append(m.Fixed, shaders.ConstantValue{Name: fmt.Sprint("c", i), Index: i, Type: c.name, Other: c.bytes})
	}
	source, err := shaders.UserSource("typed.metal", "#include <metal_stdlib>\nusing namespace metal;\n"+declared+
		"kernel void typed(device float *out [[buffer(0)]]) {\n"+stored+"}\n")
	r.ok(err, "source")
	m.Source = source
	m.Op = &shaders.Op{
		Name: "typed", Params: struct{ Unused uint32 }{},
		Args:      []shaders.Arg{{Name: "out", Type: shaders.F32, Access: shaders.Out, Len: func(shaders.Call) int { return len(all) }}},
		Cost:      func(shaders.Call) shaders.Cost { return shaders.Cost{} },
		Reference: func(_ shaders.Call, _ []shaders.View, _, i int) shaders.Value { return shaders.Value{Want: all[i].sum} },
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Tolerance{} },
	}
	m.Launch = func(shaders.Call, shaders.Limits) shaders.Launch {
		return shaders.Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{1, 1, 1}}
	}
	return m
}

// lanes returns the sum of constant i's lanes in the language.
func lanes(name string, i int) string {
	sum := fmt.Sprintf("float(c%d)", i)
	for n := 2; n <= 4; n++ {
		if strings.HasSuffix(name, fmt.Sprint(n)) {
			sum = fmt.Sprintf("float(c%d.x)", i)
			for _, lane := range "yzw"[:n-1] {
				sum += fmt.Sprintf(" + float(c%d.%c)", i, lane)
			}
		}
	}
	return sum
}
