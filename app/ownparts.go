package app

import "assay/workloads/own"

// More plain types of the playground, as a form needs them.
type (
	// OwnArgument is what one argument of a user's kernel holds.
	OwnArgument = own.Argument
	// OwnExpr is an expression of named sizes.
	OwnExpr = own.Expr
	// OwnComparison is the verdict on two kernels.
	OwnComparison = own.Comparison
	// OwnFill is what a buffer holds before the kernel runs.
	OwnFill = own.Fill
)

// OwnFills lists what buffers can hold.
func OwnFills() []OwnFill { return own.Fills() }

// OwnDescribe parses a description, as Playground.Describe does.
func OwnDescribe(k OwnKernel) (*OwnDescription, []OwnProblem) {
	return own.Parse(k.Path, k.Description)
}
