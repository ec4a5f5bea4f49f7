package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"assay/internal/race"
)

// wordList holds the words that this project does not use. The glossary in CONTRIBUTING.md says which it uses.
const wordList = "scripts/words.txt"

// A wordRule is one line of the list. A pattern without capitals is looked for in lower-case text.
type wordRule struct {
	pattern      *regexp.Regexp
	capitals     bool
	use, example string
}

// parseWords reads lines of pattern, replacement and, where the pattern is not one itself, example, separated by tabs.
// Empty lines and comments are skipped. A pattern must begin with letters, which are fast to find.
func parseWords(text string) ([]wordRule, error) {
	var rules []wordRule
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 2 && len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: %d fields, want pattern, replacement and example separated by tabs", wordList, i+1, len(fields))
		}
		pattern, err := regexp.Compile(fields[0])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", wordList, i+1, err)
		}
		if letters, _ := pattern.LiteralPrefix(); len(letters) < 3 {
			return nil, fmt.Errorf("%s:%d: pattern %q begins with %q, want at least 3 letters", wordList, i+1, fields[0], letters)
		}
		rules = append(rules, wordRule{pattern, lower(fields[0]) != fields[0], fields[1], fields[len(fields)-1]})
		if len(fields) == 2 {
			rules[len(rules)-1].example = fields[0]
		}
	}
	return rules, nil
}

// lower returns s with ASCII capitals in lower case: every byte keeps its position.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// written reports whether people write and read the file: sources, documents and scripts.
func written(name string) bool {
	switch path.Ext(name) {
	case ".go", ".c", ".h", ".m", ".s", ".metal", ".md", ".sh", ".yml", ".tmpl", ".css":
		return name != "words_test.go" && name != "CONTRIBUTING.md" // the glossary names what it replaces
	}
	return path.Base(name) == "Makefile"
}

// badWords lists each place in the tree that matches one of the rules, as "file:line: "word": use ...". File names count;
// hidden folders, test data and build products do not.
func badWords(tree fs.FS, rules []wordRule) ([]string, error) {
	var bad []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || name == "bin" || name == "dist"):
			return fs.SkipDir
		case d.IsDir() || !written(name):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for _, f := range findWords(base, rules) {
			bad = append(bad, name+": "+f.words)
		}
		for _, f := range findWords(string(text), rules) {
			bad = append(bad, fmt.Sprintf("%s:%d: %s", name, f.line, f.words))
		}
		return nil
	})
	return bad, err
}

// A wordFound is a bad word in a text, and what to write.
type wordFound struct {
	line  int
	words string
}

func findWords(text string, rules []wordRule) []wordFound {
	var found []wordFound
	low := lower(text)
	for _, r := range rules {
		in := low
		if r.capitals {
			in = text
		}
		for _, at := range r.pattern.FindAllStringIndex(in, -1) {
			found = append(found, wordFound{
				1 + strings.Count(text[:at[0]], "\n"),
				fmt.Sprintf("%q: use %s", text[at[0]:at[1]], r.use),
			})
		}
	}
	return found
}

func readWords(t *testing.T) []wordRule {
	t.Helper()
	text, err := os.ReadFile(wordList)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := parseWords(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestWords(t *testing.T) {
	if race.On {
		t.Skip("reads files on one goroutine: nothing to race with")
	}
	bad, err := badWords(os.DirFS("."), readWords(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bad {
		t.Error(b)
	}
}

// TestWordListMatches: each rule finds its example in a comment, and no rule refuses what another proposes.
func TestWordListMatches(t *testing.T) {
	rules := readWords(t)
	for _, r := range rules {
		bad, err := badWords(fstest.MapFS{"a/b.go": {Data: []byte("package a\n\n// " + r.example + "\n")}}, rules)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(bad, "\n"), "a/b.go:3: ") || !strings.Contains(strings.Join(bad, "\n"), r.use) {
			t.Errorf("%q in a comment gives %q, want a/b.go:3 and %q", r.example, bad, r.use)
		}
		for _, again := range rules {
			if again.pattern.MatchString(r.use) {
				t.Errorf("the list proposes %q for %q, and %q refuses it", r.use, r.example, again.pattern)
			}
		}
	}
}

func TestWordsSkipsWhatIsNotWritten(t *testing.T) {
	bad, err := badWords(fstest.MapFS{
		"testdata/a.txt": {Data: []byte("colour")}, "a/testdata/b.go": {Data: []byte("colour")},
		".git/c.md": {Data: []byte("colour")}, "d.png": {Data: []byte("colour")},
		"colour.go": {Data: []byte("package main\n")},
	}, readWords(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(bad) != 1 || bad[0] != `colour.go: "colour": use color` {
		t.Errorf("found %q, want only the name of colour.go", bad)
	}
}

func TestParseWordsNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"# fine\ncolour":   wordList + ":2: 1 fields, want pattern, replacement and example separated by tabs",
		"colou(r\tcolor":   wordList + ":1: error parsing regexp",
		"\\bcolour\tcolor": wordList + `:1: pattern "\\bcolour" begins with "", want at least 3 letters`,
	} {
		if _, err := parseWords(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
