package msl

import (
	"context"
	"fmt"

	"assay/internal/regular"
	"assay/internal/si"
)

// Limits on what is compiled: a file from someone else must not take all memory.
const (
	MaxSource = 16 << 20 // bytes of a source file
	maxTokens = 4 << 20  // tokens after includes and macros, each of about 170 bytes
)

// ReadFile reads a source file. Pipes and devices are rejected, and files larger than MaxSource. The error names the file.
func ReadFile(name string) (string, error) {
	text, err := regular.Read(name, "a file of Metal source", MaxSource)
	return string(text), err
}

// ErrTooManyTokens is the error of a source that is too large after includes and macros.
var ErrTooManyTokens = fmt.Errorf("it has more than %s tokens after includes and macros", si.Count(maxTokens))

// goesOn returns the error that ends the reading of tokens, of which n were read.
func goesOn(ctx context.Context, n int) error {
	const often = 1 << 12
	switch {
	case n > maxTokens:
		return ErrTooManyTokens
	case n%often == 0:
		return ctx.Err()
	}
	return nil
}
