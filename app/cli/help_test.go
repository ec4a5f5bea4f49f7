package cli

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags mentioned in the help of a flag exist on the same command, or on another command that is named with it.
func TestHelpNamesFlags(t *testing.T) {
	named := regexp.MustCompile(`(assay [a-z ]*)?--([a-z][a-z-]*)`)
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			for _, m := range named.FindAllStringSubmatch(f.Usage, -1) {
				seen++
				if m[1] == "" && cmd.Flag(m[2]) == nil {
					t.Errorf("%s: the help of --%s names --%s, which the command has not", cmd.CommandPath(), f.Name, m[2])
				}
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk((&command{}).root())
	if seen == 0 {
		t.Error("no flag is named in the help of another")
	}
}
