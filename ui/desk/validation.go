package desk

import "strconv"

const choiceValidate = "validate"

// Validates reports whether the next start of Assay has the device's calls validated.
func (s Settings) Validates() bool {
	on, _ := s.Kept(choiceValidate)
	return on == strconv.FormatBool(true)
}

// SetValidates remembers it.
func (s Settings) SetValidates(on bool) { s.SetChoice(choiceValidate, strconv.FormatBool(on)) }
