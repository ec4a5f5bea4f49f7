package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/workloads"
)

// Column is a column of a table of results for people: in the window, on a terminal, in Markdown and in the report.
type Column struct {
	Name    string // stable; the name of its column in results.csv, if any
	Title   string
	Unit    string // SI, of Value; empty: none
	About   string // one plain sentence
	Number  bool   // aligned to the right
	Default bool   // shown unless the user chooses
	Setting bool   // of an axis or a parameter
	Spare   int    // without room, the column with the largest value is dropped first; 0: never
	Group   metric.Group
	Missing string // why a result may have no value; empty: no reason is given

	rate  metric.Name // the amount of the rate; empty: not a rate
	head  string      // short Title, with the unit that brief omits; empty: Title
	text  func(r *workloads.Result) string
	brief func(r *workloads.Result) string // text below head; nil: text
	value func(r *workloads.Result) float64
}

// Text is the cell for people, with its unit; empty if there is no value.
func (c *Column) Text(r *workloads.Result) string { return c.text(r) }

// Value is the cell as a number in Unit; NaN if unknown or a text.
func (c *Column) Value(r *workloads.Result) float64 {
	if c.value == nil {
		return math.NaN()
	}
	return c.value(r)
}

// short returns the head and the cell for narrow tables.
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

// Columns lists the possible columns of a table of a run's results, in order. The workloads name the settings and
// metrics; unknown ones are shown as the run describes them.
func Columns(meta *bundle.Meta, all []workloads.Workload) []Column {
	list := append(nameColumns(), settingColumns(meta, all)...)
	metrics := described(meta, all)
	for i := range metrics {
		list = append(list, metricColumns(&metrics[i])...)
	}
	list = append(list, noteColumns()...)
	list[0].Default = len(meta.Jobs) != 1
	return list
}

// described returns the run's metrics with this version's descriptions, if known. A run that was never in a bundle has
// those of its workloads.
func described(meta *bundle.Meta, all []workloads.Workload) metric.List {
	known := workloads.MetricsOf(all)
	m := bundle.Meta{Jobs: meta.Jobs, Metrics: meta.Metrics}
	m.Complete(all)
	list := slices.Clone(m.Metrics)
	for i := range list {
		if own, ok := known.Find(list[i].Name); ok && own.Shape == list[i].Shape {
			list[i] = *own
		}
	}
	return list
}

func nameColumns() []Column {
	return []Column{
		{
			Name: "workload", Title: "Workload", About: "The workload.",
			text: plainField(func(r *workloads.Result) string { return r.Workload }),
		},
		{
			Name: "case", Title: "Case", Default: true, About: "The setting measured.",
			text: plainField(func(r *workloads.Result) string { return r.Case }),
		},
		{
			Name: "variant", Title: "Variant", Default: true, About: "The implementation measured.",
			text: plainField(func(r *workloads.Result) string { return r.Variant }),
		},
		{
			Name: "status", Title: "Status", Default: true,
			About: "Whether the outputs matched the reference.",
			text:  func(r *workloads.Result) string { return r.Status.Title() },
		},
	}
}

func noteColumns() []Column {
	return []Column{
		{
			Name: "baseline", Title: "Compared with", About: "The variant that the speedup is relative to.",
			text: plainField(func(r *workloads.Result) string { return r.Baseline }),
		},
		{
			Name: "stop", Title: "Stopped by", About: "Why sampling stopped.",
			text: plainField(func(r *workloads.Result) string { return string(r.Stop) }),
		},
		{
			Name: "started_at", Title: "Started", About: "Start of the case, in local time.",
			text: func(r *workloads.Result) string {
				if r.Started.IsZero() {
					return ""
				}
				return r.Started.Local().Format("2006-01-02 15:04:05")
			},
		},
		{
			Name: "notes", Title: "Notes", Default: true,
			About: "Findings about this result, why it has no time, and warnings.",
			text:  func(r *workloads.Result) string { return strings.Join(Notes(r), "; ") },
		},
	}
}

// settingColumns is a column per axis and parameter of the run, named as the workloads name them.
func settingColumns(meta *bundle.Meta, all []workloads.Workload) []Column {
	var out []Column
	for _, job := range meta.Jobs {
		w, err := workloads.Find(all, job.Workload)
		if err != nil {
			w = &workloads.Workload{Name: job.Workload}
		}
		for _, name := range meta.ParamNames(job) {
			if _, seen := FindColumn(out, meta.ParamColumn(w.Name, name)); !seen {
				out = append(out, settingColumn(meta, w, name))
			}
		}
	}
	return out
}

func settingColumn(meta *bundle.Meta, w *workloads.Workload, name string) Column {
	c := Column{Name: meta.ParamColumn(w.Name, name), Title: name, Setting: true}
	if p, err := w.Param(name); err == nil {
		c.Title, c.Unit, c.About = p.Title, p.Unit, p.About
		c.Number = p.Type == workloads.Int || p.Type == workloads.Float
	}
	if i := slices.IndexFunc(w.Axes, func(a workloads.Axis) bool { return a.Name == name }); i >= 0 {
		c.Title, c.Unit, c.About = w.Axes[i].Title, w.Axes[i].Unit, w.Axes[i].About
		c.Number = c.Number || c.Unit != ""
	}
	if slices.Contains(meta.Axes[w.Name], name) {
		c.About = strings.TrimSpace(c.About + " Differs between the cases.")
	}
	c.About = cmp.Or(c.About, "Parameter of the run.")
	if c.Unit != "" {
		c.head = c.Title + ", " + c.Unit
	}
	of := func(r *workloads.Result) any {
		if meta.ParamColumn(r.Workload, name) != c.Name {
			return nil
		}
		return meta.Param(r, name)
	}
	c.text = func(r *workloads.Result) string { return plain.Text(shownSetting(of(r))) }
	c.value = func(r *workloads.Result) float64 { return settingNumber(of(r)) }
	return c
}

// shownSetting returns a setting without its unit, which is in the head: a whole float needs no ".0".
func shownSetting(v any) string {
	if _, ok := v.(float64); ok {
		return strings.TrimSuffix(bundle.SettingText(v), ".0")
	}
	return bundle.SettingText(v)
}

func settingNumber(v any) float64 {
	if n, ok := workloads.Number(v); ok {
		return n
	}
	return math.NaN()
}

func plainField(field func(*workloads.Result) string) func(*workloads.Result) string {
	return func(r *workloads.Result) string { return plain.Text(field(r)) }
}
