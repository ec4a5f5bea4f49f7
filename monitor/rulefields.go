package monitor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/severity"
)

// RuleField is a field of a rule that users can change. The form in the window, the flags of the command line and the file of rules
// are derived from the fields.
type RuleField struct {
	Name, Title, About string
	Own                bool                // only for rules that the user has added
	Options            func(Rule) []string // the values to choose from; nil: it is free text
	Get                func(Rule) string
	Switch             bool // it is on or off
	set                func(*Rule, string) error
}

// Set sets the field from a text; an error states the allowed values.
func (f *RuleField) Set(r *Rule, text string) error { return f.set(r, text) }

// Words formats a value as a menu shows it: a metric's title, or the value itself.
func (f *RuleField) Words(value string) string {
	if m, ok := Lookup(value); ok {
		return m.Title
	}
	return value
}

// RuleFields lists the fields, in the order in which they are set.
func RuleFields() []RuleField {
	return []RuleField{
		{
			Name: "metric", Title: "Metric", About: "What is watched.", Own: true,
			Options: func(Rule) []string { return ruledMetrics() },
			Get:     func(r Rule) string { return r.Metric }, set: setMetric,
		}, {
			Name: "title", Title: "Title", About: "Heading of the alert.", Own: true,
			Get: func(r Rule) string { return r.Title }, set: setTitle,
		}, {
			Name: "state", Title: "State", About: "A rule that is off raises nothing.", Switch: true,
			Options: func(Rule) []string { return []string{ruleOn, ruleOff} },
			Get: func(r Rule) string {
				if r.Off {
					return ruleOff
				}
				return ruleOn
			},
			set: func(r *Rule, text string) error {
				r.Off = text == ruleOff
				return oneOf(text, ruleOn, ruleOff)
			},
		}, {
			Name: "severity", Title: "Severity", About: "How serious the alert is.",
			Options: func(Rule) []string { return severities() },
			Get:     func(r Rule) string { return string(r.Severity) },
			set: func(r *Rule, text string) error {
				r.Severity = severity.Level(text)
				return oneOf(text, severities()...)
			},
		}, {
			Name: "raise", Title: "Raise at", About: "The value at which the alert is raised. The one at which it is cleared keeps its distance.",
			Options: levels, Get: func(r Rule) string { return r.Level(r.Raise) }, set: setRaise,
		}, {
			Name: "clear", Title: "Clear at", About: "The value at which it is cleared: below the other one for a rule on high values, above it for one on low values.",
			Options: levels, Get: func(r Rule) string { return r.Level(r.Clear) }, set: setClear,
		}, {
			Name: "for", Title: "For at least", About: "How long the value must stay there before the alert is raised.",
			Get: func(r Rule) string { return timeText(r.RaiseAfter) },
			set: func(r *Rule, text string) (err error) { r.RaiseAfter, err = parseTime(text); return err },
		}, {
			Name: "clear-after", Title: "Clear after", About: "How long the value must stay back before it is cleared.",
			Get: func(r Rule) string { return timeText(r.ClearAfter) },
			set: func(r *Rule, text string) (err error) { r.ClearAfter, err = parseTime(text); return err },
		},
	}
}

// States of a rule.
const (
	ruleOn  = "on"
	ruleOff = "off"
)

func severities() []string {
	return []string{string(severity.Info), string(severity.Warning), string(severity.Critical)}
}

// oneOf rejects a text that is not one of the options.
func oneOf(text string, options ...string) error {
	if slices.Contains(options, text) {
		return nil
	}
	return fmt.Errorf("must be %s (you entered %q)", either(options), text)
}

// levels are the states of the rule's metric; none: it is a number.
func levels(r Rule) []string {
	var names []string
	for _, s := range r.metric().States {
		names = append(names, string(s))
	}
	return names
}

// ruledMetrics lists the metrics that rules can concern: all except words without an order.
func ruledMetrics() []string {
	var ids []string
	for _, m := range Catalog() {
		if m.Show != AsWord || m.States != nil {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func setMetric(r *Rule, text string) error {
	if !slices.Contains(ruledMetrics(), text) {
		return fmt.Errorf("must be a metric with a number or an ordered state; assay monitor --metrics lists them (you entered %q)", text)
	}
	named := r.Title != "" && r.Title != r.metric().Title
	if r.Metric != text {
		r.Metric, r.Raise, r.Clear = text, math.NaN(), math.NaN()
	}
	if !named {
		r.Title = r.metric().Title
	}
	return nil
}

// maxRuleName is the maximum length of a rule's ID and of its title, in bytes.
const maxRuleName = 60

func setTitle(r *Rule, text string) error {
	r.Title = strings.TrimSpace(text)
	if r.Title == "" || len(r.Title) > maxRuleName {
		return fmt.Errorf("must have 1 to %d bytes (you entered %q)", maxRuleName, text)
	}
	return nil
}

// setRaise sets the threshold and moves the other one along with it.
func setRaise(r *Rule, text string) error {
	m := r.metric()
	v, err := m.parse(text)
	if err != nil {
		return err
	}
	lo, hi := m.limits()
	switch {
	case math.IsNaN(r.Clear) && m.States != nil:
		r.Clear = max(lo, v-1)
	case math.IsNaN(r.Clear):
		r.Clear = max(lo, v-math.Abs(v)/20)
	case m.States == nil:
		r.Clear = min(hi, max(lo, v+(r.Clear-r.Raise)))
	}
	r.Raise = v
	return nil
}

func setClear(r *Rule, text string) (err error) {
	m := r.metric()
	r.Clear, err = m.parse(text)
	return err
}

// below reports whether the rule is about low values.
func (r *Rule) below() bool { return r.Raise < r.Clear }

// Condition says in words when the rule raises and clears its alert.
func (r *Rule) Condition() string {
	beyond, back := " or more", " or less"
	if r.below() {
		beyond, back = back, beyond
	}
	if r.metric().States != nil {
		beyond, back = " or worse", " or better"
	}
	words := "Raised at " + r.Level(r.Raise) + beyond + lasting(timeText(r.RaiseAfter)) + ", cleared at " + r.Level(r.Clear) + back + lasting(timeText(r.ClearAfter))
	if r.While != "" {
		while, _ := Lookup(r.While)
		words += ", while " + while.Title + " is above " + Format(r.Above, while.Unit)
	}
	return words
}

func lasting(text string) string {
	if text == timeText(0) {
		return ""
	}
	return " for " + text
}
