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
		if err != nil && strings.Contains(name, ",") {
			return nil, usagef("no workload %q: separate names with spaces, not commas", name)
		}
		if err != nil {
			return nil, usageError{err}
		}
		if slices.Contains(chosen, w) {
			return nil, usagef("workload %s is given twice", name)
		}
		chosen = append(chosen, w)
		jobs = append(jobs, bundle.Job{Workload: name, Params: w.Defaults(f.quick)})
	}
	given := once{}
	for _, p := range generalFirst(f.preset) {
		if err := applyPreset(p, chosen, jobs, given); err != nil {
			return nil, usageError{err}
		}
	}
	for _, s := range generalFirst(f.set) {
		if err := applySet(s, chosen, jobs, given); err != nil {
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
	usual, quick := []string{}, f.quick
	for _, name := range refused.Params {
		entered := func(set string) bool {
			given, _, _ := strings.Cut(set, "=")
			return given == name || given == w.Name+"."+name
		}
		if !slices.ContainsFunc(f.set, entered) {
			_, has := w.Quick[name]
			usual, quick = append(usual, name), quick && has
		}
	}
	if len(usual) == 0 || len(usual) == len(refused.Params) {
		return err
	}
	one, several := "the default", "defaults"
	if quick {
		one, several = "that of a quick run", "those of a quick run"
	}
	if len(usual) == 1 {
		return fmt.Errorf("%w (the value of %s is %s: set it as well)", err, usual[0], one)
	}
	last := len(usual) - 1
	return fmt.Errorf("%w (the values of %s and %s are %s: set them as well)", err, listing(usual[:last]), usual[last], several)
}

// generalFirst sorts presets or settings so that those for one workload, as in WORKLOAD.NAME, come last and take precedence.
func generalFirst(all []string) []string {
	specific := func(s string) int {
		name, _, _ := strings.Cut(s, "=")
		return strings.Count(name, ".")
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b string) int { return specific(a) - specific(b) })
}

// once remembers what was given for which workload.
type once map[string]bool

// add returns an error if a flag gives the same thing twice for a workload, either for all workloads that have it or for this one.
func (o once) add(flag, what string, w *workloads.Workload, scoped bool) error {
	key := fmt.Sprintf("%s: %s of %s, %t", flag, what, w.Name, scoped)
	if o[key] {
		return fmt.Errorf("--%s gives workload %s two %s", flag, w.Name, what)
	}
	o[key] = true
	return nil
}

// applyPreset applies one --preset to the jobs that have that preset.
func applyPreset(preset string, chosen []*workloads.Workload, jobs []bundle.Job, given once) error {
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
		if err := given.add("preset", "presets", w, scoped); err != nil {
			return err
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
func applySet(s string, chosen []*workloads.Workload, jobs []bundle.Job, given once) error {
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
		if err := given.add("set", "values of "+param, w, scoped); err != nil {
			return err
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
