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

// NewParamError is the error about parameters in words that format has; arguments of type int are grouped: "{min_size} is 5,000,000".
func NewParamError(params []string, format string, args ...any) error {
	words := slices.Clone(args)
	for i, a := range args {
		if n, ok := a.(int); ok {
			words[i] = si.Count(n)
		}
	}
	return &ParamError{Params: params, Text: fmt.Sprintf(format, words...)}
}

// Excessive is the error about parameters that make more of something, such as "per dispatch" or "of operands", than its maximum.
func Excessive(params []string, amount float64, unit, of string, most float64) error {
	verb := "make"
	if len(params) == 1 {
		verb = "makes"
	}
	return &ParamError{Params: params, Text: fmt.Sprintf("%s %s %s %s; the maximum is %s", Braced(params), verb, si.Format(amount, unit), of, si.Format(most, unit))}
}

// Braced names parameters for the text of a ParamError: "{m}, {n} and {k}".
func Braced(params []string) string {
	last := len(params) - 1
	if last < 1 {
		return "{" + strings.Join(params, "") + "}"
	}
	return "{" + strings.Join(params[:last], "}, {") + "} and {" + params[last] + "}"
}

var paramName = regexp.MustCompile(`\{([a-z0-9_]+)\}`)

// Error names parameters as the command line does.
func (e *ParamError) Error() string { return paramName.ReplaceAllString(e.Text, "$1") }

// titled names parameters as the window does.
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

// Error says which workload it is.
func (e *WorkloadError) Error() string {
	if e.Param != "" {
		return "workload " + e.Workload.Name + ", " + e.Param + ": " + e.Err.Error()
	}
	return "workload " + e.Workload.Name + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *WorkloadError) Unwrap() error { return e.Err }

// Explain words err for the workload's own page: with parameter titles and without the name of the workload.
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
