package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/workloads"
)

// jobs makes the jobs of a command line.
func (c *command) jobs(names []string, f runFlags) ([]bundle.Job, error) {
	if len(names) == 0 {
		names = workloads.Measuring(c.config.Workloads)
	}
	var jobs []bundle.Job
	var chosen []*workloads.Workload
	for _, name := range names {
		w, err := workloads.Find(c.config.Workloads, name)
		if err != nil {
			return nil, usageError{err}
		}
		if slices.Contains(chosen, w) {
			return nil, usagef("workload %s is given twice", name)
		}
		chosen = append(chosen, w)
		jobs = append(jobs, bundle.Job{Workload: name, Params: w.Defaults(f.quick)})
	}
	for _, p := range f.preset {
		if err := applyPreset(p, chosen, jobs); err != nil {
			return nil, usageError{err}
		}
	}
	for _, s := range f.set {
		if err := applySet(s, chosen, jobs); err != nil {
			return nil, usageError{err}
		}
	}
	for i, w := range chosen {
		if err := w.CheckAll(jobs[i].Params); err != nil {
			return nil, usageError{byDefault(err, w, &f)}
		}
	}
	return jobs, nil
}

// byDefault adds to an error about parameters which of them are defaults.
func byDefault(err error, w *workloads.Workload, f *runFlags) error {
	var refused *workloads.ParamError
	if !errors.As(err, &refused) || len(f.preset) > 0 {
		return err
	}
	var usual []string
	for _, name := range refused.Params {
		entered := func(set string) bool {
			given, _, _ := strings.Cut(set, "=")
			return given == name || given == w.Name+"."+name
		}
		if !slices.ContainsFunc(f.set, entered) {
			usual = append(usual, name)
		}
	}
	if len(usual) == 0 || len(usual) == len(refused.Params) {
		return err
	}
	one, several := "the default", "the defaults"
	if f.quick {
		one, several = "that of a quick run", "those of a quick run"
	}
	if len(usual) == 1 {
		return fmt.Errorf("%w (the value of %s is %s: set it as well)", err, usual[0], one)
	}
	return fmt.Errorf("%w (the values of %s are %s: set them as well)", err, strings.Join(usual, " and "), several)
}

// applyPreset applies one --preset to the jobs that have that preset.
func applyPreset(preset string, chosen []*workloads.Workload, jobs []bundle.Job) error {
	only, name, scoped := strings.Cut(preset, ".")
	if !scoped {
		name = preset
	}
	var missing []error
	found, named := false, false
	for i, w := range chosen {
		if scoped && w.Name != only {
			continue
		}
		named = true
		v, err := w.Preset(name)
		if err != nil {
			missing = append(missing, err)
			continue
		}
		jobs[i].Params, found = v, true
	}
	switch {
	case found:
		return nil
	case !named:
		return fmt.Errorf("--preset %q: workload %s is not in this run; %s", preset, only, ran(chosen))
	}
	return noneHas(missing, "preset", preset, "preset")
}

// applySet applies one --set to the jobs that have the parameter.
func applySet(s string, chosen []*workloads.Workload, jobs []bundle.Job) error {
	name, value, ok := strings.Cut(s, "=")
	only, param, scoped := strings.Cut(name, ".")
	if !ok || only == "" || scoped && param == "" {
		return fmt.Errorf("--set %q, want NAME=VALUE or WORKLOAD.NAME=VALUE", s)
	}
	if !scoped {
		param = name
	}
	var missing []error
	found := false
	for i, w := range chosen {
		if scoped && w.Name != only {
			continue
		}
		p, err := w.Param(param)
		if err != nil {
			missing = append(missing, err)
			continue
		}
		v, err := p.Parse(value)
		if err != nil {
			return fmt.Errorf("workload %s: %w", w.Name, err)
		}
		jobs[i].Params[param], found = v, true
	}
	if found {
		return nil
	}
	if missing == nil {
		return fmt.Errorf("--set %q: workload %s is not in this run; %s", s, only, ran(chosen))
	}
	return noneHas(missing, "set", s, "parameter")
}

// noneHas joins the errors of workloads that lack a preset or parameter; of more than a few it says that none has it.
func noneHas(lacking []error, flag, given, what string) error {
	const few = 3
	if len(lacking) <= few {
		return errors.Join(lacking...)
	}
	return fmt.Errorf("--%s %q: no workload in this run has such a %s; \"assay list NAME\" shows those of one", flag, given, what)
}

// ran names the workloads of a command line.
func ran(chosen []*workloads.Workload) string {
	var out []string
	for _, w := range chosen {
		out = append(out, w.Name)
	}
	return "in this run: " + listing(out)
}
