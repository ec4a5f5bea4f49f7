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
	"strconv"
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

// llama parses an object from llama-bench -o json or jsonl.
func llama(one json.RawMessage) ([]Row, error) {
	var r struct {
		Commit   string    `json:"build_commit"`
		Build    int       `json:"build_number"`
		CPU      string    `json:"cpu_info"`
		GPU      string    `json:"gpu_info"`
		Backends string    `json:"backends"`
		Model    string    `json:"model_type"`
		Threads  int       `json:"n_threads"`
		Prompt   int       `json:"n_prompt"`
		Gen      int       `json:"n_gen"`
		Depth    int       `json:"n_depth"`
		AvgNS    float64   `json:"avg_ns"`
		AvgTS    float64   `json:"avg_ts"`
		Samples  []float64 `json:"samples_ns"`
	}
	if err := decode(one, &r); err != nil {
		return nil, err
	}
	var what []string
	if r.Prompt > 0 {
		what = append(what, fmt.Sprintf("pp%d", r.Prompt))
	}
	if r.Gen > 0 {
		what = append(what, fmt.Sprintf("tg%d", r.Gen))
	}
	name := r.Model + ", " + strings.Join(what, "+")
	if r.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", r.Depth)
	}
	device := r.GPU
	if device == "" {
		device = r.CPU
	}
	row := Row{
		Source: "llama-bench", Name: name, Rate: r.AvgTS, Of: "tokens",
		Context: together(told("build %s", r.Commit)+told(" (%d)", r.Build), r.Backends, device, told("%d threads", r.Threads)),
	}
	row.timed(scaled(r.Samples, 1e-9), r.AvgNS/1e9)
	return []Row{row}, row.check()
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

// mlx parses an object from MLX's benchmark tool, which has one rate for the prompt and one for the answer.
func mlx(one json.RawMessage) ([]Row, error) {
	var r struct {
		Model    string  `json:"Model"`
		Prompt   float64 `json:"Prompt Tokens"`
		PromptTS float64 `json:"Prompt TPS"`
		Gen      float64 `json:"Response Tokens"`
		GenTS    float64 `json:"Response TPS"`
		Memory   float64 `json:"Memory Usage (GB)"`
	}
	if err := decode(one, &r); err != nil {
		return nil, err
	}
	return mlxRows(r.Model, r.Prompt, r.PromptTS, r.Gen, r.GenTS, told("%g GB of memory", r.Memory))
}

func mlxRows(model string, prompt, promptRate, gen, genRate float64, context string) ([]Row, error) {
	var rows []Row
	for _, part := range []struct {
		name   string
		tokens float64
		rate   float64
	}{{"prompt", prompt, promptRate}, {"generation", gen, genRate}} {
		if part.rate == 0 {
			continue
		}
		row := Row{Source: "MLX", Name: strings.TrimPrefix(model+", ", ", ") + part.name, Rate: part.rate, Of: "tokens", Context: context}
		if part.tokens > 0 {
			row.Name += fmt.Sprintf(" of %.0f", part.tokens)
			row.Seconds = part.tokens / part.rate
		}
		if err := row.check(); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// mlxAverages matches the last line of mlx_lm.benchmark, which prints text.
var mlxAverages = regexp.MustCompile(`Averages: *prompt_tps=([0-9.e+]+), *generation_tps=([0-9.e+]+), *peak_memory=([0-9.e+]+)`)

func mlxText(text string) ([]Row, error) {
	m := mlxAverages.FindStringSubmatch(text)
	if m == nil {
		return unknown(nil)
	}
	var v [3]float64
	for i := range v {
		var err error
		if v[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
			return nil, err
		}
	}
	return mlxRows("", 0, v[0], 0, v[1], fmt.Sprintf("%g GB of memory", v[2]))
}

// googleUnits are the time units of google-benchmark.
var googleUnits = map[string]float64{"": 1e-9, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}

// googleRow is a result of google-benchmark: a repetition, or an aggregate of several.
type googleRow struct {
	Name      string  `json:"name"`
	RunName   string  `json:"run_name"`
	Type      string  `json:"run_type"`
	Aggregate string  `json:"aggregate_name"`
	Real      float64 `json:"real_time"`
	Unit      string  `json:"time_unit"`
	Bytes     float64 `json:"bytes_per_second"`
	Items     float64 `json:"items_per_second"`
	Failed    bool    `json:"error_occurred"`
	Threads   int     `json:"threads"`
}

func google(data []byte) ([]Row, error) {
	var file struct {
		Context struct {
			Host string `json:"host_name"`
			CPUs int    `json:"num_cpus"`
			Type string `json:"library_build_type"`
		} `json:"context"`
		Benchmarks []googleRow `json:"benchmarks"`
	}
	if err := decode(data, &file); err != nil {
		return nil, err
	}
	c := &file.Context
	context := together(c.Host, told("%d CPUs", c.CPUs), told("library built as %s", c.Type))
	var rows []Row
	at, samples := map[string]int{}, map[string][]float64{}
	for _, b := range file.Benchmarks {
		unit, known := googleUnits[b.Unit]
		if !known {
			return nil, fmt.Errorf("%s: unit of time %q, want ns, us, ms or s", b.Name, b.Unit)
		}
		name := b.RunName
		if name == "" {
			name = b.Name
		}
		if b.Failed || b.Type == "aggregate" && b.Aggregate != "median" && b.Aggregate != "mean" {
			continue
		}
		i, seen := at[name]
		if !seen {
			i = len(rows)
			at[name] = i
			rows = append(rows, Row{Source: "google-benchmark", Name: name, Context: context})
		}
		row := &rows[i]
		if b.Type != "aggregate" {
			samples[name] = append(samples[name], b.Real*unit)
		}
		if b.Type != "aggregate" || len(samples[name]) == 0 && (row.Seconds == 0 || b.Aggregate == "median") {
			row.timed(samples[name], b.Real*unit)
		}
		if b.Bytes > 0 {
			row.Rate, row.Of = b.Bytes, "B"
		}
		if b.Items > 0 {
			row.Rate, row.Of = b.Items, "items"
		}
		if err := row.check(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// hyperfine parses --export-json, of version 1 with times and of version 2 with measurements.
func hyperfine(data []byte) ([]Row, error) {
	var file struct {
		Results []struct {
			Command      string    `json:"command"`
			Name         string    `json:"name"`
			Mean         float64   `json:"mean"`
			Median       float64   `json:"median"`
			Times        []float64 `json:"times"`
			Measurements []struct {
				Wall struct {
					Value float64 `json:"value"`
				} `json:"time_wall_clock"`
			} `json:"measurements"`
		} `json:"results"`
	}
	if err := decode(data, &file); err != nil {
		return nil, err
	}
	var rows []Row
	for _, r := range file.Results {
		row := Row{Source: "hyperfine", Name: r.Command}
		if r.Name != "" {
			row.Name = r.Name
		}
		for _, m := range r.Measurements {
			r.Times = append(r.Times, m.Wall.Value)
		}
		told := r.Median
		if told == 0 {
			told = r.Mean
		}
		row.timed(r.Times, told)
		if err := row.check(); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

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
