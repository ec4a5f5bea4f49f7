package app

import (
	"assay/gpu"
	"assay/workloads"
)

// Lacks returns what an engine, by name or "auto", cannot measure, by workload, and the engine's title; it opens the engine.
func (e *Engines) Lacks(engine string) (of map[string]workloads.Lacks, title string, err error) {
	found, err := e.session.engines.peek(engine)
	if err != nil {
		return nil, "", err
	}
	return lacks(e.session.config.Workloads, found.engine), found.spec.Title, nil
}

// lacks returns what an engine cannot measure of each workload.
func lacks(all []workloads.Workload, e gpu.Engine) map[string]workloads.Lacks {
	of := map[string]workloads.Lacks{}
	for i := range all {
		if list := all[i].Lacks(e); len(list) > 0 {
			of[all[i].Name] = list
		}
	}
	return of
}
