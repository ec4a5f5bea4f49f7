package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/workloads"
)

// engineJSON is an engine's info in run.json.
type engineJSON struct {
	Engine         string        `json:"engine"`
	Device         string        `json:"device"`
	Clock          string        `json:"clock"`
	Simulated      bool          `json:"simulated"`
	Unified        bool          `json:"unified_memory"`
	GPU            bool          `json:"gpu,omitempty"`
	Family         int           `json:"family,omitempty"`
	Compute        int           `json:"compute,omitempty"`
	Cores          int           `json:"cores,omitempty"`
	Features       []string      `json:"features"`
	Untuned        bool          `json:"untuned,omitempty"`
	MaxBuffer      int64         `json:"max_buffer_bytes"`
	WorkingSet     int64         `json:"working_set_bytes,omitempty"`
	Bandwidth      float64       `json:"bandwidth_bytes_per_s,omitempty"`
	LastLevelCache int64         `json:"last_level_cache_bytes,omitempty"`
	GapWhy         string        `json:"gap_why,omitempty"`
	SampleTime     time.Duration `json:"sample_time_ns,omitempty"`
}

// plainMeta is Meta without its methods, so that encoding/json does not recurse.
type plainMeta Meta

// metaJSON is run.json: Meta with its engine's fields named.
type metaJSON struct {
	*plainMeta
	Engine engineJSON `json:"engine"`
}

// MarshalJSON writes the engine's fields under their stable names.
func (m Meta) MarshalJSON() ([]byte, error) {
	plain := plainMeta(m)
	return json.Marshal(metaJSON{&plain, engineJSON(m.Engine)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Meta) UnmarshalJSON(data []byte) error {
	var in metaJSON
	in.plainMeta = (*plainMeta)(m)
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	m.Engine = gpu.Info(in.Engine)
	return nil
}

type jobJSON struct {
	Workload string                     `json:"workload"`
	Params   map[string]json.RawMessage `json:"params"`
}

// MarshalJSON writes whole floats as 10.0, so that they are read back as floats.
func (j Job) MarshalJSON() ([]byte, error) {
	out := jobJSON{j.Workload, make(map[string]json.RawMessage, len(j.Params))}
	for name, v := range j.Params {
		raw, err := json.Marshal(jsonValue(settingCell(v)))
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		out.Params[name] = raw
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads numbers as int, or as float64 if they have a point or an exponent.
func (j *Job) UnmarshalJSON(data []byte) error {
	var in jobJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	j.Workload, j.Params = in.Workload, make(workloads.Values, len(in.Params))
	for name, raw := range in.Params {
		v, err := paramValue(raw)
		if err != nil {
			return fmt.Errorf("parameter %s of %s: %w", name, in.Workload, err)
		}
		j.Params[name] = v
	}
	return nil
}

func paramValue(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case json.Number:
		if strings.ContainsAny(x.String(), ".eE") {
			return x.Float64()
		}
		return strconv.Atoi(x.String())
	case nil:
		return math.NaN(), nil
	case string, bool:
		return x, nil
	}
	return nil, fmt.Errorf("is %s, want a number, a text, true or false", plain.Text(clip(string(raw))))
}

// jsonValue is a cell in JSON: an unknown number is null, an infinite one is the text "inf" or "-inf", and text is not
// escaped for spreadsheets.
func jsonValue(c Cell) any {
	switch v := c.(type) {
	case float64:
		return jsonNumber(v, c)
	case decimal:
		return jsonNumber(float64(v), json.RawMessage(v.String()))
	}
	return c
}

func jsonNumber(v float64, whole any) any {
	switch {
	case math.IsNaN(v):
		return nil
	case math.IsInf(v, 0):
		return number(v)
	}
	return whole
}

// parseMeta reads run.json.
func parseMeta(data []byte) (Meta, error) {
	var m Meta
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&m); err != nil {
		return m, jsonError(err)
	}
	switch {
	case m.Schema == 0 || m.ID == "":
		return m, errors.New("no schema or run_id in it")
	case m.Schema > Schema || m.Schema < 0:
		return m, fmt.Errorf("schema %d, this version of Assay reads up to %d", m.Schema, Schema)
	case !plainName(m.ID):
		return m, fmt.Errorf("run_id is %q, want a plain name", clip(m.ID))
	case !slices.Contains([]State{Running, Finished, Stopped, Failed}, m.State):
		return m, fmt.Errorf("state is %q, want running, finished, stopped or failed", clip(string(m.State)))
	}
	m.Metrics = usable(m.Metrics)
	m.upgrade()
	return m, m.checkSizes()
}

// Limits of run.json: its content is shown in lists, each text in one cell.
const (
	maxList = 1000
	maxText = 4096 // bytes
)

// checkSizes rejects lists and texts far longer than any that a run has.
func (m *Meta) checkSizes() error {
	for _, list := range []struct {
		name string
		size int
	}{{"jobs", len(m.Jobs)}, {"watch.command", len(m.watch().Command)}, {"watch.verdicts", len(m.watch().Verdicts)}, {"engine.features", len(m.Engine.Features)}, {"metrics", len(m.Metrics)}, {"kernels", len(m.Kernels)}, {"self_test.checks", len(m.SelfTest.list())}} {
		if list.size > maxList {
			return fmt.Errorf("%s has %d entries, want at most %d", list.name, list.size, maxList)
		}
	}
	for _, text := range []struct{ name, value string }{
		{"run_id", m.ID},
		{"watch.name", m.watch().Name},
		{"watch.ended", m.watch().Ended},
		{"assay_version", m.Version},
		{"go_version", m.Go},
		{"engine.engine", m.Engine.Engine},
		{"engine.device", m.Engine.Device},
		{"engine.clock", m.Engine.Clock},
		{"engine_reason", m.EngineReason},
		{"validation", m.Validation},
		{"capture", m.Capture},
		{"target", m.Target},
		{"purpose", m.Purpose},
		{"host.platform", m.Host.Platform},
		{"host.kernel", m.Host.Kernel},
		{"host.cpu", m.Host.CPU},
	} {
		if len(text.value) > maxText {
			return fmt.Errorf("%s has %d B, want at most %d", text.name, len(text.value), maxText)
		}
	}
	return m.watch().check()
}

// usable returns the metrics with their own columns. A shape from a later version is read as text.
func usable(list metric.List) metric.List {
	taken := map[string]bool{}
	for _, c := range slices.Concat(identity(&Meta{}), outcome()) {
		taken[c.Name] = true
	}
	var out metric.List
	for _, m := range list {
		switch m.Shape {
		case metric.Interval, metric.Scalar, metric.Count, metric.Text:
		default:
			m.Shape, m.Of, m.Per = metric.Text, "", ""
		}
		names := m.Columns()
		if slices.ContainsFunc(names, func(c string) bool { return c == "" || taken[c] || isParam(c) }) {
			continue
		}
		for _, c := range names {
			taken[c] = true
		}
		out = append(out, m)
	}
	return out
}

// jsonError says in plain words what is wrong with a JSON file.
func jsonError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is cut off")
	case !errors.As(err, &wrong):
		return err
	case wrong.Field == "":
		return fmt.Errorf("it contains %s, want an object", withArticle(wrong.Value))
	}
	field := strings.TrimPrefix(wrong.Field, "plainMeta.") // a Go name, not in the file
	return fmt.Errorf("%s is %s, want %s", field, withArticle(wrong.Value), jsonKind(wrong.Type))
}

// withArticle names a kind of JSON value: "an array", "a number 1e9".
func withArticle(kind string) string {
	if strings.ContainsAny(kind[:min(1, len(kind))], "ao") {
		return "an " + kind
	}
	return "a " + kind
}

// jsonKind is the kind of JSON value for a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number in its range"
}

// EngineAsked is the reason for an engine that the user named.
const EngineAsked = "asked for"

// WhyEngine says why the run is on its engine: "asked for", "automatic: no Metal: needs macOS"; empty: there is no engine, as in
// the watch of a program.
func (m *Meta) WhyEngine() string {
	switch {
	case m.Engine.Engine == "" || m.EngineReason == EngineAsked:
		return m.EngineReason
	case m.EngineReason == "":
		return "automatic: the first that opens"
	}
	return "automatic: " + m.EngineReason
}

// Fallback says why a run is on a processor although nobody asked for it, "no Metal: needs macOS"; empty: it is on a GPU, or was
// asked for.
func (m *Meta) Fallback() string {
	if m.Engine.GPU || m.EngineReason == EngineAsked {
		return ""
	}
	return m.EngineReason
}
