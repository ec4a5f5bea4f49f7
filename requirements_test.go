package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// requirementsPage says what Assay promises and how far each promise is kept.
const requirementsPage = "docs/requirements.md"

// minRequirements is the minimum number of rows on the page; longestCell is the maximum number of characters in a cell.
const (
	minRequirements = 140
	longestCell     = 250
)

// A requirement is one row of the page.
type requirement struct {
	number                      int
	promise, state, where, test string
	note                        string
}

// requirementStates are all states of a row, the one that needs no note first.
func requirementStates() []string { return []string{"done", "part", "open", "not offered"} }

var (
	quoted    = regexp.MustCompile("`([^`]+)`")
	pathOfOne = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+/?$|^[\w-]*\.[a-z]+$|^Makefile$`)
	testNames = regexp.MustCompile("`([^`]+)`|\\b((?:Test|Fuzz|Benchmark)[A-Z]\\w*)")
)

// parseRequirements reads the tables: rows of six cells are requirements; rows of three cells, headings and text are not.
func parseRequirements(text string) (rows []requirement, bad []string) {
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
			if n := len([]rune(cells[j])); n > longestCell {
				bad = append(bad, fmt.Sprintf("line %d: a cell of %d characters, want at most %d", i+1, n, longestCell))
			}
		}
		number, err := strconv.Atoi(cells[0])
		switch {
		case err != nil:
		case len(cells) != 6:
			bad = append(bad, fmt.Sprintf("line %d: %d cells, want 6", i+1, len(cells)))
		default:
			rows = append(rows, requirement{number, cells[1], cells[2], cells[3], cells[4], cells[5]})
		}
	}
	return rows, bad
}

// badRequirements lists what is wrong with the page: its rows, and the paths and tests that the tree does not have.
func badRequirements(tree fs.FS, text string) []string {
	rows, bad := parseRequirements(text)
	for i, r := range rows {
		if r.number != i+1 {
			bad = append(bad, fmt.Sprintf("row %d stands where %d should", r.number, i+1))
		}
		for _, wrong := range append(r.incomplete(), missingTests(tree, r.test)...) {
			bad = append(bad, fmt.Sprintf("row %d: %s", r.number, wrong))
		}
	}
	return append(bad, missingPaths(tree, text)...)
}

// incomplete says what is missing in a row.
func (r *requirement) incomplete() (bad []string) {
	switch {
	case r.promise == "":
		bad = append(bad, "no promise")
	case !slices.Contains(requirementStates(), r.state):
		bad = append(bad, fmt.Sprintf("state %q, want one of %s", r.state, strings.Join(requirementStates(), ", ")))
	case r.state == "done" && len(pathsOf(r.where)) == 0:
		bad = append(bad, "done, and no place is named")
	case r.state == "done" && len(testNames.FindAllString(r.test, -1)) < 2: // a file and a function
		bad = append(bad, "done, and no test is named")
	case r.state != "done" && r.note == "":
		bad = append(bad, "not done, and no note says why")
	}
	return bad
}

// pathsOf returns the quoted words of a text that are paths: those with a slash or a file extension.
func pathsOf(text string) (paths []string) {
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		if pathOfOne.MatchString(m[1]) {
			paths = append(paths, m[1])
		}
	}
	return paths
}

func missingPaths(tree fs.FS, text string) (bad []string) {
	for _, p := range pathsOf(text) {
		if _, err := fs.Stat(tree, path.Clean(p)); err != nil {
			bad = append(bad, p+" does not exist")
		}
	}
	return bad
}

// missingTests lists the functions named in a cell that are not in the file named before them.
func missingTests(tree fs.FS, cell string) (bad []string) {
	file, code := "", ""
	for _, m := range testNames.FindAllStringSubmatch(cell, -1) {
		name := m[2]
		switch {
		case name == "":
			file = m[1]
			text, _ := fs.ReadFile(tree, file) // missingPaths reports files that do not exist
			code = string(text)
			if !strings.HasSuffix(file, "_test.go") {
				bad = append(bad, file+" is no file of tests")
			}
		case file == "":
			bad = append(bad, name+" has no file before it")
		case !strings.Contains(code, "\nfunc "+name+"("):
			bad = append(bad, file+" has no "+name)
		}
	}
	return bad
}

func TestRequirements(t *testing.T) {
	text, err := os.ReadFile(requirementsPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range badRequirements(os.DirFS("."), string(text)) {
		t.Errorf("%s: %s", requirementsPage, b)
	}
	if rows, _ := parseRequirements(string(text)); len(rows) < minRequirements {
		t.Errorf("%s has %d rows, want at least %d", requirementsPage, len(rows), minRequirements)
	}
}

// TestRequirementsSeeFaults: each kind of fault is found, and a row without one passes.
func TestRequirementsSeeFaults(t *testing.T) {
	tree := fstest.MapFS{
		"a/b.go": {}, "a/b_test.go": {Data: []byte("package a\n\nfunc TestB(t *testing.T) {}\n\nfunc TestBC(t *testing.T) {}\n")},
	}
	const done = "| 1 | promise | done | `a/b.go` | `a/b_test.go` TestB | |"
	for page, want := range map[string]string{
		done: "",
		"| a | claim | `a/b.go`, `--flag` and `make test` |":                     "",
		"| 1 | promise | open | | | not yet |":                                   "",
		"| 2 | promise | open | | | not yet |":                                   "row 2 stands where 1 should",
		done + "\n" + done:                                                       "row 1 stands where 2 should",
		"| 1 | promise | open | | |":                                             "line 1: 5 cells, want 6",
		"| 1 | | open | | | not yet |":                                           "row 1: no promise",
		"| 1 | promise | nearly | | | note |":                                    `row 1: state "nearly", want one of done, part, open, not offered`,
		"| 1 | promise | open | | | |":                                           "row 1: not done, and no note says why",
		"| 1 | promise | done | here | `a/b_test.go` TestB | |":                  "row 1: done, and no place is named",
		"| 1 | promise | done | `a/b.go` | `a/b_test.go` | |":                    "row 1: done, and no test is named",
		"| 1 | promise | part | `a/c.go` | | note |":                             "a/c.go does not exist",
		"| a | claim | `c.md` |":                                                 "c.md does not exist",
		"| 1 | promise | done | `a/b.go` | `a/b_test.go` TestB, TestD | |":       "row 1: a/b_test.go has no TestD",
		"| 1 | promise | part | | `a/b.go` TestB | note |":                       "row 1: a/b.go is no file of tests",
		"| 1 | promise | part | | TestB | note |":                                "row 1: TestB has no file before it",
		"| 1 | promise | part | | | " + strings.Repeat("n", 1+longestCell) + "|": "line 1: a cell of 251 characters, want at most 250",
	} {
		bad := badRequirements(tree, page)
		if want == "" && len(bad) > 0 || want != "" && !slices.Contains(bad, want) {
			t.Errorf("%s: found %q, want %q", page, bad, want)
		}
	}
}
