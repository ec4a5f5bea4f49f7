package bundle

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"assay/internal/plain"
)

// A Cell is string, float64, int, bool, time.Time, Warnings, or nil for "not known". Only strings are ever escaped.
type Cell any

// SafeText makes text harmless to a spreadsheet.
func SafeText(text string) string { return escape(text) }

// escape makes text harmless to a spreadsheet; unescape reverses it.
func escape(text string) string {
	return plain.Cell(text)
}

func unescape(text string) string {
	if strings.HasPrefix(text, "'") && plain.Formula(text) {
		return text[1:]
	}
	return text
}

// number formats a float so that it reads back to the same bits, a whole number without an exponent; NaN, which means "not
// known", is empty.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case isWhole(v):
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// count is a cell of a number of things, without an exponent.
func count(v float64) Cell {
	if isWhole(v) {
		return int64(v)
	}
	return v
}

// csvText is a cell's text in a CSV file, before quoting.
func csvText(c Cell) string {
	switch v := c.(type) {
	case nil:
		return ""
	case string:
		return escape(cleanText(v))
	case Warnings:
		return escape(cleanText(v.String()))
	case float64:
		return number(v)
	case time.Time:
		return stamp(v)
	}
	return fmt.Sprint(c) // int, bool
}

// cleanText is text that survives a CSV reader: valid UTF-8 with plain line ends.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
}

// stamp formats a time as RFC 3339 in UTC; empty for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// csvLine is one record of RFC 4180, with its CRLF.
func csvLine(cells ...Cell) []byte {
	var line []byte
	for i, c := range cells {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, quote(csvText(c))...)
	}
	return append(line, "\r\n"...)
}

// flatLine is csvLine for files that grow: no cell contains a line break, so a whole line is a whole record.
func flatLine(cells ...Cell) []byte {
	flat := make([]Cell, len(cells))
	for i, c := range cells {
		if s, ok := c.(string); ok {
			c = flatten.Replace(s)
		}
		flat[i] = c
	}
	return csvLine(flat...)
}

var flatten = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// quote quotes a cell if needed. The writer of encoding/csv would drop a lone carriage return.
func quote(s string) string {
	if s != "" && strings.ContainsAny(s, "\",\r\n") || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// table is a CSV file with its columns by name.
type table struct {
	name   string
	column map[string]int
	reader *csv.Reader
	row    []string
}

// openTable reads the header. An empty file is a table without rows.
func openTable(name string, r io.Reader, required ...string) (*table, error) {
	t := &table{name: name, column: map[string]int{}, reader: csv.NewReader(r)}
	header, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return t, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: header: %w", name, err)
	}
	for i, c := range header {
		c = unescape(cleanText(c)) // same as when it is written again
		if _, twice := t.column[c]; twice {
			return nil, fmt.Errorf("%s: duplicate column %q", name, c)
		}
		t.column[c] = i
	}
	for _, c := range required {
		if _, ok := t.column[c]; !ok {
			return nil, fmt.Errorf("%s: no column %q in the header", name, c)
		}
	}
	return t, nil
}

// columns are the names of the columns, in order.
func (t *table) columns() []string {
	out := make([]string, len(t.column))
	for name, i := range t.column {
		out[i] = name
	}
	return out
}

// next moves to the next row; io.EOF after the last.
func (t *table) next() (err error) {
	t.row, err = t.reader.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return err
}

// raw is a cell of the current row, empty if there is no such column.
func (t *table) raw(column string) string {
	i, ok := t.column[column]
	if !ok {
		return ""
	}
	return t.row[i]
}

func (t *table) text(column string) string { return unescape(t.raw(column)) }

// bad returns the error for a cell that cannot be read.
func (t *table) bad(column, want string) error {
	line, _ := t.reader.FieldPos(t.column[column])
	return fmt.Errorf("%s line %d: %s is %q, want %s", t.name, line, column, clip(t.raw(column)), want)
}

// float is a number, NaN if the cell is empty.
func (t *table) float(column string) (float64, error) {
	s := t.raw(column)
	if s == "" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN(), t.bad(column, "a number or nothing")
	}
	return v, nil
}

// number is a float, or if whole is set a whole one; NaN if the cell is empty.
func (t *table) number(column string, whole bool) (float64, error) {
	v, err := t.float(column)
	if err == nil && whole && !math.IsNaN(v) && !isWhole(v) {
		return 0, t.bad(column, "an integer or nothing")
	}
	return v, err
}

// isWhole reports whether a number is an integer that a float64 holds exactly.
func isWhole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= 1<<53 }

// int is a whole number, 0 if the cell is empty.
func (t *table) int(column string) (int, error) {
	s := t.raw(column)
	if s == "" {
		return 0, nil
	}
	v, err := strconv.Atoi(s)
	if err != nil {
		return 0, t.bad(column, "an integer or nothing")
	}
	return v, nil
}

// time is a moment, the zero time if the cell is empty.
func (t *table) time(column string) (time.Time, error) {
	s := t.raw(column)
	if s == "" {
		return time.Time{}, nil
	}
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, t.bad(column, "a time such as 2026-11-20T21:45:01Z")
	}
	return v, nil
}

// clip shortens text for an error message.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
