package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/metric"
	"assay/workloads"
	"assay/workloads/measure"
)

// Column is a column of results.csv, and a field of a result in JSON.
type Column struct {
	Name string
	Cell func(r *workloads.Result) Cell
	// put reads the cell back; nil if it is derived from other columns or run.json.
	put func(t *table, column string, r *workloads.Result) error
}

// Prefixes of columns, which no metric has.
const (
	paramPrefix = "param_" // of an axis: what differs between the cases
	setPrefix   = "set_"   // in tables, for a parameter of a whole job; results.csv has all of those in one column, settings
)

func isParam(column string) bool {
	return strings.HasPrefix(column, paramPrefix) || strings.HasPrefix(column, setPrefix)
}

// ParamColumn returns the column, in tables, of an axis or a parameter of a workload. If a workload has both under one name, it
// is the axis's.
func (m *Meta) ParamColumn(workload, name string) string {
	if slices.Contains(m.Axes[workload], name) {
		return paramPrefix + name
	}
	return setPrefix + name
}

// Columns lists the columns of results.csv in order: the same for every row, and fixed when a run starts. Each axis of the
// cases has one; the settings of a whole job share one. Each metric has one, or three if it is recorded with an
// interval.
func Columns(meta *Meta) []Column {
	out := append(slices.Concat(identity(meta), axisColumns(meta)), Column{Name: "settings", Cell: settingsCell(meta)})
	for i := range meta.Metrics {
		out = append(out, metricColumns(&meta.Metrics[i])...)
	}
	return append(out, outcome()...)
}

func identity(meta *Meta) []Column {
	return []Column{
		{Name: "run_id", Cell: func(*workloads.Result) Cell { return meta.ID }},
		text("result_id", func(r *workloads.Result) *string { return &r.ID }),
		{"job", jobCell, putJob},
		{"started_at", func(r *workloads.Result) Cell { return r.Started }, func(t *table, c string, r *workloads.Result) (err error) {
			r.Started, err = t.time(c)
			return err
		}},
		text("workload", func(r *workloads.Result) *string { return &r.Workload }),
		text("case", func(r *workloads.Result) *string { return &r.Case }),
		text("variant", func(r *workloads.Result) *string { return &r.Variant }),
		{Name: "engine", Cell: func(*workloads.Result) Cell { return meta.Engine.Engine }},
		{Name: "device", Cell: func(*workloads.Result) Cell { return meta.Engine.Device }},
		// A simulator's time in a single row must not be mistaken for a device's.
		{Name: "simulated", Cell: func(*workloads.Result) Cell { return meta.Engine.Simulated }},
		{Name: "engine_reason", Cell: func(*workloads.Result) Cell { return meta.WhyEngine() }},
	}
}

// jobCell counts jobs from 1; empty if the job is unknown.
func jobCell(r *workloads.Result) Cell {
	if r.Job < 0 {
		return nil
	}
	return r.Job + 1
}

func putJob(t *table, c string, r *workloads.Result) error {
	job, err := t.int(c) // 0 if the cell is empty
	r.Job = max(0, job) - 1
	return err
}

func outcome() []Column {
	return []Column{
		{"stop", func(r *workloads.Result) Cell { return string(r.Stop) }, func(t *table, c string, r *workloads.Result) error {
			r.Stop = measure.Stop(t.text(c))
			return nil
		}},
		text("baseline", func(r *workloads.Result) *string { return &r.Baseline }),
		{"status", func(r *workloads.Result) Cell { return string(r.Status) }, putStatus},
		{"failure", func(r *workloads.Result) Cell { return string(r.Failure.Kind) }, func(t *table, c string, r *workloads.Result) error {
			r.Failure.Kind = workloads.FailureKind(t.text(c))
			return nil
		}},
		text("reason", func(r *workloads.Result) *string { return &r.Failure.Text }),
		{"warnings", warningsCell, putWarnings},
		{Name: "warning_kinds", Cell: warningKinds},
	}
}

func putStatus(t *table, c string, r *workloads.Result) error {
	r.Status = workloads.Status(t.text(c))
	if !slices.Contains(statuses(), r.Status) {
		return t.bad(c, "ok, failed, error or unsupported")
	}
	return nil
}

func statuses() []workloads.Status {
	return []workloads.Status{workloads.OK, workloads.Failed, workloads.Errored, workloads.Unsupported}
}

func text(name string, field func(*workloads.Result) *string) Column {
	return Column{
		name, func(r *workloads.Result) Cell { return *field(r) },
		func(t *table, c string, r *workloads.Result) error { *field(r) = t.text(c); return nil },
	}
}

// metricColumns are the columns of a metric. The bounds of an interval are empty if there is a median but too few samples to
// bound it. Derived metrics are not read back but recomputed.
func metricColumns(m *metric.Metric) []Column {
	names, of := m.Columns(), m.Name
	number := func(r *workloads.Result) Cell { return r.Values.Number(of) }
	if m.Shape == metric.Count {
		number = func(r *workloads.Result) Cell { return count(r.Values.Number(of)) }
	}
	switch {
	case m.Shape == metric.Text:
		return []Column{{
			names[0], func(r *workloads.Result) Cell { return r.Values.Text(of) },
			func(t *table, c string, r *workloads.Result) error { r.Values.SetText(of, t.text(c)); return nil },
		}}
	case m.Derived():
		return []Column{{Name: names[0], Cell: number}}
	case m.Shape != metric.Interval:
		return []Column{{names[0], number, func(t *table, c string, r *workloads.Result) error {
			v, err := t.number(c, m.Shape == metric.Count)
			r.Values.SetNumber(of, v)
			return err
		}}}
	}
	return []Column{
		{names[0], number, putInterval(of, names)},
		{Name: names[1], Cell: func(r *workloads.Result) Cell { return bound(r.Values.Get(of).Lo) }},
		{Name: names[2], Cell: func(r *workloads.Result) Cell { return bound(r.Values.Get(of).Hi) }},
	}
}

func bound(v float64) Cell {
	if math.IsInf(v, 0) {
		return nil
	}
	return v
}

func putInterval(of metric.Name, names []string) func(*table, string, *workloads.Result) error {
	return func(t *table, _ string, r *workloads.Result) error {
		var v [3]float64
		for i, name := range names {
			var err error
			if v[i], err = t.float(name); err != nil {
				return err
			}
		}
		i := r.Values.Get(of) // its type
		i.Median, i.Lo, i.Hi = v[0], v[1], v[2]
		if math.IsNaN(i.Lo) {
			i.Lo = math.Inf(-1)
		}
		if math.IsNaN(i.Hi) {
			i.Hi = math.Inf(1)
		}
		r.Values.Set(of, i)
		return nil
	}
}

// axisColumns returns one column per axis, workload by workload.
func axisColumns(meta *Meta) []Column {
	var out []Column
	seen := map[string]bool{}
	for _, job := range meta.Jobs {
		for _, name := range meta.Axes[job.Workload] {
			if !seen[name] {
				seen[name] = true
				out = append(out, Column{paramPrefix + name, axisCell(meta, name), putSetting(meta, name)})
			}
		}
	}
	return out
}

// axisCell is empty for a workload whose cases do not vary the name.
func axisCell(meta *Meta, name string) func(r *workloads.Result) Cell {
	return func(r *workloads.Result) Cell {
		if !slices.Contains(meta.Axes[r.Workload], name) {
			return nil
		}
		return settingCell(r.Setting(name))
	}
}

// settingsCell lists the settings of the job, without those that its cases vary: "dtype=f16; rows=64".
func settingsCell(meta *Meta) func(r *workloads.Result) Cell {
	return func(r *workloads.Result) Cell {
		var parts []string
		for _, name := range meta.setNames(r.Workload) {
			if v := meta.Param(r, name); v != nil {
				parts = append(parts, name+"="+quoted(fmt.Sprint(settingCell(v))))
			}
		}
		return strings.Join(parts, "; ")
	}
}

// setNames lists the parameters that jobs of the workload set and its cases do not vary, sorted.
func (m *Meta) setNames(workload string) []string {
	var names []string
	for _, job := range m.Jobs {
		if job.Workload == workload {
			names = append(names, m.ParamNames(job)[len(m.Axes[workload]):]...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// quoted returns a value, in quotes if it could otherwise be taken for more than one.
func quoted(value string) string {
	if strings.ContainsAny(value, ";\"") {
		return strconv.Quote(value)
	}
	return value
}

// Param is the case's setting, or the job's parameter if the cases do not vary it; nil if there is none.
func (m *Meta) Param(r *workloads.Result, name string) any {
	if slices.Contains(m.Axes[r.Workload], name) {
		return r.Setting(name)
	}
	if r.Job >= 0 && r.Job < len(m.Jobs) && m.Jobs[r.Job].Workload == r.Workload {
		return m.Jobs[r.Job].Params[name]
	}
	return m.paramOfAny(r.Workload, name)
}

// paramOfAny is for results whose job is unknown. It is nil if two jobs of the workload differ.
func (m *Meta) paramOfAny(workload, name string) any {
	var value any
	for _, job := range m.Jobs {
		v, ok := job.Params[name]
		if job.Workload != workload || !ok {
			continue
		}
		if value != nil && value != v {
			return nil
		}
		value = v
	}
	return value
}

// putSetting reads an axis back.
func putSetting(meta *Meta, name string) func(*table, string, *workloads.Result) error {
	return func(t *table, c string, r *workloads.Result) error {
		if raw := t.raw(c); raw != "" && slices.Contains(meta.Axes[r.Workload], name) {
			r.Settings = append(r.Settings, workloads.Setting{Name: name, Value: settingValue(raw)})
		}
		return nil
	}
}

// settingCell distinguishes a whole float from an int: 10.0 and 10.
func settingCell(v any) Cell {
	f, ok := v.(float64)
	if !ok {
		return v
	}
	return decimal(f)
}

// SettingText formats a setting or a parameter as in files.
func SettingText(v any) string { return csvText(settingCell(v)) }

// decimal is a number written with a decimal point or exponent. It is not text: csvText does not escape it.
type decimal float64

func (d decimal) String() string {
	s := number(float64(d))
	if s != "" && !strings.ContainsAny(s, ".ein") {
		s += ".0"
	}
	return s
}

func settingValue(raw string) any {
	if i, err := strconv.Atoi(raw); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(raw, 64); err == nil {
		return f
	}
	return unescape(raw)
}

// WriteRows writes results as CSV: a header line, and one line per result.
func WriteRows(w io.Writer, columns []Column, results []workloads.Result) error {
	var buf bytes.Buffer
	buf.Write(headLine(columns))
	for i := range results {
		buf.Write(rowLine(columns, &results[i]))
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func headLine(columns []Column) []byte {
	line := make([]Cell, len(columns))
	for i, c := range columns {
		line[i] = c.Name
	}
	return csvLine(line...)
}

func rowLine(columns []Column, r *workloads.Result) []byte {
	line := make([]Cell, len(columns))
	for i, c := range columns {
		line[i] = c.Cell(r)
	}
	return csvLine(line...)
}

// RowJSON is a result as a JSON object: a field per column, in order.
func RowJSON(columns []Column, r *workloads.Result) (json.RawMessage, error) {
	names, values := make([]string, len(columns)), make([]Cell, len(columns))
	for i, c := range columns {
		names[i], values[i] = c.Name, c.Cell(r)
	}
	return object(names, values)
}

// SampleColumns are the JSON fields with all samples of a result: those that count and those set aside.
func SampleColumns() []Column {
	return []Column{
		{Name: "samples_s", Cell: func(r *workloads.Result) Cell { return jsonSamples(r.Samples) }},
		{Name: "samples_set_aside_s", Cell: func(r *workloads.Result) Cell {
			groups := make([]asideJSON, len(r.SetAside))
			for i, a := range r.SetAside {
				groups[i] = asideJSON{a.At, a.Why, jsonSamples(a.Samples)}
			}
			return groups
		}},
	}
}

// asideJSON is samples set aside in JSON.
type asideJSON struct {
	Index   int    `json:"index"` // of the next sample that counts
	Reason  string `json:"reason"`
	Samples []any  `json:"samples_s"`
}

func jsonSamples(samples []float64) []any {
	out := make([]any, len(samples))
	for i, s := range samples {
		out[i] = jsonValue(s)
	}
	return out
}

// object is a JSON object whose fields keep their order.
func object(names []string, values []Cell) (json.RawMessage, error) {
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(name) // a string never fails
		value, err := json.Marshal(jsonValue(values[i]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}
