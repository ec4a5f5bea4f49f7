package workloads

import (
	"fmt"
	"slices"
	"strings"
)

// Unused returns why a run with these values ignores the parameter; empty if it does not. A file can always be chosen.
func (w *Workload) Unused(p *Param, v Values) string {
	if p.Type == File {
		return ""
	}
	if why := w.inapplicable(p, v); why != "" {
		return why
	}
	axes := p.Sweeps
	if s := w.SweepOf(p.Name); s != nil {
		axes = []string{s.Axis}
	}
	var by *Param
	for _, axis := range axes {
		by = w.excludes(axis, func(q *Param) string { return v.String(q.Name) })
		if by == nil {
			return ""
		}
	}
	if by == nil || by == p {
		return ""
	}
	return fmt.Sprintf("not used while %s is %s", by.Title, v.String(by.Name))
}

// inapplicable returns the reason why a parameter applies to none of the values that a run goes through; empty if it applies
// to one, or to all of them together.
func (w *Workload) inapplicable(p *Param, v Values) string {
	if p.Applies == nil || p.Applies(v) == nil {
		return ""
	}
	why := ""
	for _, each := range w.expanded(v) {
		err := p.Applies(each)
		if err == nil {
			return ""
		}
		why = err.Error()
	}
	return why
}

// expanded lists the values of a run with each choice of several replaced by one of them.
func (w *Workload) expanded(v Values) []Values {
	list := []Values{v}
	for i := range w.Params {
		p := &w.Params[i]
		if p.All == "" || v[p.Name] != p.All {
			continue
		}
		var next []Values
		for _, each := range list {
			for _, c := range p.chosen(v) {
				next = append(next, each.With(Values{p.Name: c.Value}))
			}
		}
		list = next
	}
	return list
}

// Setting names the values of a case's parameters that no axis shows, for people: "width 128, 7 layers". It is empty if
// the case has none, or the values are incomplete.
func (w *Workload) Setting(v Values) string {
	if w.Check(v) != nil {
		return ""
	}
	var parts []string
	for i := range w.Params {
		p := &w.Params[i]
		if w.unseen(p) && w.Unused(p, v) == "" {
			parts = append(parts, p.words(v[p.Name]))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// SameSetting reports whether a run with the values ran measures its cases with the setting of the case at.
func (w *Workload) SameSetting(ran, at Values) bool {
	if w.Check(ran) != nil || w.Check(at) != nil {
		return false
	}
	like := ran.With(nil)
	for i := range w.Params {
		if p := &w.Params[i]; p.Role == RolePlan || p.All != "" && like[p.Name] == p.All {
			like[p.Name] = at[p.Name]
		}
	}
	return w.Setting(like) == w.Setting(at)
}
