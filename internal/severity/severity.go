// Package severity has the severities of events.
package severity

// Level is a severity; the zero value counts as Info.
type Level string

// Levels, lowest first.
const (
	Info     Level = "info"
	Warning  Level = "warning"
	Critical Level = "critical"
)

// Rank orders levels: 0 to 2.
func (l Level) Rank() int {
	switch l {
	case Critical:
		return 2
	case Warning:
		return 1
	}
	return 0
}

// Known reports whether it is one of the levels.
func (l Level) Known() bool { return l == Info || l.Rank() > 0 }
