package metal

import "strings"

// layers are Metal's validation layers, which the framework loads when a process starts with these variables.
func layers() []struct{ variable, title string } {
	return []struct{ variable, title string }{
		{"MTL_DEBUG_LAYER", "Metal’s API validation"},
		{"MTL_SHADER_VALIDATION", "Metal’s shader validation"},
	}
}

// validationVariables are the variables that turn validation on.
func validationVariables() []string {
	var all []string
	for _, l := range layers() {
		all = append(all, l.variable+"=1")
	}
	return all
}

// validation names the layers that are on; empty: none is.
func validation(getenv func(string) string, simulated bool) string {
	var on []string
	for _, l := range layers() {
		if v := getenv(l.variable); v != "" && v != "0" {
			on = append(on, l.title)
		}
	}
	if len(on) > 0 && simulated {
		return "the simulated Metal’s checks"
	}
	return strings.Join(on, " and ")
}
