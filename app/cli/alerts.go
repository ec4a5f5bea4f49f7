package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/meant"
	"assay/monitor"
)

func (c *command) alerts() *cobra.Command {
	cmd := &cobra.Command{
		Use: "alerts", Short: "List the rules by which alerts are raised, and change them",
		Long: "A rule raises an alert when a metric has stayed at or beyond a threshold for some time, and clears it when the metric has\n" +
			"stayed back for some time. An alert during a run is recorded as an event of the run. Changes are kept in a file that the\n" +
			"window uses too; an open window follows within a second. Desktop notifications are a setting of the window: the command\n" +
			"line shows none.",
		Example: "  assay alerts set memory.full --raise 80% --for 10s\n" +
			"  assay alerts set pool.reuse --state off\n" +
			"  assay alerts set gpu-hot --metric host.temperature.gpu --raise \"80 °C\"\n" +
			"  assay alerts reset memory.full",
		RunE: func(*cobra.Command, []string) error { return c.listAlerts(false) },
	}
	cmd.AddCommand(c.alertsList(), c.alertsSet(), c.alertsReset())
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
	return cmd
}

// withRules calls f with the rules of a new session.
func (c *command) withRules(f func(*app.AlertRules) error) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s.AlertRules())
}

func (c *command) alertsList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the rules with their thresholds", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return c.listAlerts(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *command) listAlerts(asJSON bool) error {
	return c.withRules(func(a *app.AlertRules) error {
		rules, err := a.List()
		if err != nil {
			fmt.Fprintf(c.errOut, "%v\n", err)
		}
		if asJSON {
			return writeJSON(c.out, ruleObjects(rules))
		}
		c.printRules(rules, a.File())
		return nil
	})
}

// ruleObjects returns the rules for JSON: the texts of their fields by name.
func ruleObjects(rules []monitor.Rule) []map[string]string {
	list := []map[string]string{}
	for _, r := range rules {
		o := map[string]string{"rule": r.ID}
		for _, f := range monitor.RuleFields() {
			o[f.Name] = f.Get(r)
		}
		list = append(list, o)
	}
	return list
}

func (c *command) printRules(rules []monitor.Rule, file string) {
	g := &grid{header: []string{"Rule", "Alert", "Severity", "Metric", "Condition", "Changed"}, flex: 4, spare: []string{"Alert"}}
	changed := 0
	for _, r := range rules {
		mark, condition := "", r.Condition()
		if r.Off {
			condition = "off"
		}
		if r.Changed() {
			mark, changed = "yes", changed+1
		}
		g.rows = append(g.rows, []string{r.ID, r.Title, string(r.Severity), r.Metric, condition, mark})
	}
	g.render(c.out)
	if changed > 0 {
		fmt.Fprintf(c.out, "\nChanges are in %s\n", file)
	}
}

func (c *command) alertsSet() *cobra.Command {
	cmd := &cobra.Command{
		Use: "set RULE", Short: "Change a rule, or add one with --metric", Args: exactlyOne("rule"),
		Long: "Changes the given fields of a rule. Values have units: 90%, \"100 MB\", \"80 °C\", serious. A new name with --metric adds a rule:\n" +
			"for high values, or for low ones if --clear is above --raise. assay monitor --metrics lists the metrics.",
	}
	for _, f := range monitor.RuleFields() {
		cmd.Flags().String(f.Name, "", fieldUsage(&f))
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		texts := map[string]string{}
		for _, f := range monitor.RuleFields() {
			if flag := cmd.Flags().Lookup(f.Name); flag.Changed {
				texts[f.Name] = flag.Value.String()
			}
		}
		if len(texts) == 0 {
			return usagef("alerts set: want what to change, such as --raise 80%%")
		}
		return c.withRules(func(a *app.AlertRules) error { return c.setRule(a, args[0], texts) })
	}
	return cmd
}

// fieldUsage turns a field's sentence into a flag's usage.
func fieldUsage(f *monitor.RuleField) string {
	usage := strings.ToLower(f.About[:1]) + strings.TrimSuffix(f.About[1:], ".")
	if f.Own {
		usage += "; only of rules you add"
	} else if options := f.Options; options != nil && options(monitor.Rule{}) != nil {
		usage += ": " + listing(options(monitor.Rule{}))
	}
	return usage
}

func (c *command) setRule(a *app.AlertRules, id string, texts map[string]string) error {
	if err := a.Set(id, texts); err != nil {
		var invalid *monitor.RuleError
		if !errors.As(err, &invalid) {
			return err
		}
		rules, _ := a.List()
		if invalid.Field == "metric" && texts["metric"] == "" {
			return usagef("no rule %q%s: want one that assay alerts list names, or a new one with --metric", id, meant.Hint(id, ruleNames(rules)))
		}
		return usageError{err}
	}
	rules, err := a.List()
	if i := slices.IndexFunc(rules, func(r monitor.Rule) bool { return r.ID == id }); err == nil && i >= 0 {
		c.sayRule(&rules[i])
	}
	return err
}

func (c *command) sayRule(r *monitor.Rule) {
	state := r.Condition()
	if r.Off {
		state = "off"
	}
	fmt.Fprintf(c.out, "%s (%s): %s\n", r.ID, r.Severity, state)
}

func ruleNames(rules []monitor.Rule) []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.ID)
	}
	return names
}

func (c *command) alertsReset() *cobra.Command {
	return &cobra.Command{
		Use: "reset [RULE]...", Short: "Reset rules to their defaults; all of them without a name", Args: cobra.ArbitraryArgs,
		Long: "Resets the named rules to their defaults, or all rules if none is named. Rules that you added are removed.",
		RunE: func(_ *cobra.Command, args []string) error {
			return c.withRules(func(a *app.AlertRules) error {
				rules, _ := a.List()
				names := ruleNames(rules)
				for _, id := range args {
					if !slices.Contains(names, id) {
						return usagef("no rule %q%s", id, meant.Hint(id, names))
					}
				}
				if err := a.Reset(args...); err != nil {
					return err
				}
				fmt.Fprintln(c.out, "Reset.")
				return nil
			})
		},
	}
}
