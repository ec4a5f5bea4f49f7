package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/si"
	"assay/workloads"
)

// Column is a column of a table of results for people: in the window, on a terminal, in Markdown and in the report.
type Column struct {
	Name    string // stable; of the column of results.csv that it shows, if there is one
	Title   string
	Unit    string // of Value; empty: none
	About   string // one plain sentence
	Number  bool   // aligned to the right
	Default bool   // shown unless the user chooses

	head  string // Title where there is little room, with the unit that brief leaves out; empty: Title
	text  func(r *workloads.Result) string
	brief func(r *workloads.Result) string // text below head; nil: text
	value func(r *workloads.Result) float64
}

// Text is the cell for people, with its unit; empty where there is nothing to say.
func (c *Column) Text(r *workloads.Result) string { return c.text(r) }

// Value is the cell as a number in Unit; NaN where it is not known, or is a text.
func (c *Column) Value(r *workloads.Result) float64 {
	if c.value == nil {
		return math.NaN()
	}
	return c.value(r)
}

// short is the head and the cell where there is little room.
func (c *Column) short() (head string, cell func(*workloads.Result) string) {
	head, cell = c.head, c.brief
	if head == "" {
		head = c.Title
	}
	if cell == nil {
		cell = c.text
	}
	return head, cell
}

// FindColumn is the column of that name.
func FindColumn(columns []Column, name string) (*Column, bool) {
	i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return &columns[i], true
}

// ResultColumns lists what a table of a run's results can show, in order. The workloads name the settings; those that
// this version does not know are shown by the names in the file.
func ResultColumns(meta *Meta, all []workloads.Workload) []Column {
	list := slices.Concat(nameColumns(), settingColumns(meta, all), timeColumns(), rateColumns(), ratioColumns(),
		accuracyColumns(), workColumns(), noteColumns())
	list[0].Default = len(meta.Jobs) != 1
	return list
}

func nameColumns() []Column {
	return []Column{
		{
			Name: "workload", Title: "Workload", About: "What was run.",
			text: plainField(func(r *workloads.Result) string { return r.Workload }),
		},
		{
			Name: "case", Title: "Case", Default: true, About: "The setting that was measured.",
			text: plainField(func(r *workloads.Result) string { return r.Case }),
		},
		{
			Name: "variant", Title: "Variant", Default: true, About: "The way in which the work was done.",
			text: plainField(func(r *workloads.Result) string { return r.Variant }),
		},
		{
			Name: "status", Title: "Status", Default: true,
			About: "Whether the outputs were compared with the reference and found right.",
			text:  func(r *workloads.Result) string { return StatusTitle(r.Status) },
		},
	}
}

func timeColumns() []Column {
	return []Column{
		timeColumn("time_s", "Time", true, "Median time of a repetition.",
			func(r *workloads.Result) float64 { return r.Time.Median }),
		{
			Name: "time_spread", Title: "95 % interval", Unit: "%", Number: true, Default: true,
			About: "Half the width of the 95 % interval of the time, relative to the median.",
			head:  "± %", value: spreadOf, text: spreadText,
			brief: func(r *workloads.Result) string { return known(strings.TrimSuffix(FormatSpread(r.Time), " %")) },
		},
		timeColumn("time_lo_s", "Time, lower bound", false, "Lower end of the 95 % interval of the time.",
			func(r *workloads.Result) float64 { return r.Time.Lo }),
		timeColumn("time_hi_s", "Time, upper bound", false, "Upper end of the 95 % interval of the time.",
			func(r *workloads.Result) float64 { return r.Time.Hi }),
		countColumn("samples", "Samples", true, "How many times it was measured.", sampled,
			func(r *workloads.Result) int { return len(r.Samples) }),
		countColumn("outliers", "Outliers", false, "Samples far outside the others; they are counted and kept.", sampled,
			func(r *workloads.Result) int { return r.Outliers }),
		countColumn("warmup_samples", "Warm-up", false, "Samples that were discarded before.", sampled,
			func(r *workloads.Result) int { return r.Warmups }),
		countColumn("repetitions", "Repetitions", false, "Repetitions of the work within one sample.", nil,
			func(r *workloads.Result) int { return r.Reps }),
		{
			Name: "stop", Title: "Stopped by", About: "Why no more samples were taken.",
			text: plainField(func(r *workloads.Result) string { return string(r.Stop) }),
		},
	}
}

func rateColumns() []Column {
	return []Column{
		rateColumn("gflops", "Throughput", "GFLOP/s", "FLOP/s", 1e9, "Operations a second at the median time.",
			(*workloads.Result).GFLOPS),
		rateColumn("gbps", "Bandwidth", "GB/s", "B/s", 1e9,
			"Least memory traffic a second at the median time; 1 GB is 10⁹ bytes.", (*workloads.Result).GBps),
		{
			Name: "items_per_s", Title: "Items/s", Unit: "1/s", Number: true, Default: true, head: "Items/s",
			About: "Things processed a second at the median time.", value: (*workloads.Result).ItemsPerS,
			text: func(r *workloads.Result) string { return known(itemRate(r.ItemsPerS())) },
		},
	}
}

// itemRate has no prefix below 1: "12 m" would not be read as a part of an item.
func itemRate(v float64) string {
	if v < 1 {
		return si.Digits(v)
	}
	return si.Format(v, "")
}

func ratioColumns() []Column {
	return []Column{
		{
			Name: "speedup", Title: "Speed-up", Unit: "×", Number: true, Default: true,
			About: "Time of the variant that this one is compared with over its own, from samples taken side by side.",
			value: func(r *workloads.Result) float64 { return r.Speedup.Median }, text: speedupText,
		},
		{
			Name: "baseline", Title: "Compared with", About: "The variant that the speed-up is against.",
			text: plainField(func(r *workloads.Result) string { return r.Baseline }),
		},
	}
}

func accuracyColumns() []Column {
	return []Column{
		bytesColumn("footprint_bytes", "Size", true, "What the compared object takes, such as quantised weights.",
			func(r *workloads.Result) float64 { return r.Footprint }),
		plainNumber("snr_db", "SNR", "dB", true, "Signal-to-noise ratio of the outputs; more is better.",
			func(r *workloads.Result) float64 { return r.SNR }),
		plainNumber("cosine", "Cosine", "", true, "Cosine of the angle between outputs and reference; 1 is alike.",
			func(r *workloads.Result) float64 { return r.Cosine }),
		plainNumber("error_max", "Max error", "", true, "Largest difference from the reference.",
			func(r *workloads.Result) float64 { return r.ErrorMax }),
		plainNumber("error_rel", "Relative error", "", false, "Largest difference from the reference, relative to it.",
			func(r *workloads.Result) float64 { return r.ErrorRel }),
	}
}

func workColumns() []Column {
	return []Column{
		amountColumn("ops", "Operations", "FLOP", "Arithmetic operations of a repetition.",
			func(r *workloads.Result) float64 { return r.Ops }),
		bytesColumn("bytes", "Traffic", false, "Least memory traffic of a repetition.",
			func(r *workloads.Result) float64 { return counted(r.Bytes) }),
		amountColumn("items", "Items a repetition", "", "Things processed in a repetition.",
			func(r *workloads.Result) float64 { return r.Items }),
		countColumn("dispatches", "Dispatches", false, "Kernels launched in a repetition.", nil,
			func(r *workloads.Result) int { return r.Dispatches }),
		bytesColumn("bytes_saved", "Traffic saved", false,
			"How much less memory traffic than the variant that it is compared with.",
			func(r *workloads.Result) float64 { return r.BytesSaved }),
		countColumn("dispatches_saved", "Dispatches saved", false,
			"How many fewer kernels than the variant that it is compared with.",
			func(r *workloads.Result) bool { return r.Baseline != "" },
			func(r *workloads.Result) int { return r.DispatchesSaved }),
	}
}

func noteColumns() []Column {
	return []Column{
		{
			Name: "started_at", Title: "Started", About: "When the case began, in local time.",
			text: func(r *workloads.Result) string {
				if r.Started.IsZero() {
					return ""
				}
				return r.Started.Local().Format("2006-01-02 15:04:05")
			},
		},
		{
			Name: "notes", Title: "Notes", Default: true,
			About: "Findings that point here, why there is no time, and warnings.",
			text:  func(r *workloads.Result) string { return strings.Join(Notes(r), "; ") },
		},
	}
}

// settingColumns is a column per axis and parameter of the run, named as the workloads name them.
func settingColumns(meta *Meta, all []workloads.Workload) []Column {
	var out []Column
	for _, job := range meta.Jobs {
		w, err := workloads.Find(all, job.Workload)
		if err != nil {
			w = &workloads.Workload{}
		}
		for _, name := range meta.paramNames(job) {
			if _, seen := FindColumn(out, paramPrefix+name); !seen {
				out = append(out, settingColumn(meta, w, name))
			}
		}
	}
	return out
}

func settingColumn(meta *Meta, w *workloads.Workload, name string) Column {
	c := Column{Name: paramPrefix + name, Title: name, About: "A setting of the run."}
	if p, err := w.Param(name); err == nil {
		c.Title, c.Unit, c.About = p.Title, p.Unit, p.About
		c.Number = p.Type == workloads.Int || p.Type == workloads.Float
	}
	if i := slices.IndexFunc(w.Axes, func(a workloads.Axis) bool { return a.Name == name }); i >= 0 {
		c.Title, c.Unit, c.About = w.Axes[i].Title, w.Axes[i].Unit, "What the cases vary."
		c.Number = c.Number || c.Unit != ""
	}
	if c.Unit != "" {
		c.head = c.Title + ", " + c.Unit
	}
	cellOf := func(r *workloads.Result) cell { x := row{r, meta}; return x.param(name) }
	c.text = func(r *workloads.Result) string { return shownSetting(cellOf(r)) }
	c.value = func(r *workloads.Result) float64 { return settingNumber(cellOf(r)) }
	return c
}

// shownSetting is a setting without its unit, which the head names.
func shownSetting(c cell) string {
	switch v := c.(type) {
	case nil:
		return ""
	case decimal:
		return number(float64(v))
	}
	return Plain(csvText(c))
}

func settingNumber(c cell) float64 {
	switch v := c.(type) {
	case int:
		return float64(v)
	case decimal:
		return float64(v)
	}
	return math.NaN()
}

// Kinds of columns.

func plainField(field func(*workloads.Result) string) func(*workloads.Result) string {
	return func(r *workloads.Result) string { return Plain(field(r)) }
}

func timeColumn(name, title string, shown bool, about string, f func(*workloads.Result) float64) Column {
	return Column{
		Name: name, Title: title, Unit: "s", About: about, Number: true, Default: shown, value: f,
		text: func(r *workloads.Result) string {
			if math.IsInf(f(r), 0) {
				return "" // too few samples to bound it
			}
			return known(si.Time(f(r)))
		},
	}
}

// rateColumn has its value in unit, which is scale times base.
func rateColumn(name, title, unit, base string, scale float64, about string, f func(*workloads.Result) float64) Column {
	return Column{
		Name: name, Title: title, Unit: unit, About: about, Number: true, Default: true, head: unit, value: f,
		text:  func(r *workloads.Result) string { return known(si.Format(f(r)*scale, base)) },
		brief: func(r *workloads.Result) string { return known(si.Digits(f(r))) },
	}
}

func bytesColumn(name, title string, shown bool, about string, f func(*workloads.Result) float64) Column {
	return Column{
		Name: name, Title: title, Unit: "B", About: about, Number: true, Default: shown, value: f,
		text: func(r *workloads.Result) string { return known(si.Bytes(f(r))) },
	}
}

func plainNumber(name, title, unit string, shown bool, about string, f func(*workloads.Result) float64) Column {
	c := Column{
		Name: name, Title: title, Unit: unit, About: about, Number: true, Default: shown, value: f,
		text:  func(r *workloads.Result) string { return known(si.With(si.Digits(f(r)), unit)) },
		brief: func(r *workloads.Result) string { return known(si.Digits(f(r))) },
	}
	if unit != "" {
		c.head = title + ", " + unit
	}
	return c
}

// amountColumn is a number whose 0 means that it was not counted.
func amountColumn(name, title, unit, about string, f func(*workloads.Result) float64) Column {
	return Column{
		Name: name, Title: title, Unit: unit, About: about, Number: true,
		value: func(r *workloads.Result) float64 { return counted(f(r)) },
		text:  func(r *workloads.Result) string { return known(si.Format(counted(f(r)), unit)) },
	}
}

func counted(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// countColumn is a whole number; its 0 means something only where zero says so.
func countColumn(name, title string, shown bool, about string, zero func(*workloads.Result) bool,
	f func(*workloads.Result) int,
) Column {
	there := func(r *workloads.Result) bool { return f(r) != 0 || zero != nil && zero(r) }
	return Column{
		Name: name, Title: title, About: about, Number: true, Default: shown,
		value: func(r *workloads.Result) float64 {
			if !there(r) {
				return math.NaN()
			}
			return float64(f(r))
		},
		text: func(r *workloads.Result) string {
			if !there(r) {
				return ""
			}
			return strconv.Itoa(f(r))
		},
	}
}

// spreadOf is half the relative width of a time's interval in percent; NaN where there is none.
func spreadOf(r *workloads.Result) float64 {
	if v := 50 * r.Time.Width(); finite(v) {
		return v
	}
	return math.NaN()
}

func spreadText(r *workloads.Result) string {
	s := known(FormatSpread(r.Time))
	if s == "" {
		return ""
	}
	return "± " + s
}
