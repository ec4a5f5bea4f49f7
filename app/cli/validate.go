package cli

// validated turns validation on, if it is asked for: that must be before the device is opened.
func (c *command) validated(f *runFlags) error {
	if !f.validate {
		return nil
	}
	if f.baseline != "" {
		return usagef("--validate makes no timing run: leave out --baseline")
	}
	return c.config.Validate()
}
