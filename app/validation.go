package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"assay/gpu"
	"assay/workloads"
)

// Validate turns validation on: unless it already is, the program is restarted in place of this process, with the variables that
// turn it on. It does nothing if no engine has validation, and returns only if nothing was restarted.
func (c *Config) Validate() error {
	return c.restartWith(c.Validation, "validation cannot be turned on here")
}

// AllowCaptures enables captures the way Validate turns validation on.
func (c *Config) AllowCaptures() error {
	return c.restartWith(c.Capturing, "captures cannot be enabled here")
}

// restartWith restarts the program with the variables that the environment lacks, if any; failing says what does not work
// if it cannot.
func (c *Config) restartWith(variables []string, failing string) error {
	var missing []string
	for _, variable := range variables {
		if name, _, _ := strings.Cut(variable, "="); os.Getenv(name) == "" {
			missing = append(missing, variable)
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case c.Restart == nil:
		return errors.New(failing + ": start Assay with " + strings.Join(missing, " "))
	}
	return c.Restart(missing...)
}

// ErrNotTiming is part of the error of what needs times that count, where a validation layer or a capture makes them useless.
var ErrNotTiming = errors.New("times do not count")

// notTiming refuses what needs times on an engine with validation.
func notTiming(e gpu.Engine) error {
	if what := gpu.Validation(e); what != "" {
		return fmt.Errorf("%w while %s is on: start Assay without it", ErrNotTiming, what)
	}
	return nil
}

// checkValidation reports why the engine does not validate, if the request asks for it.
func (r *Request) checkValidation(e gpu.Engine) error {
	if !r.Validate || gpu.Validation(e) != "" {
		return nil
	}
	if _, can := gpu.As[gpu.Validating](e); can {
		return fmt.Errorf("validation of engine %s is turned on when Assay starts, and it was not", e.Info().Engine)
	}
	return fmt.Errorf("validation is not available: engine %s has no validation layer; Metal on a Mac does", e.Info().Engine)
}

// warnValidated marks results whose times do not count.
func (a *activeRun) warnValidated(rs []workloads.Result) {
	if a.meta.Validation == "" {
		return
	}
	for i := range rs {
		rs[i].Warn(workloads.Validated, a.meta.NotTiming())
	}
}
