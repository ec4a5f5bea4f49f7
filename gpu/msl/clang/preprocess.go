package clang

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/gpu/msl"
)

// systemHeaders are empty files in the preprocessing pass; the macros they define are in the target's macros.h.
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

// tensorHeaders are files whose inclusion marks a program as using tensors (msl.TensorMark).
var tensorHeaders = []string{
	"metal_tensor", "metal_cooperative_tensor", "MetalPerformancePrimitives/MetalPerformancePrimitives.h",
	"MetalPerformancePrimitives/MPPTensorOpsMatMul2d.h",
}

// Preprocessor runs sources through clang's preprocessor.
type Preprocessor struct {
	compiler *Compiler
	dir      string // of the target's headers
	tensors  string // of those of tensors
}

// Preprocessor returns a preprocessor with the headers of o's target.
func (c *Compiler) Preprocessor(o Options) (Preprocessor, error) {
	b, err := c.build(o)
	if err != nil {
		return Preprocessor{}, err
	}
	return b.pre, nil
}

// args are clang's arguments for a pass that ends after the preprocessor.
func (p Preprocessor) args(s msl.Source, action ...string) []string {
	args := append([]string{"-x", "c++", "-std=c++17"}, action...)
	args = append(args, "-undef", "-nostdinc", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=20", "-w",
		"-include", filepath.Join(p.dir, "macros.h"), "-isystem", filepath.Join(p.tensors, "stubs"),
		"-isystem", filepath.Join(p.dir, "stubs"))
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
func sourceText(s msl.Source) []byte {
	return []byte(language(s) + "#line 1 " + strconv.Quote(s.Name) + "\n" + s.Text)
}

// language returns the definitions that select the version given by the macro __METAL_VERSION__; without it, the included headers
// decide.
func language(s msl.Source) string {
	version, err := strconv.Atoi(s.Macros["__METAL_VERSION__"])
	if err != nil {
		return ""
	}
	text := "#undef __METAL_VERSION__\n#define __METAL_VERSION__ " + strconv.Itoa(version) + "\n"
	if version >= 400 {
		text += msl.TensorMark
	}
	return text
}

// Quick returns the source's tokens after includes and macros, most with their lines (msl.Unit.SureLines):
// exact places take clang much longer. It returns false if Exact must be used to find an error.
func (p Preprocessor) Quick(ctx context.Context, s msl.Source) (msl.Tokens, bool, error) {
	out, _, err := p.compiler.exec(ctx, sourceText(s), p.args(s, "-E")...)
	var exit *exitError
	if errors.As(err, &exit) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return msl.Lex(ctx, string(out))
}

// Exact returns the source's tokens after includes and macros, each with its places, or *msl.CompileError.
func (p Preprocessor) Exact(ctx context.Context, s msl.Source) (msl.Tokens, error) {
	exact, err := p.exact(ctx, s)
	return exact.tokens, err
}

// exactTokens is what Exact read, and the files that the preprocessor opened.
type exactTokens struct {
	tokens msl.Tokens
	opened []string
}

func (p Preprocessor) exact(ctx context.Context, s msl.Source) (exactTokens, error) {
	dir, err := os.MkdirTemp("", "assay-msl-")
	if err != nil {
		return exactTokens{}, err
	}
	defer os.RemoveAll(dir)
	rule := filepath.Join(dir, "opened")
	text, err := p.compiler.execToFile(ctx, filepath.Join(dir, "tokens"), sourceText(s),
		p.args(s, "-fsyntax-only", "-Xclang", "-dump-tokens", "-MD", "-MT", "opened", "-MF", rule)...)
	var exit *exitError
	if err != nil && !errors.As(err, &exit) {
		return exactTokens{}, err
	}
	opened, _ := os.ReadFile(rule) // clang writes none if an included file is missing
	read := exactTokens{opened: ruleFiles(string(opened))}
	tokens, rest, late := msl.ParseTokens(ctx, text)
	switch {
	case late != nil:
		return read, late
	case err != nil:
		return read, preprocessError(rest, err)
	}
	read.tokens = tokens
	return read, tokens.Check(s.Name)
}

// ruleFiles returns the files that a make rule depends on. It escapes spaces and # with a backslash, and $ with another.
func ruleFiles(rule string) []string {
	_, rest, _ := strings.Cut(rule, ":")
	rest = strings.NewReplacer("\\\n", " ", `\ `, "\x00", `\#`, "#", "$$", "$").Replace(rest)
	files := strings.Fields(rest)
	for i, f := range files {
		files[i] = strings.ReplaceAll(f, "\x00", " ")
	}
	return files
}

// preprocessError returns the error that clang reported, or err if it reported none.
func preprocessError(rest []string, err error) error {
	var diags []msl.Diagnostic
	for _, l := range rest {
		if d, ok := msl.ParseDiagnostic(l); ok && d.Severity == "error" {
			if strings.Contains(d.Message, "'MetalPerformancePrimitives/") {
				d.Message = "of Metal Performance Primitives, only matmul2d is supported"
			}
			d.Message = msl.Printable(d.Message)
			diags = append(diags, d)
		}
	}
	if len(diags) == 0 {
		return err
	}
	return &msl.CompileError{Diagnostics: diags}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
