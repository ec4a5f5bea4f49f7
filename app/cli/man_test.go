package cli

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
)

// The manual page has each command, with the words of its help, and each exit status.
func TestManualHasEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../packaging/linux/assay.1")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\.TP\n\.B (\w+)\n(.*)$`).FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = m[2]
	}
	var names []string
	for _, sub := range (&command{}).root().Commands() {
		if sub.Hidden || !sub.IsAvailableCommand() {
			continue
		}
		names = append(names, sub.Name())
		if want := sub.Short + "."; told[sub.Name()] != want {
			t.Errorf("the manual says of %s %q, want %q", sub.Name(), told[sub.Name()], want)
		}
	}
	for _, status := range []int{exitOK, exitFailed, exitUsage, exitNoVerdict, exitInterrupted} {
		names = append(names, fmt.Sprint(status))
	}
	variable := regexp.MustCompile(`^[A-Z_]+$`)
	for name := range told {
		if !slices.Contains(names, name) && !variable.MatchString(name) {
			t.Errorf("the manual has %q, which is neither a command nor an exit status", name)
		}
	}
	for _, name := range names {
		if told[name] == "" {
			t.Errorf("the manual lacks %s", name)
		}
	}
}
