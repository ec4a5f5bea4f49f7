// Package imported reads results measured by other programs: llama-bench, MLX, google-benchmark and hyperfine. They serve as
// references; what was measured, how and on what is taken from their authors.
package imported

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"assay/internal/stats"
)

// MaxBytes is the maximum file size, MaxRows the maximum number of rows.
const (
	MaxBytes = 64 << 20
	MaxRows  = 10_000
)

// Row is one figure measured by someone else.
type Row struct {
	Source  string  `json:"source"`              // the program: "llama-bench"
	Name    string  `json:"name"`                // what was measured, in the program's words
	Seconds float64 `json:"time_s,omitempty"`    // median, or else mean; 0: not given
	Lo      float64 `json:"time_lo_s,omitempty"` // of the interval of the median, if there are enough samples
	Hi      float64 `json:"time_hi_s,omitempty"`
	Rate    float64 `json:"rate,omitempty"` // per second; 0: not given
	Of      string  `json:"of,omitempty"`   // what the rate counts: "tokens", "items", "B"
	Samples int     `json:"samples,omitempty"`
	Context string  `json:"context,omitempty"` // build, threads and device, if given
}

// Parse reads a file from any of the programs.
func Parse(data []byte) ([]Row, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%d bytes, want at most %d", len(data), MaxBytes)
	}
	rows, err := parse(bytes.TrimSpace(data))
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, errors.New("no results in it")
	case len(rows) > MaxRows:
		return nil, fmt.Errorf("%d results, want at most %d", len(rows), MaxRows)
	}
	return rows, nil
}

func parse(data []byte) ([]Row, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	if data[0] != '{' && data[0] != '[' {
		return mlxText(string(data))
	}
	if data[0] == '[' {
		var list []json.RawMessage
		if err := decode(data, &list); err != nil {
			return nil, err
		}
		return objects(list)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(data, &whole); err == nil {
		switch {
		case whole["benchmarks"] != nil:
			return google(data)
		case whole["results"] != nil:
			return hyperfine(data)
		}
		return objects([]json.RawMessage{data})
	}
	lines, err := lines(data)
	if err != nil {
		return nil, err
	}
	return objects(lines)
}

// decode parses JSON, and names any value of the wrong type in its error.
func decode(data []byte, to any) error {
	err := json.Unmarshal(data, to)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s is %s, want %s", cmp.Or(wrong.Field, "it"), article(wrong.Value), article(kindOf(wrong.Type)))
	}
	return err
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// kindOf returns the JSON name of a type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "number"
}

// lines parses a file with one object per line.
func lines(data []byte) ([]json.RawMessage, error) {
	var list []json.RawMessage
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, MaxBytes)
	for s.Scan() {
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			return nil, fmt.Errorf("line %d is not JSON", len(list)+1)
		}
		list = append(list, slices.Clone(line))
	}
	return list, s.Err()
}

// objects parses a list of results, from llama-bench or from a benchmark of MLX.
func objects(list []json.RawMessage) ([]Row, error) {
	var rows []Row
	for i, one := range list {
		var keys map[string]json.RawMessage
		if err := decode(one, &keys); err != nil {
			return nil, fmt.Errorf("result %d: %w", i+1, err)
		}
		read := unknown
		switch {
		case keys["avg_ts"] != nil:
			read = llama
		case keys["Prompt TPS"] != nil || keys["Response TPS"] != nil:
			read = mlx
		}
		more, err := read(one)
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", i+1, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func unknown(json.RawMessage) ([]Row, error) {
	return nil, errors.New("not a result of llama-bench, MLX, google-benchmark or hyperfine")
}

// told formats a part of a context; empty if the file does not give it.
func told[T comparable](format string, v T) string {
	var unknown T
	if v == unknown {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// together joins the known parts of a context.
func together(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// mlxAverages matches the last line of mlx_lm.benchmark, which prints text.
var mlxAverages = regexp.MustCompile(`Averages: *prompt_tps=([0-9.e+]+), *generation_tps=([0-9.e+]+), *peak_memory=([0-9.e+]+)`)

// googleUnits are the time units of google-benchmark.
var googleUnits = map[string]float64{"": 1e-9, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}

func scaled(list []float64, by float64) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = by * x
	}
	return out
}

// timed sets the time: the median of the samples, or the given value.
func (r *Row) timed(samples []float64, told float64) {
	r.Seconds, r.Samples, r.Lo, r.Hi = told, len(samples), 0, 0
	if i := slices.IndexFunc(samples, func(x float64) bool { return x < 0 }); i >= 0 {
		r.Seconds = samples[i] // for check
		return
	}
	if len(samples) == 0 || slices.ContainsFunc(samples, func(x float64) bool { return !(x > 0) }) {
		return
	}
	e := stats.Median(samples)
	r.Seconds = e.Median
	if e.Bounded() {
		r.Lo, r.Hi = e.Lo, e.Hi
	}
}

// check rejects a row that is not a valid figure.
func (r *Row) check() error {
	for _, x := range []float64{r.Seconds, r.Rate, r.Lo, r.Hi} {
		if x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: %g is not a time or a rate", r.Name, x)
		}
	}
	if r.Seconds == 0 && r.Rate == 0 {
		return fmt.Errorf("%s has neither a time nor a rate", r.Name)
	}
	return nil
}
