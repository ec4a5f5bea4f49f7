package cli

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// grid is a table for the terminal. Its flex column fills the remaining width, and breaks between words.
type grid struct {
	header []string
	rows   [][]string
	right  []int // columns aligned to the right
	flex   int
	spare  []string // columns to drop, in this order, if there is no room
	lines  int      // maximum lines of a cell of the flex column; 0: any number
	wrap   []int    // other columns that break between words, at maxWrap; not with spare
}

// Widths in characters: of the flex column, its minimum and its width without a terminal; and of the gap between columns.
const (
	minFlex  = 20
	flexFree = 72
	gap      = 2
	maxCell  = 120 // of any other column; longer text is cut
	maxWrap  = 36
)

// render writes the grid and returns the dropped columns.
func (g *grid) render(w io.Writer) (left []string) {
	for i, row := range g.rows {
		g.rows[i] = g.cut(row)
	}
	width := widthOf(w)
	for width > 0 && g.fixed()+minFlex > width {
		name := g.drop()
		if name == "" {
			break
		}
		left = append(left, name)
	}
	room := flexFree
	if width > 0 {
		room = max(minFlex, width-g.fixed())
	}
	if g.lines > 0 {
		for _, row := range g.rows {
			row[g.flex] = cut(row[g.flex], room*g.lines)
		}
	}
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(cells(g.header))
	for _, r := range g.rows {
		t.AppendRow(cells(r))
	}
	config := []table.ColumnConfig{{Number: g.flex + 1, WidthMax: room, WidthMaxEnforcer: text.WrapSoft}}
	for _, c := range g.wrap {
		config = append(config, table.ColumnConfig{Number: c + 1, WidthMax: maxWrap, WidthMaxEnforcer: text.WrapSoft})
	}
	for _, c := range g.right {
		config = append(config, table.ColumnConfig{Number: c + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(config)
	t.Render()
	return left
}

// cut returns a row with cells cut to the maximum length, except for those that break.
func (g *grid) cut(row []string) []string {
	row = slices.Clone(row)
	for i := range row {
		if i != g.flex && !slices.Contains(g.wrap, i) {
			row[i] = cut(row[i], maxCell)
		}
	}
	return row
}

// cut shortens text to a number of characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func cells(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, s := range texts {
		row[i] = s
	}
	return row
}

// fixed is the width of the gaps and of all columns except the flex one.
func (g *grid) fixed() int {
	total := gap * len(g.header)
	for i := range g.header {
		if i != g.flex {
			total += g.widest(i)
		}
	}
	return total
}

func (g *grid) widest(col int) int {
	w := text.StringWidthWithoutEscSequences(g.header[col])
	for _, r := range g.rows {
		w = max(w, text.StringWidthWithoutEscSequences(r[col]))
	}
	if slices.Contains(g.wrap, col) {
		return min(w, maxWrap)
	}
	return w
}

// drop removes the next spare column, and returns its name; empty if there is none.
func (g *grid) drop() string {
	for len(g.spare) > 0 {
		name := g.spare[0]
		g.spare = g.spare[1:]
		at := slices.Index(g.header, name)
		if at < 0 {
			continue
		}
		g.header = slices.Delete(slices.Clone(g.header), at, at+1)
		for i, r := range g.rows {
			g.rows[i] = slices.Delete(slices.Clone(r), at, at+1)
		}
		g.right = shifted(g.right, at)
		if g.flex > at {
			g.flex--
		}
		return name
	}
	return ""
}

// shifted renumbers columns after column `at` was removed.
func shifted(cols []int, at int) []int {
	var out []int
	for _, c := range cols {
		if c > at {
			out = append(out, c-1)
		} else if c < at {
			out = append(out, c)
		}
	}
	return out
}

// file is the file that w writes to, if it is one.
func file(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	return f, ok
}

// widthOf is the width of the terminal w, 0 if w is not a terminal.
func widthOf(w io.Writer) int {
	f, ok := file(w)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// isTerminal reports whether w is a terminal that understands escape sequences.
func isTerminal(w io.Writer) bool {
	f, ok := file(w)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// bold prints a heading in bold on a terminal, as plain text elsewhere.
func bold(w io.Writer, s string) string {
	if isTerminal(w) && os.Getenv("NO_COLOR") == "" {
		return text.Bold.EscapeSeq() + s + text.Reset.EscapeSeq()
	}
	return s
}

// listing joins names for a sentence: "a, b, c".
func listing(names []string) string { return strings.Join(names, ", ") }
