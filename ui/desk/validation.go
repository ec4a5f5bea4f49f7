package desk

import "strconv"

// What the next start of Assay turns on, by its name in the settings.
const (
	choiceValidate = "validate"
	choiceCapture  = "capture"
)

// Validates reports whether the next start of Assay has the device's calls validated.
func (s Settings) Validates() bool { return s.on(choiceValidate) }

// SetValidates remembers it.
func (s Settings) SetValidates(on bool) { s.SetChoice(choiceValidate, strconv.FormatBool(on)) }

// Captures reports whether the next start of Assay enables captures.
func (s Settings) Captures() bool { return s.on(choiceCapture) }

// SetCaptures remembers it.
func (s Settings) SetCaptures(on bool) { s.SetChoice(choiceCapture, strconv.FormatBool(on)) }

func (s Settings) on(name string) bool {
	kept, _ := s.Kept(name)
	return kept == strconv.FormatBool(true)
}
