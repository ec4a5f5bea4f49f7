package uitest

import (
	"sync"

	"assay/monitor"
)

// Rules are the alert rules, with changes that are not kept.
type Rules struct {
	Refuses error // the error of changes; nil: they are made

	mu      sync.Mutex
	changes monitor.RuleChanges
}

// List is part of desk.RulesService.
func (r *Rules) List() ([]monitor.Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes.Apply()
}

// Set is part of desk.RulesService.
func (r *Rules) Set(id string, texts map[string]string) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Refuses != nil {
		return r.Refuses
	}
	r.changes, err = r.changes.Set(id, texts)
	return err
}

// Reset is part of desk.RulesService.
func (r *Rules) Reset(ids ...string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Refuses != nil {
		return r.Refuses
	}
	r.changes = r.changes.Reset(ids...)
	return nil
}
