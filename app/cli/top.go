package cli

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"assay/internal/si"
)

// topFlag is the maximum number of tensors in a list; 0: all.
type topFlag int

func (f *topFlag) add(flags *pflag.FlagSet, which string) {
	flags.IntVar((*int)(f), "top", 20, "list this many tensors"+which+"; 0: all")
}

func (f topFlag) check() error {
	if f < 0 {
		return usagef("--top is %d, want a number of tensors, or 0 for all", f)
	}
	return nil
}

// topOf returns as many items from the start of a list as the flag says.
func topOf[T any](f topFlag, list []T) []T {
	if f == 0 {
		return list
	}
	return list[:min(len(list), int(f))]
}

// sayRest says how many of n tensors were not listed.
func sayRest(w io.Writer, n, listed int) {
	if listed < n {
		fmt.Fprintf(w, "… and %s; --top 0 lists all\n", si.Counted(n-listed, "more tensor"))
	}
}
