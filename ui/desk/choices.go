package desk

import (
	"encoding/json"
	"slices"
	"strings"
)

// Choice returns the option last chosen for a name, such as "monitor.window"; the first if none was.
func (s Settings) Choice(name string, options ...string) int {
	return max(0, slices.Index(options, s.choices()[name]))
}

// Kept returns what was last chosen for a name; false if nothing was.
func (s Settings) Kept(name string) (option string, ok bool) {
	option, ok = s.choices()[name]
	return option, ok
}

// SetChoice remembers an option.
func (s Settings) SetChoice(name, option string) {
	all := s.choices()
	if all[name] == option {
		return
	}
	all[name] = option
	if data, err := json.Marshal(all); err == nil { // never fails for a map of strings
		s.Store.SetString(keyChoices, string(data))
	}
}

const descendingSign = "-" // before the column

// Order returns the column by which a table was last sorted, and whether descending; empty: none.
func (s Settings) Order(table string) (column string, descending bool) {
	column, descending = strings.CutPrefix(s.choices()[table+".order"], descendingSign)
	return column, descending
}

// SetOrder remembers how a table is sorted.
func (s Settings) SetOrder(table, column string, descending bool) {
	if descending {
		column = descendingSign + column
	}
	s.SetChoice(table+".order", column)
}

// choices returns the stored choices, for the caller to change.
func (s Settings) choices() map[string]string {
	var stored map[string]string
	if json.Unmarshal([]byte(s.Store.String(keyChoices)), &stored) != nil || stored == nil {
		return map[string]string{}
	}
	return stored
}
