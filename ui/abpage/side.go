package abpage

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/internal/plain"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/workloads"
)

// side is the settings of A or of B: an engine, a variant, another build, and the parameters of the workload.
type side struct {
	desk    *desk.Desk
	name    string
	of      *workloads.Workload
	form    *kit.Form
	object  *fyne.Container // holds the form, which differs from workload to workload
	changed func()
	filled  bool // the form has its values: from now on, changes come from the user

	main   string   // the variant that was the main one when it was measured; empty: unknown
	mainOf any      // the engine and the parameters that it was measured with
	found  []string // variants that are offered
}

// Names of the fields that are not parameters; they have no dots.
const (
	fieldEngine  = "ab.engine"
	fieldVariant = "ab.variant"
	fieldProgram = "ab.program"
)

func newSide(d *desk.Desk, name string, changed func()) *side {
	return &side{desk: d, name: name, changed: changed, object: kit.StackOf()}
}

// take edits the settings of another workload.
func (s *side) take(w *workloads.Workload) {
	s.of, s.filled, s.main, s.found = w, false, "", nil
	rows := []kit.FieldRow{
		{Fields: []kit.Field{{Name: fieldEngine, Title: "Engine", Kind: kit.ChoiceField, Options: s.engines(), Open: true, About: "What measures this side."}}},
		{Fields: []kit.Field{{
			Name: fieldVariant, Title: "Variant", Kind: kit.ChoiceField, Open: true, Wide: true, Options: s.variants(),
			About: "Which result of the case counts. Find Variants measures once and lists them.",
		}}},
	}
	for i := range w.Params {
		if p := &w.Params[i]; p.Role != workloads.RoleFinding {
			if row, ok := s.row(p); ok {
				rows = append(rows, row)
			}
		}
	}
	rows = append(rows, kit.FieldRow{Fields: []kit.Field{{
		Name: fieldProgram, Title: "Another build", Kind: kit.FileField, About: "An Assay program that measures this side, in its own processes. Empty: this one.",
		Ask: func(done func(string, error)) {
			s.desk.Files.Open(native.Question{Title: "Another Build of Assay"}, done)
		},
	}}})
	s.form = kit.NewForm(rows, 220, func(*kit.Input, bool) {
		if s.filled {
			s.check()
		}
	})
	values := map[string]any{fieldEngine: s.desk.Model.Engine, fieldVariant: "", fieldProgram: ""}
	maps.Copy(values, s.base())
	s.form.Set(values)
	s.filled = true
	s.object.Objects = []fyne.CanvasObject{s.form.Object}
	s.object.Refresh()
	s.mark()
}

// row returns the field of a parameter. A sweep has one place: that of its largest value.
func (s *side) row(p *workloads.Param) (kit.FieldRow, bool) {
	field := desk.ParamField(p, s.desk.Files)
	if sweep := s.of.SweepOf(p.Name); sweep != nil {
		if sweep.From == p.Name {
			return kit.FieldRow{}, false
		}
		field.Title, field.About = sweep.Title, "The value at which A and B are compared."
	}
	return kit.FieldRow{Fields: []kit.Field{field}}, true
}

// base returns the settings of the Run page, with the places of a quick run where the user has set none.
func (s *side) base() workloads.Values {
	v := s.of.Defaults(true)
	maps.Copy(v, desk.InMode(s.of, s.desk.Model.Drafts[s.of.Name].Values, true))
	return v
}

func (s *side) engines() []kit.Choice {
	list := []kit.Choice{{Value: "auto", Title: "Automatic"}}
	for _, e := range s.desk.Model.Engines {
		if e.Available {
			list = append(list, kit.Choice{Value: e.Name, Title: e.Title})
		}
	}
	return list
}

// offerEngines offers the engines that were found.
func (s *side) offerEngines() {
	if s.form != nil {
		s.input(fieldEngine).Offer(s.engines())
	}
}

func (s *side) input(name string) *kit.Input {
	return s.form.Inputs[slices.IndexFunc(s.form.Inputs, func(in *kit.Input) bool { return in.Name == name })]
}

// known returns the variants of the workload's last results.
func (s *side) known() (names []string) {
	o := s.desk.Model.Outcomes[s.of.Name]
	if o == nil {
		return nil
	}
	for i := range o.Results {
		if v := o.Results[i].Variant; v != "" && !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	return names
}

// variants are the variants that can be chosen.
func (s *side) variants() []kit.Choice {
	names := s.found
	if names == nil {
		names = s.known()
	}
	title := "The main one"
	if s.main != "" {
		title += " (" + s.main + ")"
	}
	return append([]kit.Choice{{Value: "", Title: title}}, kit.ChoicesOf(names)...)
}

// offerVariants offers the variants that were found.
func (s *side) offerVariants(names []string) {
	s.found = names
	s.input(fieldVariant).Offer(s.variants())
}

// learnMain records which variant was measured as the main one, with the settings that it was measured with.
func (s *side) learnMain(variant string) {
	if variant == "" || s.text(fieldVariant) != "" || s.form.Err() != nil {
		return
	}
	s.main, s.mainOf = variant, s.measuredBy()
	s.input(fieldVariant).Offer(s.variants())
}

// measuredBy is everything about a side except its variant: it decides which variants there are, and which is the main one.
func (s *side) measuredBy() any {
	return [2]any{s.text(fieldEngine) + "\n" + s.text(fieldProgram), s.params()}
}

// forgetMain forgets which variant was the main one, if another one may be now.
func (s *side) forgetMain() {
	if s.main != "" && !reflect.DeepEqual(s.mainOf, s.measuredBy()) {
		s.main = ""
		s.input(fieldVariant).Offer(s.variants())
	}
}

// variant returns the name of the variant that counts, and a text for it.
func (s *side) variant() (name, words string) {
	switch text := s.text(fieldVariant); {
	case text != "":
		return text, "variant " + text
	case s.main != "":
		return s.main, "variant " + s.main + " (the main one)"
	}
	return "", "the main variant"
}

// text returns the value of a field that is not a parameter.
func (s *side) text(name string) string {
	text, _ := s.form.Values()[name].(string)
	return text
}

// params returns the values of all parameters, with those of the Run page where the form has none: while it is being filled, or
// for invalid ones.
func (s *side) params() workloads.Values {
	v := s.base()
	for name, value := range s.form.Values() {
		if _, own := v[name]; own && value != nil {
			v[name] = value
		}
	}
	for i := range s.of.Sweeps {
		sweep := &s.of.Sweeps[i]
		if from, err := s.of.Param(sweep.From); err == nil && from.Check(v[sweep.To]) == nil {
			v[sweep.From] = v[sweep.To]
		}
	}
	return v
}

// request returns what the form asks for.
func (s *side) request() (app.ABSide, error) {
	if err := s.form.Err(); err != nil {
		return app.ABSide{}, err
	}
	side := app.ABSide{Params: s.params(), Engine: cmp.Or(s.text(fieldEngine), "auto"), Variant: s.text(fieldVariant), Program: s.text(fieldProgram)}
	return side, s.of.CheckAll(side.Params)
}

// check marks what has no effect, and notifies the page.
func (s *side) check() {
	s.forgetMain()
	s.mark()
	s.changed()
}

// mark disables what has no effect with the other values, and says why.
func (s *side) mark() {
	v := s.params()
	s.form.Unuse(func(name string) string {
		p, err := s.of.Param(name)
		if err != nil {
			return ""
		}
		if why := s.of.Unused(p, v); why != "" {
			return plain.Capitalized(why) + "."
		}
		return ""
	})
}

// build is the name of the program that measures the side; empty: this one.
func (s *side) build() string {
	if program := s.text(fieldProgram); program != "" {
		return filepath.Base(program)
	}
	return ""
}

// difference says how A and B differ: "A: f32, cpu · B: f16, cuda".
func difference(w *workloads.Workload, a, b *side) string {
	var left, right []string
	add := func(x, y string) {
		if x != y {
			left, right = append(left, x), append(right, y)
		}
	}
	add("engine "+cmp.Or(a.text(fieldEngine), "auto"), "engine "+cmp.Or(b.text(fieldEngine), "auto"))
	nameA, variantA := a.variant()
	nameB, variantB := b.variant()
	if nameA != nameB {
		add(variantA, variantB)
	}
	add(named("build", a.text(fieldProgram), "this build"), named("build", b.text(fieldProgram), "this build"))
	va, vb := a.params(), b.params()
	for i := range w.Params {
		p := &w.Params[i]
		if s := w.SweepOf(p.Name); s == nil || s.To == p.Name {
			title := p.Title
			if s != nil {
				title = s.Title
			}
			add(title+" "+p.Format(va[p.Name]), title+" "+p.Format(vb[p.Name]))
		}
	}
	if len(left) == 0 {
		return "A and B are the same settings: a control, whose answer must be SAME. Change B to compare two ways."
	}
	return fmt.Sprintf("A: %s. B: %s.", strings.Join(left, ", "), strings.Join(right, ", "))
}

// named is a kind with a name, or other words without one.
func named(kind, name, without string) string {
	if name == "" {
		return without
	}
	return kind + " " + name
}
