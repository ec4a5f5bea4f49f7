package workloads

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/si"
)

// Changed names the parameters of a run that differ from the defaults of its mode, which distinguishes it from other runs:
// "width 1024, batch 1 to 512". Unknown values are left out.
func (w *Workload) Changed(v Values, quick bool) string {
	defaults := w.Defaults(quick)
	differs := func(name string) bool {
		value, ok := v[name]
		return ok && fmt.Sprint(value) != fmt.Sprint(defaults[name])
	}
	var parts []string
	for i := range w.Params {
		p := &w.Params[i]
		switch s := w.SweepOf(p.Name); {
		case s != nil && s.From == p.Name && (differs(s.From) || differs(s.To)):
			parts = append(parts, s.words(v))
		case s == nil && differs(p.Name):
			parts = append(parts, p.words(v[p.Name]))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// words is the range of a sweep: "batch 1 to 512".
func (s *Sweep) words(v Values) string {
	from, ok := v[s.From].(int)
	to, also := v[s.To].(int)
	if !ok || !also {
		return ""
	}
	return fmt.Sprintf("%s %s to %s", strings.ReplaceAll(s.Axis, "_", " "), si.Count(from), si.Count(to))
}

// words names a value of the parameter: "width 128", "7 layers", "scheme affine".
func (p *Param) words(v any) string {
	text := fmt.Sprint(v)
	if n, ok := v.(int); ok {
		text = si.Count(n)
	}
	if p.Type == File && text != "" {
		text = filepath.Base(text)
	}
	name := strings.ReplaceAll(p.Name, "_", " ")
	if p.Type == Choice {
		name = strings.ToLower(p.Title)
	}
	switch {
	case v == nil || text == "":
		return ""
	case name == p.Unit:
		return WithUnit(text, p.Unit)
	}
	return name + " " + text
}
