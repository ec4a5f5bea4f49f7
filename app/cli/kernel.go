package cli

import (
	"bufio"
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
		Use: "kernel", Short: "List kernels, check, run and time your own, or manage compiled kernels on disk",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("kernel has no command %q%s", args[0], meant.Hint(args[0], commandNames(cmd)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.kernelList(), c.kernelShow(), c.kernelCheck(), c.kernelNew(), c.kernelRun(), c.kernelTime(), c.kernelCompare(), c.kernelTest(),
		c.kernelCache(), c.kernelServe())
	return cmd
}

// listEntries prints the function constants, and each entry point with its arguments: thousands of lines for some files. note ends
// the first line.
func (c *command) listEntries(name string, lib *clang.Library, note string) error {
	w := bufio.NewWriter(c.out)
	style := func(text string) string { return bold(c.out, text) }
	entries, constants := lib.Entries(), lib.Constants()
	fmt.Fprintf(w, "%s: %s, %s%s\n", style(name), si.Counted(len(entries), "entry point"),
		si.Counted(len(constants), "function constant"), note)
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

// compileErrors prints diagnostics, each with its line of source and a caret. note ends the last line.
func (c *command) compileErrors(s *msl.Source, err error, note string) {
	c = c.quoting()
	var compile *msl.CompileError
	if !errors.As(err, &compile) {
		fmt.Fprintf(c.errOut, "%s: %v%s\n", s.Name, err, note)
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
	fmt.Fprintf(c.errOut, "%s: %s%s\n", s.Name, si.Counted(errorCount, "error"), note)
}

// longestExcerpt is the maximum number of bytes shown of a source line.
const longestExcerpt = 400

// quoted are the lines of the files that may be quoted: the source, and files that the preprocessor opened for it. A #line
// directive may name any other file.
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

// line returns one line of a file if it may be quoted and a terminal can show it.
func (q *quoted) line(name string, line int) (string, bool) {
	all := q.of(name)
	if line < 1 || line > len(all) {
		return "", false
	}
	text := strings.TrimRight(all[line-1], "\r")
	shown := strings.ReplaceAll(text, "\t", " ")
	return text, len(text) <= longestExcerpt && plain.Text(shown) == shown
}

// indentTo returns white space as wide as the line up to a column that counts bytes from 1.
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
