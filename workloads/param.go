package workloads

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"assay/internal/meant"
	"assay/internal/si"
)

// Type is the type of a parameter's value.
type Type string

// Types of parameters, and the Go types of their values.
const (
	Int    Type = "int"    // int
	Float  Type = "float"  // float64
	Bool   Type = "bool"   // bool
	Choice Type = "choice" // string, one of Choices
	File   Type = "file"   // string, a path; empty means none
	Text   Type = "text"   // string
)

// Param is one parameter of a workload. Forms, flags and CSV columns are derived from it.
type Param struct {
	Name    string // lower_snake, unique within the workload
	Title   string // label in the form
	Type    Type
	Unit    string // "elements", "rows", "B/s"; empty for none
	Min     float64
	Max     float64 // of Int and Float
	Zero    string  // what 0 means, if it is not an amount: "no limit"
	Log2    bool    // a slider moves in powers of two
	Step    float64 // a slider moves in even steps of this size; 0: a size that suits the range
	Choices []Option
	// All is the choice that stands for each of the others in turn; empty: there is none.
	All     string
	Default any
	About   string // one plain sentence
	Role    Role
	// Names are what a Text parameter gives values to, as NAME=NUMBER; none: it takes any text.
	Names []string
	// In is the File parameter whose tensors a Text parameter names; empty: it names none.
	In string
	// Axis is the axis that shows the value in results; empty: the axis with the parameter's name, if there is one.
	Axis string
	// Sweeps names the axes whose cases the parameter affects; empty: all.
	Sweeps []string
	// Line is the limit that the value sets on a metric; the zero value: none.
	Line Line
	// Applies returns why the parameter has no effect with the other values; nil: it always has one.
	Applies func(v Values) error
}

// Parse reads a value as written on the command line or in a form and checks it.
func (p *Param) Parse(s string) (any, error) {
	var v any
	var err error
	switch p.Type {
	case Int:
		v, err = strconv.Atoi(strings.TrimSpace(s))
	case Float:
		v, err = strconv.ParseFloat(strings.TrimSpace(s), 64)
	case Bool:
		v, err = strconv.ParseBool(strings.TrimSpace(s))
	default:
		v = s
	}
	if err != nil {
		want := p.Range()
		if number, _ := si.Ungrouped(s); number != s && p.Type != Bool {
			want += ", without commas" // 128,256 may be meant as two numbers
		}
		return nil, fmt.Errorf("%s must be %s (you entered %q)", p.Name, want, s)
	}
	return v, p.Check(v)
}

// Check rejects a value of the wrong type or out of range.
func (p *Param) Check(v any) error {
	ok := false
	switch x := v.(type) {
	case int:
		ok = p.Type == Int && float64(x) >= p.Min && float64(x) <= p.Max
	case float64:
		ok = p.Type == Float && x >= p.Min && x <= p.Max // NaN fails both
	case bool:
		ok = p.Type == Bool
	case string:
		ok = p.Type == File || p.Type == Text || p.Type == Choice && p.option(x) != nil
	}
	if !ok {
		return &ParamError{Params: []string{p.Name}, Text: fmt.Sprintf("{%s} must be %s (you entered %s)", p.Name, p.Range(), entered(v))}
	}
	return nil
}

// entered formats a rejected value, text in quotes.
func entered(v any) string {
	if text, ok := v.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(v)
}

// Range says in words which values the parameter takes.
func (p *Param) Range() string {
	switch p.Type {
	case Int:
		return strings.TrimSpace(fmt.Sprintf("a whole number from %s to %s %s", si.Count(int(p.Min)), si.Count(int(p.Max)), p.Unit))
	case Float:
		return strings.TrimSpace(fmt.Sprintf("a number from %g to %g %s", p.Min, p.Max, p.Unit))
	case Bool:
		return "true or false"
	case Choice:
		return "one of " + strings.Join(p.ChoiceValues(), ", ")
	case File:
		return "the path of a file"
	case Text:
		if len(p.Names) > 0 {
			return "NAME=NUMBER, …; names: " + strings.Join(p.Names, ", ")
		}
	}
	return "text"
}

// Words formats a value with its unit, for people.
func (p *Param) Words(v any) string {
	if p.Zero != "" && (v == 0 || v == 0.0) {
		return p.Zero
	}
	switch v {
	case true:
		return "yes"
	case false:
		return "no"
	}
	return WithUnit(p.Format(v), p.Unit)
}

// Format formats a value in the form that Parse reads.
func (p *Param) Format(v any) string { return fmt.Sprint(v) }

// WithUnit appends a unit to a displayed value: "2 items", "1 item".
func WithUnit(value, unit string) string {
	const word = 4 // letters of the shortest plural; symbols have fewer
	if value == "1" && len(unit) >= word && !strings.Contains(unit, "/") {
		unit = singular(unit)
	}
	return strings.TrimSpace(value + " " + unit)
}

// singular returns the singular of a plural: "dispatch" for "dispatches".
func singular(plural string) string {
	one := strings.TrimSuffix(plural, "s")
	if strings.HasSuffix(one, "che") {
		return strings.TrimSuffix(one, "e")
	}
	return one
}

// Values has a checked value for every parameter of a workload.
type Values map[string]any

// Int returns the value of an Int parameter.
func (v Values) Int(name string) int { return v[name].(int) }

// Float returns the value of a Float parameter.
func (v Values) Float(name string) float64 { return v[name].(float64) }

// Bool returns the value of a Bool parameter.
func (v Values) Bool(name string) bool { return v[name].(bool) }

// With returns v with some values changed.
func (v Values) With(changes Values) Values {
	out := maps.Clone(v)
	maps.Copy(out, changes)
	return out
}

// String returns the value of a Choice, File or Text parameter.
func (v Values) String(name string) string { return v[name].(string) }

// Defaults gives every parameter its default, or its quick value if quick is set.
func (w *Workload) Defaults(quick bool) Values {
	v := make(Values, len(w.Params))
	for _, p := range w.Params {
		v[p.Name] = p.Default
		if q, ok := w.Quick[p.Name]; ok && quick {
			v[p.Name] = q
		}
	}
	return v
}

// Param returns the parameter with that name.
func (w *Workload) Param(name string) (*Param, error) {
	var names []string
	for i := range w.Params {
		if w.Params[i].Name == name {
			return &w.Params[i], nil
		}
		names = append(names, w.Params[i].Name)
	}
	return nil, fmt.Errorf("workload %s has no parameter %q%s: want one of %s", w.Name, name, meant.Hint(name, names),
		strings.Join(names, ", "))
}

// Check rejects values that are missing, unknown, out of range or inconsistent.
func (w *Workload) Check(v Values) error {
	for name, val := range v {
		p, err := w.Param(name)
		if err != nil {
			return err
		}
		if err := p.Check(val); err != nil {
			return &WorkloadError{w, "", err}
		}
	}
	for _, p := range w.Params {
		if _, ok := v[p.Name]; !ok {
			return &WorkloadError{w, "", &ParamError{Params: []string{p.Name}, Text: "no value for {" + p.Name + "}"}}
		}
	}
	for i := range w.Sweeps {
		if err := w.Sweeps[i].check(v); err != nil {
			return &WorkloadError{w, "", err}
		}
	}
	if w.Valid != nil {
		if err := w.Valid(v); err != nil {
			return &WorkloadError{w, "", err}
		}
	}
	return nil
}

// CheckAll is Check, and also rejects values that name something that does not exist, such as a file.
func (w *Workload) CheckAll(v Values) error {
	if err := w.Check(v); err != nil || w.Ready == nil {
		return err
	}
	if err := w.Ready(v); err != nil {
		return &WorkloadError{w, "", err}
	}
	return nil
}
