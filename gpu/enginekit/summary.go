package enginekit

import (
	"fmt"
	"strings"
)

// maxNames is the maximum number of commands a summary names.
const maxNames = 4

// Summary is a label for a program with commands of these names: "add_f32 ×12, gelu_f32".
func Summary(commands []string) string {
	if len(commands) == 0 {
		return "nothing"
	}
	var names []string
	counts := map[string]int{}
	for _, name := range commands {
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	var parts []string
	for i, n := range names {
		if i == maxNames {
			parts = append(parts, fmt.Sprintf("and %d others", len(names)-maxNames))
			break
		}
		if counts[n] > 1 {
			n = fmt.Sprintf("%s ×%d", n, counts[n])
		}
		parts = append(parts, n)
	}
	return strings.Join(parts, ", ")
}
