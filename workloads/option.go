package workloads

import "strings"

// Role is the purpose of a parameter in a run.
type Role string

// Roles of parameters.
const (
	RoleSweep   Role = "sweep end" // one end of a Sweep
	RolePlan    Role = "plan"      // chooses the sweeps of a run
	RoleCase    Role = "case"      // is part of every case
	RoleVariant Role = "variant"   // chooses the variants of a case
	RoleFinding Role = "finding"   // only affects findings
	RoleBudget  Role = "budget"    // bounds amount or duration
)

// Option is one value of a Choice parameter.
type Option struct {
	Value string
	Title string // empty: the value itself
	About string // one plain sentence; empty: the parameter's suffices
	// Axis is the value's sweep, if the parameter's values have separate sweeps.
	Axis string
	// Typical marks the value that represents all of them if only one is measured; the last one that applies counts.
	Typical bool
	// Each names the cases of a value that stands for several cases that are not options themselves; nil: it is one case.
	Each []string
	// Needs are what a device must have to measure the value.
	Needs []Need
	// Applies reports whether "all" includes the value; nil: yes, unless it stands for several.
	Applies func(v Values) bool
}

// cases returns the places of the value on its parameter's axis.
func (o *Option) cases() []string {
	if o.Each != nil {
		return o.Each
	}
	return []string{o.Value}
}

// Options turns plain values into options.
func Options(values ...string) []Option {
	out := make([]Option, len(values))
	for i, v := range values {
		out[i] = Option{Value: v}
	}
	return out
}

// ChoiceValues lists the values of a Choice.
func (p *Param) ChoiceValues() []string {
	out := make([]string, len(p.Choices))
	for i := range p.Choices {
		out[i] = p.Choices[i].Value
	}
	return out
}

// option returns the choice with that value, or nil if there is none.
func (p *Param) option(value string) *Option {
	for i := range p.Choices {
		if p.Choices[i].Value == value {
			return &p.Choices[i]
		}
	}
	return nil
}

// chosen lists the choices that the value names: itself, or each of the others that applies.
func (p *Param) chosen(v Values) []*Option {
	value := v.String(p.Name)
	if p.All == "" || value != p.All {
		return []*Option{p.option(value)}
	}
	var out []*Option
	for i := range p.Choices {
		c := &p.Choices[i]
		if c.Value != p.All && c.Each == nil && (c.Applies == nil || c.Applies(v)) {
			out = append(out, c)
		}
	}
	return out
}

// several reports whether the value stands for several choices or cases.
func (p *Param) several(v Values) bool {
	value := v.String(p.Name)
	if value == p.All {
		return true
	}
	c := p.option(value)
	return c != nil && c.Each != nil
}

// names reports whether a choice has the sweep of that axis.
func (p *Param) names(axis string) bool {
	for i := range p.Choices {
		if p.Choices[i].Axis == axis && axis != "" {
			return true
		}
	}
	return false
}

// having lists the values that have the sweep of an axis, as text for people.
func (p *Param) having(axis string) string {
	var out []string
	for i := range p.Choices {
		if p.Choices[i].Axis == axis {
			out = append(out, p.Choices[i].Value)
		}
	}
	return strings.Join(out, " or ")
}

// typical is the choice that represents all in the sweep of an axis; nil: all remain.
func (p *Param) typical(v Values, axis string) *Option {
	var first, best *Option
	all := v.With(Values{p.Name: p.All})
	for _, c := range p.chosen(all) {
		if p.names(axis) && c.Axis != axis {
			continue
		}
		if first == nil {
			first = c
		}
		if c.Typical {
			best = c
		}
	}
	if best == nil {
		return first
	}
	return best
}
