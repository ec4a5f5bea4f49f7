package app

import (
	"context"

	"assay/workloads/own"
)

// More plain types of the playground, as a form needs them.
type (
	// OwnArgument is what one argument of a user's kernel holds.
	OwnArgument = own.Argument
	// OwnExpr is an expression in named sizes.
	OwnExpr = own.Expr
	// OwnComparison is the verdict on two kernels.
	OwnComparison = own.Comparison
	// OwnSetting is the value of a function constant.
	OwnSetting = own.Setting
	// OwnFill is the content of a buffer before the kernel runs.
	OwnFill = own.Fill
)

// OwnSuggestion is what a description could say about a source.
type OwnSuggestion = own.Suggestion

// OwnSuggested is a key of a suggestion, with its TOML value.
type OwnSuggested = own.Suggested

// Suggest compiles a kernel's source and suggests a description.
func (p *Playground) Suggest(ctx context.Context, k OwnKernel) (*OwnSuggestion, error) {
	return own.Suggest(ctx, k, "")
}

// OpenSource reads a .metal file with the description that names it, or with one that has yet to be written.
func (p *Playground) OpenSource(path string) (OwnKernel, error) { return own.ReadSource(path) }

// OwnFills lists what buffers can hold.
func OwnFills() []OwnFill { return own.Fills() }

// OwnDescribe parses a description, as Playground.Describe does.
func OwnDescribe(k OwnKernel) (*OwnDescription, []OwnProblem) {
	return own.Parse(k.Path, k.Description)
}
