package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (c *command) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(c.out, "assay", cmd.Root().Version) },
	}
}

// buildInfo names the commit with its date, the toolchain, the platform and whether the build has no window, as far as known.
func buildInfo(info *debug.BuildInfo, known bool) string {
	parts := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if !known {
		return "(" + strings.Join(parts, ", ") + ")"
	}
	of := map[string]string{}
	for _, kv := range info.Settings {
		of[kv.Key] = kv.Value
	}
	if commit := of["vcs.revision"]; commit != "" {
		text := "commit " + commit[:min(12, len(commit))]
		if day, _, ok := strings.Cut(of["vcs.time"], "T"); ok {
			text += " of " + day
		}
		if of["vcs.modified"] == "true" {
			text += ", modified"
		}
		parts = append([]string{text}, parts...)
	}
	if slices.Contains(strings.Split(of["-tags"], ","), "headless") {
		parts = append(parts, "headless")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
