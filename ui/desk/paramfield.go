package desk

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"assay/internal/si"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/ui/view"
	"assay/workloads"
)

// ParamField describes a parameter as a field of the form.
func ParamField(p *workloads.Param, files native.Chooser) kit.Field {
	f := kit.Field{Name: p.Name, Title: p.Title, About: p.About, Unit: p.Unit}
	if p.In != "" {
		f.Kind, f.Open, f.Wide, f.Options = kit.ChoiceField, true, true, TensorChoices(nil)
		return f
	}
	f.Write = func(v any) string { return writtenParam(p, v) }
	f.Read = func(s string) (any, error) { return readParam(p, s) }
	switch p.Type {
	case workloads.Int, workloads.Float:
		f.Kind, f.Scale = kit.NumberField, view.ScaleOf(p)
	case workloads.Choice:
		f.Kind, f.Options = kit.ChoiceField, kit.ChoicesOf(p.ChoiceValues())
	case workloads.Bool:
		f.Kind = kit.SwitchField
	case workloads.File:
		f.Kind = kit.FileField
		f.Ask = func(done func(string, error)) {
			files.Open(native.Question{Title: p.Title, Types: WeightsTypes()}, done)
		}
	}
	return f
}

// writtenParam is a value as shown in a field.
func writtenParam(p *workloads.Param, v any) string {
	if n, ok := v.(int); ok {
		return si.Count(n)
	}
	return p.Format(v)
}

// readParam parses an input; numbers may have spaces or commas as thousands separators. Errors use the parameter's title instead
// of its name.
func readParam(p *workloads.Param, s string) (any, error) {
	if p.Type == workloads.Int || p.Type == workloads.Float {
		s = si.Typed(s)
	}
	v, err := p.Parse(s)
	if err == nil {
		return v, nil
	}
	if p.Type == workloads.Int || p.Type == workloads.Float {
		return nil, fmt.Errorf("%s must be %s (you entered %s)", p.Title, p.Range(), cmp.Or(s, "nothing"))
	}
	if rest, ok := strings.CutPrefix(err.Error(), p.Name); ok {
		return nil, errors.New(p.Title + rest)
	}
	return nil, err
}

// TensorChoices are the tensors of a file with shape and type; the first choice leaves it to the workload.
func TensorChoices(list []workloads.Tensor) []kit.Choice {
	choices := []kit.Choice{{Value: "", Title: "The largest matrix"}}
	for _, t := range list {
		choices = append(choices, kit.Choice{Value: t.Name, Title: t.Name + " · " + t.Shape + " · " + t.Type})
	}
	return choices
}
