package chain

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"assay/shaders"
)

// helpers are the functions that operations' expressions call in addition to activation.h.
const helpers = `
// GELU, erf form (Abramowitz and Stegun, 7.1.26).
static inline float chain_gelu_erf(float x) {
    const float t = 1.0f / (1.0f + 0.231641889f * fabs(x));
    const float p = t * (0.127414796f + t * (-0.142248368f + t * (0.7107068705f + t * (-0.7265760135f + t * 0.5307027145f))));
    const float tail = p * exp(-0.5f * x * x);
    return x * (x > 0.0f ? 1.0f - tail : tail);
}

// Where an input with these strides has what belongs to element i of a row.
static inline uint chain_place(constant ChainParams &p, uint input, uint row, uint i) {
    return i * p.strides[4 * input + 3] + row % p.d2 * p.strides[4 * input + 2] + row / p.d2 % p.d1 * p.strides[4 * input + 1] +
        row / p.d2 / p.d1 * p.strides[4 * input];
}
`

// source returns the MSL of a chain, and the name of its kernel. It depends on where operands come from, but not on sizes.
func source(p *Program, s *Params, t shaders.Type, about string) (text, entry string) {
	element := map[shaders.Type]string{shaders.F32: "float", shaders.F16: "half"}[t]
	var out strings.Builder
	for _, header := range []string{"common.h", "activation.h", "params/chain.h"} {
		fmt.Fprintf(&out, "#include %q\n", header)
	}
	out.WriteString(helpers)
	out.WriteString(body(p, about))
	switch {
	case p.Reduce != Each:
		out.WriteString(rows(p, element))
	case s.wide():
		out.WriteString(inFours(p, s, element))
	default:
		out.WriteString(oneByOne(p, element))
	}
	entry = fmt.Sprintf("%s_%.8x_%v", Name(p.Inputs), sha256.Sum256([]byte(out.String())), t)
	return strings.ReplaceAll(out.String(), "CHAIN_ENTRY", entry), entry
}

// each lists a text for every input, separated by commas.
func each(p *Program, text func(i int) string) string {
	all := make([]string, p.Inputs)
	for i := range all {
		all[i] = text(i)
	}
	return strings.Join(all, ", ")
}

// body is the function for one element of each input.
func body(p *Program, about string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n// %s\nstatic inline float chain(%s) {\n", strings.ReplaceAll(about, "\n", " "),
		each(p, func(i int) string { return fmt.Sprintf("float r%d", i) }))
	for i, x := range p.Constants {
		fmt.Fprintf(&out, "    const float r%d = %sf;\n", p.Inputs+i, decimal(x))
	}
	first, last := p.Inputs+len(p.Constants), 0
	for i, step := range p.Steps {
		last = first + i
		fmt.Fprintf(&out, "    const float r%d = %s;\n", last, expression(step))
	}
	fmt.Fprintf(&out, "    return r%d;\n}\n", last)
	return out.String()
}

// decimal returns a literal that reads back as the same float, with a point or an exponent.
func decimal(x float32) string {
	text := fmt.Sprintf("%.9g", x)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// expression returns the expression of a step, with its operands for x and y.
func expression(s Step) string {
	var out strings.Builder
	formula := operations[s.Op].MSL
	for i := range len(formula) {
		alone := (i == 0 || !letter(formula[i-1])) && (i+1 == len(formula) || !letter(formula[i+1]))
		switch {
		case alone && formula[i] == 'x':
			fmt.Fprintf(&out, "r%d", s.X)
		case alone && formula[i] == 'y':
			fmt.Fprintf(&out, "r%d", s.Y)
		default:
			out.WriteByte(formula[i])
		}
	}
	return out.String()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' }

// head returns the beginning of the kernel, with its parameters in addition to the buffers.
func head(p *Program, element, more string) string {
	buffers := each(p, func(i int) string { return fmt.Sprintf("device const %s *x%d [[buffer(%d)]]", element, i, i) })
	return fmt.Sprintf("\nkernel void CHAIN_ENTRY(%s, device %s *out [[buffer(%d)]],\n    constant ChainParams &p [[buffer(%d)]], %s) {\n",
		buffers, element, p.Inputs, p.Inputs+1, more)
}

// oneByOne has a thread for each element.
func oneByOne(p *Program, element string) string {
	values := each(p, func(i int) string { return fmt.Sprintf("float(x%d[chain_place(p, %d, row, i)])", i, i) })
	return head(p, element, "uint id [[thread_position_in_grid]]") + fmt.Sprintf(`    if (id >= p.d0 * p.d1 * p.d2 * p.d3) return;
    const uint row = id / p.d3, i = id %% p.d3;
    out[id] = %s(chain(%s));
}
`, element, values)
}

// inFours has a thread for every four neighbors, which are a vector of an input or one element of it.
func inFours(p *Program, s *Params, element string) string {
	var out strings.Builder
	out.WriteString(head(p, element, "uint id [[thread_position_in_grid]]"))
	out.WriteString("    const uint first = 4 * id;\n    if (first >= p.d0 * p.d1 * p.d2 * p.d3) return;\n")
	out.WriteString("    const uint row = first / p.d3, i = first % p.d3;\n")
	for i := range p.Inputs {
		load := fmt.Sprintf("float4(float(x%d[chain_place(p, %d, row, i)]))", i, i)
		if s.Strides[4*i+3] == 1 {
			load = fmt.Sprintf("float4(*(device const %s4 *)(x%d + chain_place(p, %d, row, i)))", element, i, i)
		}
		fmt.Fprintf(&out, "    const float4 v%d = %s;\n", i, load)
	}
	lane := func(e string) string {
		return "chain(" + each(p, func(i int) string { return fmt.Sprintf("v%d.%s", i, e) }) + ")"
	}
	fmt.Fprintf(&out, "    *(device %s4 *)(out + first) = %s4(float4(%s, %s,\n        %s, %s));\n}\n", element, element,
		lane("x"), lane("y"), lane("z"), lane("w"))
	return out.String()
}

// rows has a threadgroup for each row, which its threads reduce together.
func rows(p *Program, element string) string {
	values := each(p, func(i int) string { return fmt.Sprintf("float(x%d[chain_place(p, %d, row, i)])", i, i) })
	start, join, across := "0.0f", "all + v", "simd_sum"
	if p.Reduce == Largest {
		start, join, across = "-INFINITY", "v > all ? v : all", "simd_max"
	}
	end := ""
	if p.Reduce == Mean {
		end = " / float(p.d3)"
	}
	more := "uint row [[threadgroup_position_in_grid]],\n    uint local [[thread_position_in_threadgroup]], " +
		"uint size [[threads_per_threadgroup]],\n    uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]"
	return head(p, element, more) + fmt.Sprintf(`    threadgroup float parts[SIMD];
    float all = %s;
    for (uint i = local; i < p.d3; i += size) {
        const float v = chain(%s);
        all = %s;
    }
    all = %s(all);
    if (lane == 0) parts[group] = all;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group != 0) return;
    all = %s(lane < size / SIMD ? parts[lane] : %s);
    if (lane == 0) out[row] = %s(all%s);
}
`, start, values, join, across, across, start, element, end)
}
