package workloads

import (
	"fmt"
	"strings"

	"assay/internal/meant"
)

// Preset is a set of values for a purpose. Omitted parameters have their defaults.
type Preset struct {
	Name   string // on the command line: lower case, with hyphens
	Title  string
	About  string // one plain sentence
	Values Values
}

// Preset returns the values of all parameters under the preset with that name.
func (w *Workload) Preset(name string) (Values, error) {
	var names []string
	for _, p := range w.Presets {
		if p.Name == name {
			return w.Defaults(false).With(p.Values), nil
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("workload %s has no presets", w.Name)
	}
	return nil, fmt.Errorf("workload %s has no preset %q%s: want one of %s", w.Name, name, meant.Hint(name, names),
		strings.Join(names, ", "))
}

// QuickLook returns the preset with the same values as a quick run.
func QuickLook(about string, quick map[string]any) Preset {
	return Preset{Name: "quick-look", Title: "Quick look", About: about, Values: quick}
}
