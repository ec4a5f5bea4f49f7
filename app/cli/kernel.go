package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/internal/meant"
	"assay/internal/plain"
	"assay/internal/si"
)

func (c *command) kernel() *cobra.Command {
	cmd := &cobra.Command{
		Use: "kernel", Short: "List kernels, show one with its source, or check .metal files, on any system",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("no command %q of kernel%s", args[0], meant.Hint(args[0], commandNames(cmd)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.kernelList(), c.kernelShow(), c.kernelCheck())
	return cmd
}

func (c *command) kernelCheck() *cobra.Command {
	var include, defines []string
	cmd := &cobra.Command{
		Use:   "check FILE.metal…",
		Short: "Compile .metal files for the CPU and list their entry points, or report errors by line",
		Args:  func(_ *cobra.Command, args []string) error { return filesGiven(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			macros, err := parseDefines(defines)
			if err != nil {
				return err
			}
			return c.checkKernels(cmd.Context(), args, include, macros)
		},
	}
	cmd.Flags().StringArrayVarP(&include, "include", "I", nil, "folder where #include looks; may be repeated")
	cmd.Flags().StringArrayVarP(&defines, "define", "D", nil, "macro as NAME or NAME=VALUE; may be repeated")
	return cmd
}

func filesGiven(args []string) error {
	if len(args) == 0 {
		return usagef("kernel check: want one or more .metal files")
	}
	return nil
}

// parseDefines reads NAME=VALUE; a NAME alone is 1, as in compilers.
func parseDefines(defines []string) (map[string]string, error) {
	macros := map[string]string{}
	for _, d := range defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if name == "" || strings.ContainsAny(name, " \t-") {
			return nil, usagef("-D %s: want NAME or NAME=VALUE", d)
		}
		macros[name] = value
	}
	return macros, nil
}

// checkKernels checks every file, and fails if one of them does not compile.
func (c *command) checkKernels(ctx context.Context, files, include []string, macros map[string]string) error {
	compiler, err := clang.Find()
	if err != nil {
		return err
	}
	failed := false
	for i, name := range files {
		if i > 0 {
			fmt.Fprintln(c.out)
		}
		err := c.checkKernel(ctx, compiler, name, include, macros)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = true
			if !errors.Is(err, errFailed) {
				return err
			}
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

func (c *command) checkKernel(
	ctx context.Context, compiler *clang.Compiler, name string, include []string, macros map[string]string,
) error {
	text, err := msl.ReadFile(name)
	if err != nil {
		fmt.Fprintln(c.errOut, "assay:", err) // it names the file
		return errFailed
	}
	s := msl.Source{Name: name, Text: text, Include: include, Macros: macros}
	lib, err := compiler.Compile(ctx, s, clang.Options{})
	if err != nil {
		if ctx.Err() == nil {
			c.compileErrors(&s, err)
		}
		return errFailed
	}
	return c.listEntries(name, lib)
}

// listEntries prints the function constants, and each entry point with its arguments: thousands of lines for some files.
func (c *command) listEntries(name string, lib *clang.Library) error {
	w := bufio.NewWriter(c.out)
	style := func(text string) string { return bold(c.out, text) }
	entries, constants := lib.Entries(), lib.Constants()
	fmt.Fprintf(w, "%s: %s, %s\n", style(name), si.Counted(len(entries), "entry point"),
		si.Counted(len(constants), "function constant"))
	if len(constants) > 0 {
		listConstants(w, constants)
	}
	for i := range entries {
		listEntry(w, &entries[i], style)
	}
	return w.Flush()
}

func listConstants(w io.Writer, constants []msl.Constant) {
	fmt.Fprintln(w, "\n  function constants")
	rows := make([][]string, len(constants))
	for i, k := range constants {
		need := "required"
		if !k.Required {
			need = "optional"
		}
		rows[i] = []string{strconv.Itoa(k.Index), k.Type, k.Name, need}
	}
	alignRows(w, rows)
}

func listEntry(w io.Writer, e *msl.Entry, style func(string) string) {
	limit := ""
	if e.MaxThreads > 0 {
		limit = fmt.Sprintf(", at most %d threads per threadgroup", e.MaxThreads)
	}
	fmt.Fprintf(w, "\n  %s (line %d%s)\n", style(e.Name), e.Line, limit)
	rows := make([][]string, len(e.Args))
	for i := range e.Args {
		rows[i] = argumentRow(&e.Args[i])
	}
	alignRows(w, rows)
}

// argumentRow lists an argument's binding, type, name and access.
func argumentRow(a *msl.Arg) []string {
	if a.Kind == msl.Builtin {
		return []string{a.Builtin, a.Type, a.Name, ""}
	}
	about := a.Access.String()
	if a.Condition != "" {
		about += ", if " + a.Condition
	}
	return []string{fmt.Sprintf("%s %d", a.Kind, a.Index), a.Type, a.Name, about}
}

// alignRows prints rows with equal numbers of cells, in columns.
func alignRows(w io.Writer, rows [][]string) {
	width := make([]int, 8)
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		line := "   "
		for i, cell := range r {
			line += fmt.Sprintf(" %-*s ", width[i], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// compileErrors prints diagnostics, each with its line of source and a caret.
func (c *command) compileErrors(s *msl.Source, err error) {
	var compile *msl.CompileError
	if !errors.As(err, &compile) {
		fmt.Fprintf(c.errOut, "%s: %v\n", s.Name, err)
		return
	}
	sources := newQuoted(s, compile.Files)
	errorCount := compile.More
	for _, d := range compile.Diagnostics {
		fmt.Fprintln(c.errOut, d)
		if d.Severity == "error" {
			errorCount++
		}
		if line, ok := sources.line(d.File, d.Line); ok {
			fmt.Fprintf(c.errOut, "    %s\n    %s^\n", line, indentTo(line, d.Column))
		}
	}
	if compile.More > 0 {
		fmt.Fprintf(c.errOut, "… and %s\n", si.Counted(compile.More, "more error"))
	}
	fmt.Fprintf(c.errOut, "%s: %s\n", s.Name, si.Counted(errorCount, "error"))
}

// longestExcerpt is the maximum number of bytes shown of a source line.
const longestExcerpt = 400

// quoted are the lines of the files that may be quoted: the source, and what the preprocessor opened for it. A #line directive
// may name any other file.
type quoted struct {
	opened []string
	lines  map[string][]string // of the files that were read
}

func newQuoted(s *msl.Source, opened []string) *quoted {
	return &quoted{opened: opened, lines: map[string][]string{filepath.Clean(s.Name): strings.Split(s.Text, "\n")}}
}

// of returns the lines of a file; nil if it may not be quoted.
func (q *quoted) of(name string) []string {
	name = filepath.Clean(name)
	same := func(opened string) bool { return filepath.Clean(opened) == name }
	if _, known := q.lines[name]; !known && slices.ContainsFunc(q.opened, same) {
		if text, err := msl.ReadFile(name); err == nil {
			q.lines[name] = strings.Split(text, "\n")
		}
	}
	return q.lines[name]
}

// line is one line of a file, if that may be quoted and a terminal can show it.
func (q *quoted) line(name string, line int) (string, bool) {
	all := q.of(name)
	if line < 1 || line > len(all) {
		return "", false
	}
	text := strings.TrimRight(all[line-1], "\r")
	shown := strings.ReplaceAll(text, "\t", " ")
	return text, len(text) <= longestExcerpt && plain.Text(shown) == shown
}

// indentTo is white space as wide as the line up to a column that counts bytes from 1.
func indentTo(line string, column int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
