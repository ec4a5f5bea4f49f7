package desk

import "strconv"

// What Assay turns on at its next start, by the name in the settings.
const (
	choiceValidate = "validate"
	choiceCapture  = "capture"
)

// Validates reports whether Assay will have the device's calls validated after its next start.
func (s Settings) Validates() bool { return s.on(choiceValidate) }

// SetValidates remembers it.
func (s Settings) SetValidates(on bool) { s.SetChoice(choiceValidate, strconv.FormatBool(on)) }

// Captures reports whether Assay will enable captures at its next start.
func (s Settings) Captures() bool { return s.on(choiceCapture) }

// SetCaptures remembers it.
func (s Settings) SetCaptures(on bool) { s.SetChoice(choiceCapture, strconv.FormatBool(on)) }

func (s Settings) on(name string) bool {
	kept, _ := s.Kept(name)
	return kept == strconv.FormatBool(true)
}
