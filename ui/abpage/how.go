package abpage

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// how is the form that says how a question is measured.
type how struct {
	form *kit.Form
}

// Names of its fields, under which they are stored.
const (
	fieldRounds  = "ab.rounds"
	fieldTime    = "ab.time"
	fieldMatters = "ab.matters"
	fieldEnergy  = "ab.energy"
	fieldAlong   = "crossover.along"
	fieldFrom    = "crossover.from"
	fieldTo      = "crossover.to"
	fieldWidth   = "crossover.width"
	fieldPlaces  = "crossover.rounds"
)

// atFirst returns the values before the user has chosen any.
func atFirst() map[string]any {
	return map[string]any{
		fieldRounds: "16", fieldTime: "0.35", fieldMatters: "1", fieldEnergy: false, fieldAlong: "", fieldFrom: "16", fieldTo: "1024", fieldWidth: "5", fieldPlaces: "12",
	}
}

// abFields are the fields of "which is faster".
func abFields() []kit.FieldRow {
	return fieldRows(
		kit.Field{
			Name: fieldRounds, Title: "Rounds", Read: whole(app.MinABRounds, app.MaxABRounds),
			About: "Undisturbed rounds of A B B A. Up to three times as many while unsure.",
		},
		kit.Field{
			Name: fieldMatters, Title: "What matters, %", Read: decimal(0, 100*app.MaxABMatters),
			About: "The difference up to which both count as equal.",
		},
		timeField(),
		kit.Field{
			Name: fieldEnergy, Title: "Energy", Kind: kit.SwitchField,
			About: "Also measures what both use, where power is measured: about two more minutes.",
		},
	)
}

// crossFields are the fields of "crossover".
func crossFields() []kit.FieldRow {
	return fieldRows(
		kit.Field{Name: fieldAlong, Title: "Along", Kind: kit.ChoiceField, Open: true, Wide: true, About: "What grows from place to place; its value in A and B is ignored."},
		kit.Field{Name: fieldFrom, Title: "From", Read: whole(1, 1<<40), About: "The smallest place."},
		kit.Field{Name: fieldTo, Title: "To", Read: whole(2, 1<<40), About: "The largest place."},
		kit.Field{Name: fieldWidth, Title: "Width, %", Read: decimal(0.1, 100), About: "Places closer than this are not distinguished."},
		kit.Field{Name: fieldPlaces, Title: "Rounds", Read: whole(app.MinABRounds, app.MaxABRounds), About: "Rounds of A B B A at each place; more where they give no interval."},
		timeField(),
	)
}

func timeField() kit.Field {
	return kit.Field{
		Name: fieldTime, Title: "Time, s", Read: decimal(0.001, app.MaxABTake.Seconds()),
		About: "For one measurement, verification included. A round takes four.",
	}
}

func fieldRows(fields ...kit.Field) []kit.FieldRow {
	rows := make([]kit.FieldRow, len(fields))
	for i, f := range fields {
		rows[i].Fields = []kit.Field{f}
	}
	return rows
}

// whole reads a whole number within limits. Its value is the text.
func whole(lo, hi int) func(string) (any, error) {
	return func(s string) (any, error) {
		n, err := strconv.Atoi(si.Typed(s))
		if err != nil || n < lo || n > hi {
			return s, fmt.Errorf("enter a whole number from %s to %s", si.Count(lo), si.Count(hi))
		}
		return strconv.Itoa(n), nil
	}
}

// decimal reads a number within limits. Its value is the text.
func decimal(lo, hi float64) func(string) (any, error) {
	return func(s string) (any, error) {
		x, err := strconv.ParseFloat(si.Typed(s), 64)
		if err != nil || !(x >= lo && x <= hi) {
			return s, fmt.Errorf("enter a number from %g to %g", lo, hi)
		}
		return s, nil
	}
}

func newHow(d *desk.Desk, rows []kit.FieldRow, changed func()) *how {
	h := &how{}
	h.form = kit.NewForm(rows, 220, func(in *kit.Input, _ bool) {
		if text, ok := in.Value.(string); ok && in.Err == nil {
			d.Settings.SetChoice(in.Name, text)
		}
		changed()
	})
	values := atFirst()
	for name := range values {
		if kept, ok := d.Settings.Kept(name); ok {
			values[name] = kept
		}
	}
	h.form.Set(values)
	return h
}

// offer offers what can be searched in a workload: its sweeps, and its whole numbers.
func (h *how) offer(w *workloads.Workload) {
	var list []kit.Choice
	for i := range w.Sweeps {
		list = append(list, kit.Choice{Value: w.Sweeps[i].Axis, Title: w.Sweeps[i].Title})
	}
	for i := range w.Params {
		p := &w.Params[i]
		if p.Type == workloads.Int && w.SweepOf(p.Name) == nil && (p.Role == workloads.RoleCase || p.Role == workloads.RoleVariant) {
			list = append(list, kit.Choice{Value: p.Name, Title: p.Title})
		}
	}
	in := h.form.Inputs[h.at(fieldAlong)]
	if was, _ := in.Value.(string); !slices.ContainsFunc(list, func(c kit.Choice) bool { return c.Value == was }) {
		in.Value = ""
		if len(list) > 0 {
			in.Value = list[0].Value
		}
	}
	in.Offer(list)
}

func (h *how) number(name string) float64 {
	text, _ := h.form.Values()[name].(string)
	x, _ := strconv.ParseFloat(si.Typed(text), 64) // its field has read it
	return x
}

// into puts the fields into a plan.
func (h *how) into(p *app.ABPlan) {
	p.Rounds = int(h.number(fieldRounds) + h.number(fieldPlaces)) // a form has one of them
	p.Matters = h.number(fieldMatters) / 100
	p.Energy, _ = h.form.Values()[fieldEnergy].(bool)
	p.Take = time.Duration(h.number(fieldTime) * float64(time.Second))
}

// conflict says how two fields that are valid by themselves contradict each other; empty: they do not. It is marked at the second
// one.
func (h *how) conflict() string {
	p := app.CrossPlan{From: int(h.number(fieldFrom)), To: int(h.number(fieldTo))}
	if i := h.at(fieldTo); i < 0 || h.form.Err() != nil || p.Range() == nil {
		h.form.Complain("")
		return ""
	}
	const words = "To must be larger than From"
	h.form.Complain(words+".", fieldTo)
	return fmt.Sprintf("%s (you entered %s and %s)", words, si.Count(p.From), si.Count(p.To))
}

// at returns the place of a field in the form; negative: it has no such field.
func (h *how) at(name string) int {
	return slices.IndexFunc(h.form.Inputs, func(in *kit.Input) bool { return in.Name == name })
}

// cross returns the plan of a bisection.
func (h *how) cross(p app.ABPlan) app.CrossPlan {
	along, _ := h.form.Values()[fieldAlong].(string)
	return app.CrossPlan{ABPlan: p, Along: along, From: int(h.number(fieldFrom)), To: int(h.number(fieldTo)), Width: h.number(fieldWidth) / 100}
}
