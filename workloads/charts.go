package workloads

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/workloads/measure"
)

// Charts draws results of the workload as its views specify, for the window, the report and pictures. Unverified results are
// not drawn; a note names them.
func (w *Workload) Charts(results []Result) []chart.Chart {
	var mine []*Result
	for i := range results {
		if results[i].Workload == w.Name {
			mine = append(mine, &results[i])
		}
	}
	rows := make([]chart.Row, len(mine))
	for i, r := range mine {
		rows[i] = rowOf(r)
		w.sized(&rows[i])
	}
	var charts []chart.Chart
	for i := range w.Views {
		v := &w.Views[i]
		drawn, found := rows, w.findingsOf(v, mine)
		if w.counted(v) {
			drawn, found = undoubted(drawn, found)
		}
		charts = append(charts, v.Charts(w.field, drawn, found)...)
	}
	if v, ok := roofline(mine); ok {
		charts = append(charts, v.Charts(w.field, placed(rows), nil)...)
	}
	return charts
}

// counted reports whether a view shows counted bytes: other programs change times, but not counts.
func (w *Workload) counted(v *chart.View) bool {
	m, ok := Metrics().With(w.Metrics...).Find(metric.Name(v.Y.Of))
	return ok && w.Axis(v.X.Of).Name != "" && m.Unit == "B"
}

// undoubted returns rows and findings without the doubts about times.
func undoubted(rows []chart.Row, found []chart.Finding) ([]chart.Row, []chart.Finding) {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Doubtful = false
	}
	return rows, slices.DeleteFunc(found, func(f chart.Finding) bool { return f.Kind == string(measure.Disturbed) })
}

// placed returns the rows that have a place on a roofline.
func placed(rows []chart.Row) []chart.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r chart.Row) bool { return !(r.Numbers[string(PeakCompute)].V > 0) })
}

// sized converts the places of a row on axes of sizes into bytes, so that a chart gives them a suitable prefix.
func (w *Workload) sized(row *chart.Row) {
	for _, a := range w.Axes {
		size, at := si.Size(a.Unit), row.Numbers[a.Name]
		if _, known := row.Numbers[a.Name]; known && size > 0 {
			row.Numbers[a.Name] = chart.Number{V: size * at.V, Lo: size * at.Lo, Hi: size * at.Hi}
			row.Texts[a.Name] = si.Format(size*at.V, "iB")
		}
	}
}

// field describes a metric of results, or an axis of the workload.
func (w *Workload) field(name string) chart.Field {
	if m, ok := Metrics().With(w.Metrics...).Find(metric.Name(name)); ok {
		return fieldOf(m)
	}
	for _, a := range w.Axes {
		if a.Name == name && si.Size(a.Unit) > 0 {
			return chart.Field{Title: a.Title, Unit: chart.BinaryBytes}
		}
		if a.Name == name {
			return chart.Field{Title: a.Title, Suffix: a.Unit, Titles: w.titles(name)}
		}
	}
	return chart.Field{Title: name}
}

// titles are those of the choices that a parameter of that name has.
func (w *Workload) titles(param string) map[string]string {
	titles := map[string]string{}
	if p, err := w.Param(param); err == nil {
		for _, c := range p.Choices {
			titles[c.Value] = c.Title
		}
	}
	return titles
}

// fieldOf is a metric as an axis. Units that take no SI prefix become a suffix.
func fieldOf(m *metric.Metric) chart.Field {
	f := chart.Field{Title: m.Title, Better: m.Better}
	switch si.Find(m.Unit).Kind {
	case si.Factor:
		f.Relative = true
	case si.Rate:
		f.Unit = "/s"
	case si.Scaled:
		f.Unit = chart.Unit(m.Unit)
	default:
		f.Suffix = m.Unit
	}
	return f
}

// rowOf is a result as a row of charts, in SI units.
func rowOf(r *Result) chart.Row {
	row := chart.Row{
		ID: r.ID, Case: r.Case, Variant: r.Variant, Baseline: r.Baseline == "",
		Numbers: map[string]chart.Number{}, Texts: map[string]string{}, Samples: map[string][]float64{string(Time): r.Samples},
	}
	_, row.Doubtful = r.Disturbed()
	if r.Status != OK {
		row.Missing = r.WithoutTime()
	}
	row.Bare = "too few samples for an interval"
	if len(r.Samples) == 1 {
		row.Bare = "one sample, no interval"
	}
	for _, v := range r.Values {
		if !math.IsNaN(v.Median) {
			row.Numbers[string(v.Name)] = chart.Number{V: v.Median, Lo: v.Lo, Hi: v.Hi}
		}
	}
	for _, s := range r.Settings {
		row.Texts[s.Name] = fmt.Sprint(s.Value)
		switch v := s.Value.(type) {
		case int:
			row.Numbers[s.Name] = chart.Number{V: float64(v), Lo: float64(v), Hi: float64(v)}
			row.Texts[s.Name] = si.Count(v)
		case float64:
			row.Numbers[s.Name] = chart.Number{V: v, Lo: v, Hi: v}
		}
	}
	return row
}

// findingsOf turns the marks of results into findings for a view: kinds on an axis have a place along X, others point at
// their result. Marks of older versions only have their result's place.
func (w *Workload) findingsOf(v *chart.View, results []*Result) (found []chart.Finding) {
	size := cmp.Or(si.Size(w.Axis(v.X.Of).Unit), 1)
	for _, r := range results {
		series, _ := r.Setting(v.Color).(string)
		if series == "" {
			series = r.Variant
		}
		if _, disturbed := r.Disturbed(); disturbed {
			found = append(found, chart.Finding{Kind: string(measure.Disturbed), Rows: []string{r.ID}, Of: series})
		}
		for _, m := range r.Marks {
			f := chart.Finding{Kind: m.Kind, Rows: []string{r.ID}, Of: series}
			k := kindOf(m.Kind)
			if at, ok := Number(r.Setting(v.X.Of)); ok && k != nil && k.onAxis {
				f.Axis, f.At, f.Lo, f.Hi = v.X.Of, size*at, size*at, size*at
				if m.Axis == v.X.Of && !math.IsNaN(m.Place.At) {
					f.At, f.Lo, f.Hi = size*m.Place.At, size*m.Place.Lo, size*m.Place.Hi
				}
			}
			found = append(found, f)
		}
	}
	return found
}

// Number returns a setting or a parameter as a number; ok is false if it is not a number.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
