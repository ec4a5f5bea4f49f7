package workloads

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/internal/si"
)

// ParamError says why parameter values are invalid.
type ParamError struct {
	Params []string // the parameters to change
	Text   string   // names parameters in braces: "{min_size} is 9, above {max_size}, which is 8"
}

// NewParamError returns an error about parameters, worded by format; int arguments are grouped: "{min_size} is 5,000,000".
func NewParamError(params []string, format string, args ...any) error {
	words := slices.Clone(args)
	for i, a := range args {
		if n, ok := a.(int); ok {
			words[i] = si.Count(n)
		}
	}
	return &ParamError{Params: params, Text: fmt.Sprintf(format, words...)}
}

// Excessive returns the error for parameters that make something, such as "per dispatch" or "of operands", exceed its maximum.
func Excessive(params []string, amount float64, unit, of string, most float64) error {
	verb := "make"
	if len(params) == 1 {
		verb = "makes"
	}
	return &ParamError{Params: params, Text: fmt.Sprintf("%s %s %s %s; the maximum is %s", Braced(params), verb, si.Format(amount, unit), of, si.Format(most, unit))}
}

// Braced formats parameter names for the text of a ParamError: "{m}, {n} and {k}".
func Braced(params []string) string {
	last := len(params) - 1
	if last < 1 {
		return "{" + strings.Join(params, "") + "}"
	}
	return "{" + strings.Join(params[:last], "}, {") + "} and {" + params[last] + "}"
}

var paramName = regexp.MustCompile(`\{([a-z0-9_]+)\}`)

// Error refers to parameters by name, as on the command line.
func (e *ParamError) Error() string { return paramName.ReplaceAllString(e.Text, "$1") }

// titled refers to parameters by title, as in the window.
func (e *ParamError) titled(w *Workload) string {
	return paramName.ReplaceAllStringFunc(e.Text, func(name string) string {
		p, err := w.Param(name[1 : len(name)-1])
		if err != nil {
			return name
		}
		return p.Title
	})
}

// WorkloadError is an error about a workload's values or one of its parameters.
type WorkloadError struct {
	Workload *Workload
	Param    string // name; empty: the values
	Err      error
}

// Error names the workload.
func (e *WorkloadError) Error() string {
	if e.Param != "" {
		return "workload " + e.Workload.Name + ", " + e.Param + ": " + e.Err.Error()
	}
	return "workload " + e.Workload.Name + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *WorkloadError) Unwrap() error { return e.Err }

// Explain words err for the workload's own page: with parameter titles and without the workload's name.
func (w *Workload) Explain(err error) string {
	var refused *ParamError
	if errors.As(err, &refused) {
		return refused.titled(w)
	}
	var of *WorkloadError
	if !errors.As(err, &of) {
		return err.Error()
	}
	if p, missing := w.Param(of.Param); missing == nil {
		return p.Title + ": " + of.Err.Error()
	}
	return of.Err.Error()
}
