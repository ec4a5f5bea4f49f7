package runpage

import (
	"errors"
	"maps"

	"assay/internal/plain"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/workloads"
)

// form edits the parameters of one workload.
type form struct {
	*kit.Form
	workload *workloads.Workload
	changed  func(moved string, typed bool) // moved is the parameter that the user set; empty: all may have changed
	quick    bool                           // the mode of its initial defaults
	listed   string                         // the file whose tensors are offered
}

func newForm(w *workloads.Workload, files native.Chooser, changed func(string, bool)) *form {
	var rows []kit.FieldRow
	for i := range w.Params {
		p := &w.Params[i]
		switch s := w.SweepOf(p.Name); {
		case s == nil:
			rows = append(rows, kit.FieldRow{Fields: []kit.Field{desk.ParamField(p, files)}})
		case s.From == p.Name:
			if to, err := w.Param(s.To); err == nil {
				ends := []kit.Field{desk.ParamField(p, files), desk.ParamField(to, files)}
				rows = append(rows, kit.FieldRow{Title: s.Title, About: s.About, Fields: ends})
			}
		}
	}
	f := &form{workload: w, changed: changed}
	f.Form = kit.NewForm(rows, minForm, func(in *kit.Input, typed bool) { changed(in.Name, typed) })
	return f
}

// set writes values into the fields. A value that is missing or does not fit is left at the default.
func (f *form) set(v workloads.Values, quick bool) {
	f.quick = quick
	whole := f.workload.Defaults(quick)
	for i := range f.workload.Params {
		p := &f.workload.Params[i]
		if value, ok := v[p.Name]; ok && p.Check(value) == nil {
			whole[p.Name] = value
		}
	}
	f.Set(whole)
	f.changed("", false)
}

// setQuick changes fields that have the other mode's defaults to this mode's.
func (f *form) setQuick(quick bool) {
	if quick == f.quick {
		return
	}
	f.set(desk.InMode(f.workload, f.raw(), quick), quick)
}

// raw returns the last valid value of every field.
func (f *form) raw() workloads.Values { return f.Values() }

// values returns the form's values, or why they cannot be run.
func (f *form) values() (workloads.Values, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	v := maps.Clone(f.raw())
	if err := f.workload.Check(v); err != nil {
		return nil, err
	}
	return v, nil
}

// blame shows beside a parameter why it has no point; an empty reason clears that everywhere.
func (f *form) blame(param, why string) {
	if why == "" {
		f.Warn("")
		return
	}
	f.Warn("Not measured: "+why, param)
}

// tellOdds shows a conflict beside the parameters involved, and nothing beside the others.
func (f *form) tellOdds(err error) {
	var odds *workloads.ParamError
	if errors.As(err, &odds) {
		f.Complain(f.workload.Explain(err), odds.Params...)
		return
	}
	f.Complain("")
}

// tellLacks grays out what the engine of the next run cannot measure, and says why beside a chosen value of that kind.
func (f *form) tellLacks(m *desk.Model) {
	f.Bar(m.Lacks(f.workload.Name).Of)
	if v, err := f.values(); err == nil {
		f.tellOdds(m.Unmeasurable(f.workload, v))
	}
}

// tellUnused disables what has no effect with the other values, and says why.
func (f *form) tellUnused() {
	v := workloads.Values(f.raw())
	f.Unuse(func(name string) string {
		p, err := f.workload.Param(name)
		if err != nil {
			return ""
		}
		if why := f.workload.Unused(p, v); why != "" {
			return plain.Capitalized(why) + "."
		}
		return ""
	})
}
