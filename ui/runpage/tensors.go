package runpage

import (
	"slices"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// offerTensors lists the tensors of the form's file in the field that names one of them. The header is read in the
// background; for a file that cannot be read, none are offered, and a run says why.
func (p *runPage) offerTensors(f *form) {
	for _, in := range f.Inputs {
		param, err := f.workload.Param(in.Name)
		if err != nil || param.In == "" {
			continue
		}
		path, _ := f.raw()[param.In].(string)
		if f.listed == path {
			continue
		}
		f.listed = path
		in.Offer(desk.TensorChoices(nil))
		if path == "" {
			in.Set("")
			continue
		}
		p.desk.Background(func() func() {
			list, err := workloads.Tensors(path)
			return func() {
				if err == nil && f.listed == path {
					p.takeTensors(f, in, list)
				}
			}
		})
	}
}

// takeTensors offers the tensors of the form's file. A tensor of another file is deselected.
func (p *runPage) takeTensors(f *form, in *kit.Input, list []workloads.Tensor) {
	choices := desk.TensorChoices(list)
	if !slices.ContainsFunc(choices, func(c kit.Choice) bool { return c.Value == in.Value }) {
		in.Set("")
		defer p.formChanged("", false)
	}
	in.Offer(choices)
}

// followFile makes the weights come from the file once one is chosen, and from no file once none is.
func (f *form) followFile(moved string) {
	at := f.input(desk.WeightsSource)
	if moved != desk.WeightsFile || at == nil {
		return
	}
	path, _ := f.raw()[moved].(string)
	switch {
	case path != "":
		at.Set(desk.FromFile)
	case at.Value == desk.FromFile:
		at.Set(f.workload.Defaults(f.quick)[desk.WeightsSource])
	}
}

// input returns the field of that name; nil: there is none.
func (f *form) input(name string) *kit.Input {
	for _, in := range f.Inputs {
		if in.Name == name {
			return in
		}
	}
	return nil
}
