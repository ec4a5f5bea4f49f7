package msl

import (
	"bufio"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systemHeaders are found, and empty, in the preprocessing pass; the macros that they define are in macros.h.
var systemHeaders = []string{
	"metal_stdlib", "metal_math", "metal_simdgroup", "metal_simdgroup_matrix", "metal_atomic", "metal_common",
	"metal_compute", "metal_geometric", "metal_graphics", "metal_integer", "metal_matrix", "metal_relational",
	"metal_texture", "metal_types", "metal_type_traits", "metal_pack", "metal_packing", "metal_array",
	"metal_quadgroup", "metal_config", "metal_utility", "metal_numeric", "metal_limits", "metal_logging",
	"metal_assert", "metal_limits_ext", "metal_tensor", "metal_cooperative_tensor", "metal_raytracing",
	"metal_mesh", "metal_visible_function_table", "metal_function_constant", "metal_extended_vector",
	"metal_command_buffer", "metal_uniform", "metal_imageblocks", "metal_interpolate", "metal_initializer_list",
	"metal_iterator", "metal_random", "metal_os_log", "metal_tessellation", "metal_simd", "simd/simd.h",
	"simd/vector_types.h", "simd/matrix_types.h", "simd/base.h", "TargetConditionals.h", "stdint.h", "stddef.h",
	"float.h", "limits.h", "math.h",
}

// prefix is precompiled and stands before every translated file. A conditional expression whose branches are objects of
// one class in two address spaces has no type in C++: value copies such a branch out of its space.
const prefix = `#include "msl/all.h"
#include "msl/entry.h"
namespace msl {
template <class T> inline T copied(const T &v) { return v; }
template <class T> inline T copied(const MSL_DEVICE T &v) { return v; }
template <class T> inline T copied(const MSL_THREADGROUP T &v) { return v; }
template <class T> inline T copied(MSL_CONSTANT T &v) { return v; }
}
`

// preprocessArgs are clang's arguments for a pass that ends after the preprocessor.
func (b *build) preprocessArgs(s Source, action ...string) []string {
	args := append([]string{"-x", "c++", "-std=c++17"}, action...)
	args = append(args, "-undef", "-nostdinc", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=20", "-w",
		"-include", filepath.Join(b.shimDir, "macros.h"), "-isystem", filepath.Join(b.shimDir, "stubs"))
	if dir := filepath.Dir(s.Name); dir != "" {
		args = append(args, "-I", dir)
	}
	for _, dir := range s.Include {
		args = append(args, "-I", dir)
	}
	for _, n := range sortedKeys(s.Macros) {
		args = append(args, "-D"+n+"="+s.Macros[n])
	}
	return append(args, "-")
}

// sourceText is the source with its name.
func sourceText(s Source) []byte { return []byte("#line 1 " + strconv.Quote(s.Name) + "\n" + s.Text) }

// preprocess returns the source's tokens after includes and macros, each with its places.
func (b *build) preprocess(ctx context.Context, s Source) ([]token, error) {
	text, err := b.compiler.execToFile(ctx, sourceText(s), b.preprocessArgs(s, "-fsyntax-only", "-Xclang", "-dump-tokens")...)
	var exit *exitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	tokens, rest := parseTokens(text)
	if err != nil {
		return nil, b.preprocessError(s, rest, err)
	}
	return tokens, unknownTokens(s.Name, tokens)
}

// unknownTokens refuses what clang's lexer made no token of.
func unknownTokens(name string, tokens []token) error {
	u := newUnit(name, tokens)
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.kind != "unknown" || strings.TrimSpace(t.text) == "":
		case strings.HasPrefix(t.text, `"`):
			u.errorf(i, "the string that begins here does not end on its line")
		case strings.HasPrefix(t.text, "'"):
			u.errorf(i, "the character that begins here does not end on its line")
		default:
			u.errorf(i, "unexpected character %s", t.text)
		}
	}
	if len(u.diags) > 0 {
		return &CompileError{u.diags}
	}
	return nil
}

func (b *build) preprocessError(s Source, rest []string, err error) error {
	var diags []Diagnostic
	for _, l := range rest {
		if d, ok := parseDiagnostic(l); ok && d.Severity == "error" {
			if strings.Contains(d.Message, "'MetalPerformancePrimitives/") {
				d.Message = "Metal Performance Primitives (tensors) are not supported"
			}
			d.Message = printable(d.Message)
			diags = append(diags, d)
		}
	}
	if len(diags) == 0 {
		return err
	}
	return &CompileError{diags}
}

// parseDiagnostic reads file:line:column: severity: message.
func parseDiagnostic(line string) (Diagnostic, bool) {
	for _, severity := range []string{"fatal error", "error", "warning", "note"} {
		where, message, ok := strings.Cut(line, ": "+severity+": ")
		if !ok {
			continue
		}
		p, ok := parsePlace(where, map[string]string{})
		if !ok {
			continue
		}
		if severity == "fatal error" {
			severity = "error"
		}
		return Diagnostic{p.file, p.line, p.col, severity, message}, true
	}
	return Diagnostic{}, false
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// lines splits text as a scanner does.
func lines(text string) []string {
	var all []string
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	for sc.Scan() {
		all = append(all, sc.Text())
	}
	return all
}
