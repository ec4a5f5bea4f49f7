package app

import (
	"assay/app/bundle"
	"assay/workloads"
)

// maxChoices is how many kernels run.json lists; a catalog has fewer than a hundred, a search of tunables has more.
const maxChoices = 500

// choices are the kernels that a run's results rest on, in the order first used.
type choices struct {
	list    []bundle.KernelChoice
	at      map[bundle.KernelChoice]int // excluding Results
	omitted map[bundle.KernelChoice]bool
}

// add counts the kernels of a result.
func (c *choices) add(workload string, used []workloads.KernelChoice) {
	if c.at == nil {
		c.at, c.omitted = map[bundle.KernelChoice]int{}, map[bundle.KernelChoice]bool{}
	}
	for _, u := range used {
		key := bundle.KernelChoice{Workload: workload, Kernel: u.Kernel, Why: u.Why}
		i, known := c.at[key]
		switch {
		case known:
		case len(c.list) >= maxChoices:
			c.omitted[key] = true
			continue
		default:
			i = len(c.list)
			c.at[key], c.list = i, append(c.list, key)
		}
		c.list[i].Results++
	}
}

// record writes them to run.json.
func (c *choices) record(m *bundle.Meta) { m.Kernels, m.KernelsOmitted = c.list, len(c.omitted) }
