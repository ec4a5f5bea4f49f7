package plan

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestExports(t *testing.T) {
	r := surveyed(t, model(t), Options{Formats: formats(t, "f32", "q4_K")})
	p, err := r.Choose(Budget{Error: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 1+4*2+4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	if x := rows[1]; at(x, "tensor") != "easy" || at(x, "shape") != "24x512" || at(x, "format") != "f32" || at(x, "snr_db") != "inf" || at(x, "weight_error_rms") != "0" {
		t.Errorf("first row %v", x)
	}
	if x := rows[6]; at(x, "tensor") != "narrow" || at(x, "snr_db") != "" || !strings.Contains(at(x, "not_available"), "rows of 96") {
		t.Errorf("a format that cannot be: %v", x)
	}
	if x := rows[7]; at(x, "format") != "as in the file" || at(x, "bytes") != "2048" || at(x, "not_available") == "" {
		t.Errorf("a tensor that stays: %v", x)
	}
	b.Reset()
	if err := p.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 9 || !slices.Contains(rows[0], "keeps_more_bits") {
		t.Errorf("the plan has %d rows, %v", len(rows), err)
	}
	for _, write := range []func() error{func() error { return r.WriteJSON(&b) }, func() error { return p.WriteJSON(&b) }} {
		b.Reset()
		var got struct {
			File    string
			Tensors []map[string]any
			Sizes   []map[string]any
		}
		if err := errors.Join(write(), json.Unmarshal(b.Bytes(), &got)); err != nil || len(got.Tensors) < 8 || got.File != r.File {
			t.Errorf("%d tensors of %q in JSON, %v", len(got.Tensors), got.File, err)
		}
	}
}

// No spreadsheet runs a name as a formula, and no terminal runs one as an escape sequence.
func TestExportsAreHarmless(t *testing.T) {
	r := &Report{Tensors: []Tensor{{Name: "=1+cmd|A1", Kept: "one dimension"}, {Name: "a\x1b[31mb", Kept: "one dimension"}}}
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "\n'=1+cmd|A1,") || strings.Contains(got, "\x1b") || !strings.Contains(got, "[31mb,") {
		t.Errorf("%q", got)
	}
}
