// Package meant suggests a name for a misspelled one.
package meant

import "strings"

// Hint returns a hint for a name that does not exist: ` (did you mean "run"?)` if one of the names is spelled similarly, or else
// empty.
func Hint(name string, names []string) string {
	best, least := "", maxEdits(name)+1
	for _, n := range names {
		if d := edits(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return ` (did you mean "` + best + `"?)`
}

// maxEdits is how many edits still count as a typo: one in four letters.
func maxEdits(name string) int { return min(3, (len(name)+1)/4) }

// edits returns the number of insertions, deletions, replacements, or swaps of adjacent letters that turn a into b.
func edits(a, b string) int {
	var before []int // the row of a[:i-2]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := row[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			next[j] = min(replaced, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
