package desk

import (
	"slices"
	"strings"

	"assay/workloads"
)

// MaxRecent is how many recently run workloads are remembered.
const MaxRecent = 3

// choiceRecent is the choice that holds their names, which have no spaces.
const choiceRecent = "run.recent"

// recent are the workloads that ran last, newest first; names that no workload has any more are left out.
func (s Settings) recent(all []workloads.Workload) []string {
	names := strings.Fields(s.choices()[choiceRecent])
	names = slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(all, func(w workloads.Workload) bool { return w.Name == name })
	})
	return names[:min(len(names), MaxRecent)]
}

// remember moves a workload that starts to run to the front of those that ran last.
func (d *Desk) remember(name string) {
	names := []string{name}
	for _, n := range d.Model.Recent {
		if n != name && len(names) < MaxRecent {
			names = append(names, n)
		}
	}
	d.Model.Recent = names
	d.Settings.SetChoice(choiceRecent, strings.Join(names, " "))
}

// Folded reports whether the user folded a group of workloads.
func (s Settings) Folded(group string) bool {
	return s.Choice(choiceGroup+group, stateOpen, stateFolded) == 1
}

// SetFolded remembers it.
func (s Settings) SetFolded(group string, folded bool) {
	state := stateOpen
	if folded {
		state = stateFolded
	}
	s.SetChoice(choiceGroup+group, state)
}

// A group's choice and its options.
const (
	choiceGroup = "run.group." // + the group's title
	stateOpen   = "open"
	stateFolded = "folded"
)
