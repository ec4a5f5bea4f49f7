package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// A column of results.csv, and a field of a result in JSON. put is nil where the value follows from other columns.
type column struct {
	name string
	get  func(x *row) cell
	put  func(t *table, column string, r *workloads.Result) error
}

// row is a result with the run that it belongs to.
type row struct {
	*workloads.Result
	meta *Meta
}

// Columns lists the columns of results.csv in order: the same for every row and fixed when a run starts. One param_
// column stands for each parameter of the run's workloads and each axis of their cases; where a workload has both by
// one name the cell is the case's.
func Columns(meta *Meta) []string {
	var names []string
	for _, c := range columns(meta) {
		names = append(names, c.name)
	}
	return names
}

const paramPrefix = "param_"

func columns(meta *Meta) []column {
	return slices.Concat(identity(), params(meta), timing(), work(), accuracy(), comparison(), outcome())
}

func identity() []column {
	return []column{
		{name: "run_id", get: func(x *row) cell { return x.meta.ID }},
		{"started_at", func(x *row) cell { return x.Started }, func(t *table, c string, r *workloads.Result) (err error) {
			r.Started, err = t.time(c)
			return err
		}},
		text("workload", func(r *workloads.Result) *string { return &r.Workload }),
		text("case", func(r *workloads.Result) *string { return &r.Case }),
		text("variant", func(r *workloads.Result) *string { return &r.Variant }),
		{name: "engine", get: func(x *row) cell { return x.meta.Engine.Engine }},
		{name: "device", get: func(x *row) cell { return x.meta.Engine.Device }},
		// Whoever reads a row alone must not take a simulator's time for a device's.
		{name: "simulated", get: func(x *row) cell { return strconv.FormatBool(x.meta.Engine.Simulated) }},
	}
}

func timing() []column {
	return slices.Concat(
		interval("time", "_s", func(r *workloads.Result) *stats.Interval { return &r.Time }),
		[]column{
			// Read by attachSamples, which holds it against what samples.csv has.
			{name: "samples", get: func(x *row) cell { return len(x.Samples) }},
			count("outliers", func(r *workloads.Result) *int { return &r.Outliers }, sampled),
			count("warmup_samples", func(r *workloads.Result) *int { return &r.Warmups }, sampled),
			count("repetitions", func(r *workloads.Result) *int { return &r.Reps }, nil),
			{"stop", func(x *row) cell { return string(x.Stop) }, func(t *table, c string, r *workloads.Result) error {
				r.Stop = measure.Stop(t.text(c))
				return nil
			}},
		})
}

func work() []column {
	return []column{
		{name: "gflops", get: func(x *row) cell { return x.GFLOPS() }},
		{name: "gbps", get: func(x *row) cell { return x.GBps() }},
		{name: "items_per_s", get: func(x *row) cell { return x.ItemsPerS() }},
		amount("ops", func(r *workloads.Result) *float64 { return &r.Ops }),
		amount("bytes", func(r *workloads.Result) *float64 { return &r.Bytes }),
		amount("items", func(r *workloads.Result) *float64 { return &r.Items }),
		count("dispatches", func(r *workloads.Result) *int { return &r.Dispatches }, nil),
	}
}

func accuracy() []column {
	return []column{
		float("error_max", func(r *workloads.Result) *float64 { return &r.ErrorMax }),
		float("error_rel", func(r *workloads.Result) *float64 { return &r.ErrorRel }),
		float("snr_db", func(r *workloads.Result) *float64 { return &r.SNR }),
		float("cosine", func(r *workloads.Result) *float64 { return &r.Cosine }),
		float("footprint_bytes", func(r *workloads.Result) *float64 { return &r.Footprint }),
	}
}

func comparison() []column {
	compared := func(r *workloads.Result) bool { return r.Baseline != "" }
	return slices.Concat(
		[]column{text("baseline", func(r *workloads.Result) *string { return &r.Baseline })},
		interval("speedup", "", func(r *workloads.Result) *stats.Interval { return &r.Speedup }),
		[]column{
			float("bytes_saved", func(r *workloads.Result) *float64 { return &r.BytesSaved }),
			count("dispatches_saved", func(r *workloads.Result) *int { return &r.DispatchesSaved }, compared),
		})
}

func outcome() []column {
	return []column{
		text("marks", func(r *workloads.Result) *string { return &r.Mark }),
		{"status", func(x *row) cell { return string(x.Status) }, func(t *table, c string, r *workloads.Result) error {
			r.Status = workloads.Status(t.text(c))
			if !slices.Contains(statuses(), r.Status) {
				return t.bad(c, "ok, failed, error or unsupported")
			}
			return nil
		}},
		text("reason", func(r *workloads.Result) *string { return &r.Reason }),
		{
			"warnings", func(x *row) cell { return strings.Join(x.Warnings, warningSeparator) },
			func(t *table, c string, r *workloads.Result) error {
				if s := t.text(c); s != "" {
					r.Warnings = strings.Split(s, warningSeparator)
				}
				return nil
			},
		},
	}
}

const warningSeparator = "; "

func statuses() []workloads.Status {
	return []workloads.Status{workloads.OK, workloads.Failed, workloads.Errored, workloads.Unsupported}
}

func sampled(r *workloads.Result) bool { return len(r.Samples) > 0 }

func text(name string, field func(*workloads.Result) *string) column {
	return column{
		name, func(x *row) cell { return *field(x.Result) },
		func(t *table, c string, r *workloads.Result) error { *field(r) = t.text(c); return nil },
	}
}

func float(name string, field func(*workloads.Result) *float64) column {
	return column{
		name, func(x *row) cell { return *field(x.Result) },
		func(t *table, c string, r *workloads.Result) (err error) { *field(r), err = t.float(c); return err },
	}
}

// amount is a float whose 0 means that it was not counted.
func amount(name string, field func(*workloads.Result) *float64) column {
	return column{
		name, func(x *row) cell {
			if v := *field(x.Result); v != 0 {
				return v
			}
			return nil
		},
		func(t *table, c string, r *workloads.Result) error {
			v, err := t.float(c)
			if !math.IsNaN(v) {
				*field(r) = v
			}
			return err
		},
	}
}

// count is a whole number; its 0 is written only if zero says that it means something.
func count(name string, field func(*workloads.Result) *int, zero func(*workloads.Result) bool) column {
	return column{
		name, func(x *row) cell {
			if v := *field(x.Result); v != 0 || zero != nil && zero(x.Result) {
				return v
			}
			return nil
		},
		func(t *table, c string, r *workloads.Result) (err error) { *field(r), err = t.int(c); return err },
	}
}

// interval is three columns. The bounds are empty where there is a median but too few samples to bound it.
func interval(name, unit string, field func(*workloads.Result) *stats.Interval) []column {
	bound := func(suffix string, missing float64, part func(*stats.Interval) *float64) column {
		return column{
			name + suffix + unit, func(x *row) cell {
				if v := *part(field(x.Result)); !math.IsInf(v, 0) {
					return v
				}
				return nil
			},
			func(t *table, c string, r *workloads.Result) error {
				v, err := t.float(c)
				if math.IsNaN(v) && !math.IsNaN(field(r).Median) {
					v = missing
				}
				*part(field(r)) = v
				return err
			},
		}
	}
	return []column{
		float(name+unit, func(r *workloads.Result) *float64 { return &field(r).Median }),
		bound("_lo", math.Inf(-1), func(i *stats.Interval) *float64 { return &i.Lo }),
		bound("_hi", math.Inf(1), func(i *stats.Interval) *float64 { return &i.Hi }),
	}
}

// params is a column per parameter and axis, workload by workload.
func params(meta *Meta) []column {
	var out []column
	seen := map[string]bool{}
	for _, job := range meta.Jobs {
		for _, name := range meta.paramNames(job) {
			if seen[name] {
				continue
			}
			seen[name] = true
			out = append(out, column{paramPrefix + name, func(x *row) cell { return x.param(name) }, putSetting(meta, name)})
		}
	}
	return out
}

// paramNames lists the job's axes, then its parameters, each in a stable order.
func (m *Meta) paramNames(job Job) []string {
	names := slices.Clone(m.Axes[job.Workload])
	rest := make([]string, 0, len(job.Params))
	for name := range job.Params {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// param is the case's setting, or the job's parameter if the cases do not vary it. Where two jobs of one workload
// differ it is not known which of them a result belongs to.
func (x *row) param(name string) cell {
	if slices.Contains(x.meta.Axes[x.Workload], name) {
		return settingCell(x.Setting(name))
	}
	var value any
	for _, job := range x.meta.Jobs {
		v, ok := job.Params[name]
		if job.Workload != x.Workload || !ok {
			continue
		}
		if value != nil && value != v {
			return nil
		}
		value = v
	}
	return settingCell(value)
}

// putSetting reads an axis back; parameters are in run.json.
func putSetting(meta *Meta, name string) func(*table, string, *workloads.Result) error {
	return func(t *table, c string, r *workloads.Result) error {
		if raw := t.raw(c); raw != "" && slices.Contains(meta.Axes[r.Workload], name) {
			r.Settings = append(r.Settings, workloads.Setting{Name: name, Value: settingValue(raw)})
		}
		return nil
	}
}

// settingCell keeps a whole float apart from an int: 10.0 and 10.
func settingCell(v any) cell {
	f, ok := v.(float64)
	if !ok {
		return v
	}
	return decimal(f)
}

// decimal is a number written with a decimal point or exponent. It is no text: csvText does not escape it.
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
