package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"assay/workloads/suite"
)

// The README's table lists each workload once.
func TestReadmeWorkloads(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|").FindAllSubmatch(text, -1) {
		got = append(got, string(m[1]))
	}
	for _, w := range suite.All() {
		want = append(want, w.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the README's table has\n%q, want\n%q", got, want)
	}
}
