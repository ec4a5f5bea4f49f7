package app

import (
	"cmp"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"assay/internal/kept"
	"assay/monitor"
)

// AlertRules is the service for alert rules. The user's changes are kept in a file that the command line and the window share.
type AlertRules struct{ session *Session }

// AlertRules returns the service for alert rules.
func (s *Session) AlertRules() *AlertRules { return &AlertRules{s} }

// alertRules are the rules in force.
type alertRules struct {
	mu    sync.Mutex
	rules []monitor.Rule
	seen  fileState
}

// fileState changes whenever a file is written.
type fileState struct {
	size, modified int64 // 0: no file
}

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime().UnixNano()}
}

// Schema and maximum size of the file.
const (
	alertSchema  = 1
	maxAlertFile = 1 << 20
)

type alertFile struct {
	Schema int                 `json:"schema"`
	Rules  monitor.RuleChanges `json:"rules"`
}

// DefaultAlertFile is where changed rules are kept; empty if there is no folder for settings.
func DefaultAlertFile() string {
	if folder := UserPaths().Config; folder != "" {
		return filepath.Join(folder, "alerts.json")
	}
	return ""
}

// File is where changed rules are kept.
func (a *AlertRules) File() string { return cmp.Or(a.session.config.AlertFile, DefaultAlertFile()) }

// List returns the rules in force. The error names the entries of the file that are not valid; defaults replace them.
func (a *AlertRules) List() ([]monitor.Rule, error) {
	changes, err := a.read()
	rules, invalid := changes.Apply()
	return rules, errors.Join(err, invalid)
}

// read returns the changes in the file; none if there is no file.
func (a *AlertRules) read() (monitor.RuleChanges, error) {
	if a.File() == "" {
		return nil, nil
	}
	file := alertFile{Schema: alertSchema}
	if err := rulesAt(a.File()).Read(&file); err != nil {
		return nil, fmt.Errorf("alert rules: %w", err)
	}
	if file.Schema < 1 || file.Schema > alertSchema {
		return nil, fmt.Errorf("alert rules: %s has schema %d, this version of Assay reads %d", a.File(), file.Schema, alertSchema)
	}
	return file.Rules, nil
}

func rulesAt(path string) kept.File {
	return kept.File{Path: path, What: "a file of alert rules", Limit: maxAlertFile}
}

// Set changes fields of a rule, by the names of monitor.RuleFields, for this and later sessions. A name that no rule has makes
// a new one. A value that is not valid is a *monitor.RuleError.
func (a *AlertRules) Set(id string, texts map[string]string) error {
	return a.change(func(c monitor.RuleChanges) (monitor.RuleChanges, error) { return c.Set(id, texts) })
}

// Reset restores the catalog's values of rules, or of all rules if none are named, and removes custom rules among them.
func (a *AlertRules) Reset(ids ...string) error {
	return a.change(func(c monitor.RuleChanges) (monitor.RuleChanges, error) { return c.Reset(ids...), nil })
}

func (a *AlertRules) change(by func(monitor.RuleChanges) (monitor.RuleChanges, error)) error {
	if a.File() == "" {
		return errors.New("keep alert rules: the home folder is unknown")
	}
	own, file := &a.session.rules, rulesAt(a.File())
	own.mu.Lock()
	defer own.mu.Unlock()
	err := file.Change(func() error {
		changes, err := a.read()
		if err == nil {
			changes, err = by(changes)
		}
		if err != nil {
			return err
		}
		return file.Write(alertFile{alertSchema, changes})
	})
	if err != nil {
		return err
	}
	own.seen = fileState{-1, -1}
	a.refresh()
	return nil
}

// follow picks up changes that another process made to the file.
func (a *AlertRules) follow() {
	own := &a.session.rules
	own.mu.Lock()
	defer own.mu.Unlock()
	a.refresh()
}

// refresh makes the alerts use the file's current rules; the caller holds the lock.
func (a *AlertRules) refresh() {
	own, now := &a.session.rules, stateOf(a.File())
	if own.rules != nil && now == own.seen {
		return
	}
	rules, err := a.List()
	if err != nil {
		log.Print(err)
	}
	own.rules, own.seen = rules, now
	ended, err := a.session.alerts.SetRules(rules)
	if err != nil {
		log.Print(err)
	}
	for _, alert := range ended {
		a.session.announce(alert)
	}
}
