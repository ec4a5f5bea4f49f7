package monitor

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/internal/plain"
	"assay/internal/severity"
)

// RuleChanges is what users have changed in the rules: the text of each changed field, by rule and field name. A rule that is not in
// the catalog is the user's own.
type RuleChanges map[string]map[string]string

// ownRuleID is the form of the ID of a user's own rule.
var ownRuleID = regexp.MustCompile(`^[a-z][a-z0-9._-]{0,59}$`)

// maxOwnRules is how many rules users may add.
const maxOwnRules = 100

// Apply returns the rules of the catalog with the changes, followed by the user's own. Invalid changes are left out and
// named in the error.
func (c RuleChanges) Apply() ([]Rule, error) {
	rules, problems := Rules(), []error(nil)
	for i := range rules {
		if err := rules[i].change(c[rules[i].ID]); err != nil {
			problems = append(problems, err)
		}
	}
	known := len(rules)
	for _, id := range c.own() {
		r := newOwnRule(id)
		if len(rules)-known >= maxOwnRules {
			return rules, errors.Join(append(problems, fmt.Errorf("rule %s: want at most %d custom rules", id, maxOwnRules))...)
		}
		if err := r.change(c[id]); err != nil {
			problems = append(problems, err)
			continue
		}
		rules = append(rules, r)
	}
	return rules, errors.Join(problems...)
}

// own lists the rules that are not in the catalog.
func (c RuleChanges) own() []string {
	catalog := Rules()
	var ids []string
	for id := range c {
		if !slices.ContainsFunc(catalog, func(r Rule) bool { return r.ID == id }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// NewOwnRule returns a rule of the user without a name or a metric, to be filled in.
func NewOwnRule() Rule { return newOwnRule("") }

// newOwnRule returns a rule of the user without a metric.
func newOwnRule(id string) Rule {
	return Rule{
		ID: id, Severity: severity.Warning, Own: true, Raise: math.NaN(), Clear: math.NaN(),
		RaiseAfter: 3 * time.Second, ClearAfter: 5 * time.Second,
	}
}

// RuleError is the error of a value that a rule cannot have.
type RuleError struct {
	Rule, Field string
	Err         error
}

// Error names the rule and the field.
func (e *RuleError) Error() string { return fmt.Sprintf("rule %s: %s: %v", e.Rule, e.Field, e.Err) }

// Unwrap returns the underlying error.
func (e *RuleError) Unwrap() error { return e.Err }

// RuleErrors are the errors of several fields of a rule.
type RuleErrors []*RuleError

// Error names the rule and each field.
func (e RuleErrors) Error() string {
	var words []string
	for _, one := range e {
		words = append(words, one.Error())
	}
	return strings.Join(words, "; ")
}

// Unwrap returns each of the errors.
func (e RuleErrors) Unwrap() []error {
	var list []error
	for _, one := range e {
		list = append(list, one)
	}
	return list
}

// change sets fields to texts; if some are invalid, the rule stays as it was, and the error names them all.
func (r *Rule) change(texts map[string]string) error {
	to := *r
	if r.Own && !ownRuleID.MatchString(r.ID) {
		return &RuleError{r.ID, "name", errors.New("want 1 to 60 lowercase letters, digits, dots, dashes and underscores, starting with a letter")}
	}
	done, bad := 0, RuleErrors(nil)
	for _, f := range RuleFields() {
		text, given := texts[f.Name]
		switch {
		case given && f.Own && !r.Own:
			return &RuleError{r.ID, f.Name, errors.New("only custom rules have one to change")}
		case given:
			done++
			if err := f.set(&to, text); err != nil {
				bad = append(bad, &RuleError{r.ID, f.Name, err})
			}
		case f.Name == "metric" && to.Metric == "":
			bad = append(bad, &RuleError{r.ID, f.Name, errors.New("choose a metric")})
		case f.Name == "raise" && math.IsNaN(to.Raise):
			bad = append(bad, &RuleError{r.ID, f.Name, errors.New("enter the value at which the alert is raised")})
		}
	}
	if len(bad) > 0 {
		return bad
	}
	if err := to.sound(r); err != nil {
		return err
	}
	if done < len(texts) {
		return fmt.Errorf("rule %s: unknown fields among %v", r.ID, texts)
	}
	*r = to
	return nil
}

// sound refuses thresholds without hysteresis, and a rule of the catalog that would watch for the opposite.
func (r *Rule) sound(was *Rule) error {
	switch {
	case r.Raise == r.Clear:
		return &RuleError{r.ID, "clear", fmt.Errorf("%s, the same as raise: want some distance, or the alert comes and goes", r.Level(r.Clear))}
	case !r.Own && r.below() != was.below():
		side := "below"
		if was.below() {
			side = "above"
		}
		return &RuleError{r.ID, "clear", fmt.Errorf("%s: want a value %s raise, %s", r.Level(r.Clear), side, r.Level(r.Raise))}
	}
	return r.check()
}

// Set returns the changes with fields of a rule set to texts, where they differ from the catalog's.
func (c RuleChanges) Set(id string, texts map[string]string) (RuleChanges, error) {
	to := c.clone()
	if to[id] == nil {
		to[id] = map[string]string{}
	}
	r, err := to.find(id)
	if err != nil && len(texts) == 0 {
		return c, err
	}
	if err := r.change(texts); err != nil {
		return c, err
	}
	to[id] = r.texts()
	if len(to[id]) == 0 {
		delete(to, id)
	}
	if len(to.own()) > maxOwnRules {
		return c, fmt.Errorf("rule %s: want at most %d custom rules", id, maxOwnRules)
	}
	return to, nil
}

// find returns a rule with its changes, or without them if they are invalid.
func (c RuleChanges) find(id string) (Rule, error) {
	rules := Rules()
	r := newOwnRule(id)
	if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		r = rules[i]
	}
	err := r.change(c[id])
	return r, err
}

// texts returns the fields that differ from the catalog's.
func (r *Rule) texts() map[string]string {
	usual, _ := RuleChanges{}.find(r.ID)
	texts := map[string]string{}
	for _, f := range RuleFields() {
		if text := f.Get(*r); (!f.Own || r.Own) && (r.Own || text != f.Get(usual)) {
			texts[f.Name] = text
		}
	}
	return texts
}

// Changed reports whether the rule differs from the catalog's, or is the user's own.
func (r *Rule) Changed() bool { return r.Own || len(r.texts()) > 0 }

// Reset returns the changes without those of the named rules, or of all rules if none are named. Users' own rules are removed.
func (c RuleChanges) Reset(ids ...string) RuleChanges {
	if len(ids) == 0 {
		return RuleChanges{}
	}
	to := c.clone()
	for _, id := range ids {
		delete(to, id)
	}
	return to
}

func (c RuleChanges) clone() RuleChanges {
	to := make(RuleChanges, len(c))
	for id, texts := range c {
		to[id] = make(map[string]string, len(texts))
		for k, v := range texts {
			to[id][k] = v
		}
	}
	return to
}

// RuleProblems returns the fields that an error concerns and what is wrong with each, as a sentence; none if it concerns no field.
func RuleProblems(err error) map[string]string {
	var list RuleErrors
	if one := (*RuleError)(nil); !errors.As(err, &list) && errors.As(err, &one) {
		list = RuleErrors{one}
	}
	problems := map[string]string{}
	for _, e := range list {
		problems[e.Field] = plain.Capitalized(e.Err.Error()) + "."
	}
	return problems
}

// OwnRuleID returns an unused ID for a rule with that title.
func OwnRuleID(title string, taken []Rule) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	id := strings.Join(words, "-")
	if id == "" || id[0] < 'a' || id[0] > 'z' {
		id = "rule-" + id
	}
	id = strings.Trim(id[:min(len(id), maxRuleName-4)], "-")
	for n, base := 2, id; slices.ContainsFunc(taken, func(r Rule) bool { return r.ID == id }); n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return id
}
