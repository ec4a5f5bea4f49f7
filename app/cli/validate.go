package cli

// prepared turns on what was requested and must be on before the device is opened.
func (c *command) prepared(f *runFlags) error {
	for _, o := range []struct {
		on    bool
		flag  string
		start func() error
	}{
		{f.validate, "--validate", c.config.Validate},
		{f.capture != "" && len(c.config.Capturing) > 0, "--capture", c.config.AllowCaptures},
	} {
		if !o.on {
			continue
		}
		if f.baseline != "" {
			return usagef("%s makes no timing run: leave out --baseline", o.flag)
		}
		if err := o.start(); err != nil {
			return err
		}
	}
	return nil
}
