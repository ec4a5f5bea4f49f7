package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"assay/internal/plain"
)

// A column of the exported tables, which have one row for each tensor and format.
type column struct {
	name  string
	value func(t *Tensor, l *Loss) any // nil: not available
}

// columns of a report. Errors compare the weights that were read, in their format, with those of the file.
func columns() []column {
	number := func(name string, of func(l *Loss) float64) column {
		return column{name, func(_ *Tensor, l *Loss) any {
			if l == nil || l.Absent != "" {
				return nil
			}
			return of(l)
		}}
	}
	return []column{
		{"tensor", func(t *Tensor, _ *Loss) any { return t.Name }},
		{"type", func(t *Tensor, _ *Loss) any { return t.Type }},
		{"shape", func(t *Tensor, _ *Loss) any {
			return strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Shape), "[]"), " ", "x")
		}},
		{"file_bytes", func(t *Tensor, _ *Loss) any { return t.Bytes }},
		{"format", func(_ *Tensor, l *Loss) any { return formatName(l) }},
		{"bytes", func(t *Tensor, l *Loss) any {
			c := Choice{Tensor: t, Loss: l}
			if l != nil && l.Absent != "" {
				return nil
			}
			return c.Bytes()
		}},
		{"rows_read", func(t *Tensor, l *Loss) any {
			if l == nil || l.Absent != "" {
				return nil
			}
			return t.Read
		}},
		number("weight_error_max", func(l *Loss) float64 { return l.Errors.MaxAbs }),
		number("weight_error_rms", func(l *Loss) float64 { return l.Errors.RMS() }),
		number("weight_error_rel", func(l *Loss) float64 { return l.Errors.Rel() }),
		number("snr_db", func(l *Loss) float64 { return l.Errors.SNR() }),
		number("cosine", func(l *Loss) float64 { return l.Errors.Cosine() }),
		number("clamped", func(l *Loss) float64 { return float64(l.Tally.Clamped) }),
		number("infinite", func(l *Loss) float64 { return float64(l.Errors.Overflows) }),
		{"not_available", func(t *Tensor, l *Loss) any {
			switch {
			case l != nil && l.Absent != "":
				return l.Absent
			case l == nil && t.Kept != "":
				return t.Kept
			}
			return nil
		}},
	}
}

// formatName returns the format's name, or the label of a tensor without one.
func formatName(l *Loss) string {
	if l == nil {
		return "as in the file"
	}
	return l.Format.String()
}

// figure returns a value that JSON can represent; it has no infinite numbers.
func figure(v any) any {
	if f, ok := v.(float64); ok && f-f != 0 {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return v
}

// text formats a value for CSV, as in results.csv: infinite numbers are inf, missing values are empty, and a name is never a formula.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return plain.Cell(plain.Text(v))
	case float64:
		switch {
		case math.IsNaN(v):
			return ""
		case math.IsInf(v, 0):
			return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
		}
	}
	return fmt.Sprint(v)
}

// row is a tensor in a format.
type row struct {
	tensor *Tensor
	loss   *Loss
	more   bool
}

func (r *Report) rows() []row {
	var all []row
	for i := range r.Tensors {
		t := &r.Tensors[i]
		if len(t.Losses) == 0 {
			all = append(all, row{tensor: t})
		}
		for j := range t.Losses {
			all = append(all, row{tensor: t, loss: &t.Losses[j]})
		}
	}
	return all
}

func (p *Plan) rows() []row {
	var all []row
	for i := range p.Choices {
		c := &p.Choices[i]
		all = append(all, row{c.Tensor, c.Loss, c.More})
	}
	return all
}

// WriteCSV writes a row for each tensor and format. Cells without a value are empty.
func (r *Report) WriteCSV(w io.Writer) error { return writeCSV(w, r.rows(), nil) }

// WriteCSV writes a row for each tensor, with its format in the plan.
func (p *Plan) WriteCSV(w io.Writer) error { return writeCSV(w, p.rows(), []string{"keeps_more_bits"}) }

// writeCSV writes rows; the last column reports whether the tensor keeps more bits.
func writeCSV(w io.Writer, rows []row, last []string) error {
	var b strings.Builder
	for i, c := range columns() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.name)
	}
	for _, name := range last {
		b.WriteString("," + name)
	}
	b.WriteByte('\n')
	for _, r := range rows {
		for i, c := range columns() {
			if i > 0 {
				b.WriteByte(',')
			}
			if v := c.value(r.tensor, r.loss); v != nil {
				b.WriteString(cell(text(v)))
			}
		}
		if last != nil {
			b.WriteString("," + strconv.FormatBool(r.more))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell quotes text that would break CSV.
func cell(s string) string {
	if strings.ContainsAny(s, ",\"\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// objects returns rows for JSON, without missing values.
func objects(rows []row, plan bool) []map[string]any {
	all := []map[string]any{}
	for _, r := range rows {
		o := map[string]any{}
		for _, c := range columns() {
			if v := c.value(r.tensor, r.loss); v != nil {
				o[c.name] = figure(v)
			}
		}
		if plan {
			o["keeps_more_bits"] = r.more
		}
		all = append(all, o)
	}
	return all
}

// WriteJSON writes the file's name, the file's size in each format, and the rows of WriteCSV.
func (r *Report) WriteJSON(w io.Writer) error {
	type size struct {
		Format string `json:"format"`
		Bytes  int64  `json:"bytes"`
		Kept   int    `json:"tensors_as_in_the_file"`
	}
	sizes := []size{}
	for _, f := range r.Formats {
		bytes, kept := r.Size(f)
		sizes = append(sizes, size{f.String(), bytes, kept})
	}
	return writeJSON(w, map[string]any{"file": r.File, "sizes": sizes, "tensors": objects(r.rows(), false)})
}

// WriteJSON writes the file's name, the budget, the size and the error of the plan, and the rows of WriteCSV.
func (p *Plan) WriteJSON(w io.Writer) error {
	budget := map[string]any{"bytes": p.Budget.Bytes}
	if p.Budget.Bytes == 0 {
		budget = map[string]any{"weight_error_rel": p.Budget.Error, "snr_db": figure(Decibels(p.Budget.Error))}
	}
	o := map[string]any{
		"file": p.File, "budget": budget, "bytes": p.Bytes, "weight_error_rel": p.Error, "snr_db": figure(Decibels(p.Error)), "tensors": objects(p.rows(), true),
	}
	if p.Usual != nil {
		o["usual_format"] = p.Usual.String()
	}
	return writeJSON(w, o)
}

// Decibels converts a relative error to a signal-to-noise ratio.
func Decibels(rel float64) float64 { return -20 * math.Log10(rel) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
