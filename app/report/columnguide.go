package report

import (
	"fmt"
	"io"
	"strings"

	"assay/app/bundle"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/workloads"
)

// WriteColumns explains the columns of a run's CSV, and thus the fields of a result in its JSON, as a table in Markdown.
func WriteColumns(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	meta := r.Meta
	meta.Complete(all)
	known := Columns(&meta, all)
	var out strings.Builder
	fmt.Fprintf(&out, "# Columns of run %s\n\n", markdownText(meta.ID))
	out.WriteString("A row is one variant of one case. Units are SI: 1 GB/s is 10⁹ B/s. An unknown value is empty in CSV and null in JSON.\n")
	if meta.Engine.Simulated {
		out.WriteString("simulated: times are not from real hardware.\n")
	}
	if text := meta.Caveat(); text != "" {
		out.WriteString(plain.Capitalized(text) + ".\n")
	}
	out.WriteString("\n| Column | Unit | Meaning |\n| --- | --- | --- |\n")
	for _, c := range columns(r, all) {
		unit, about := explain(c.Name, known, meta.Metrics)
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", plain.Text(c.Name), markdownText(unit), markdownText(about))
	}
	out.WriteString(settingGuide(known))
	_, err := io.WriteString(w, out.String())
	return err
}

// settingGuide explains the names in the settings column, as a table in Markdown.
func settingGuide(known []Column) string {
	var out strings.Builder
	for _, c := range known {
		if name, set := strings.CutPrefix(c.Name, "set_"); set && c.Setting {
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", plain.Text(name), markdownText(c.Unit), markdownText(c.Title+". "+c.About))
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return "\n| In `settings` | Unit | Meaning |\n| --- | --- | --- |\n" + out.String()
}

// explain returns the unit and the meaning of a column in files.
func explain(name string, known []Column, metrics metric.List) (unit, about string) {
	if about, ok := fileColumns()[name]; ok {
		return "", about
	}
	for _, m := range metrics {
		for i, end := range []string{"Lower", "Upper"} {
			if names := m.Columns(); len(names) == 3 && name == names[1+i] {
				return m.Unit, end + " end of the 95 % interval of " + names[0] + "."
			}
		}
	}
	c, ok := FindColumn(known, name)
	if !ok {
		return "", ""
	}
	return c.Unit, c.Title + ". " + c.About
}

// fileColumns are the meanings of columns that only files have, or that mean more there than in a table.
func fileColumns() map[string]string {
	return map[string]string{
		"run_id":        "The run.",
		"result_id":     "The row, unique in the run; samples and findings refer to it.",
		"job":           "Which workload of the run, from 1.",
		"started_at":    "Start of the case, in UTC.",
		"workload":      "The workload.",
		"case":          "What was measured, in words; columns param_… have it as values.",
		"variant":       "The implementation measured.",
		"engine":        "What ran the kernels.",
		"device":        "The GPU or CPU.",
		"simulated":     "true if the times are a simulator's, not a device's.",
		"engine_reason": "Why that engine ran them: requested, or automatic with what the engines before it lack.",
		"settings":      "What the workload was set to, except for what differs between the cases.",
		"stop":          "Why sampling stopped.",
		"baseline":      "The variant of the case that the speedup is relative to.",
		"status":        "ok: verified. failed: a wrong result. error: could not run. unsupported: not available on this engine.",
		"failure":       "The kind of failure; empty if there is none.",
		"reason":        "Why there is no time.",
		"warnings":      "Doubts about the result, separated by semicolons.",
		"warning_kinds": "The kind of each warning, in their order.",
		"marks":         "The findings that point at the row.",
	}
}
