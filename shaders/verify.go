package shaders

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Check is the outcome of comparing a kernel's outputs with its reference.
type Check struct {
	Checked  int     // elements compared
	MaxError float64 // largest |got − want|, in the output's unit
	MaxRel   float64 // largest |got − want| / scale
	Failure  string  // empty when every element is within tolerance; else the first bad element in words
}

// OK reports whether every compared element was within tolerance.
func (c Check) OK() bool { return c.Failure == "" }

// Verify compares the outputs among args with the kernel's reference. At most limit elements of each output are
// compared, the first, the last and others chosen by seed; limit ≤ 0 compares all. Views of arguments that do not
// exist under c may be empty.
func (k *Kernel) Verify(p any, c Constants, args []View, limit int, seed uint64) Check {
	res, _ := k.VerifyContext(context.Background(), p, c, args, limit, seed) // which never ends
	return res
}

// VerifyContext is Verify that ends between two elements when ctx does, with the error of ctx.
func (k *Kernel) VerifyContext(ctx context.Context, p any, c Constants, args []View, limit int, seed uint64) (Check, error) {
	var res Check
	tol := k.Tolerance(p, c)
	for _, arg := range k.Outputs() {
		n := k.Args[arg].Len(p)
		for _, i := range pick(n, limit, seed) {
			if err := ctx.Err(); err != nil {
				return res, err
			}
			k.compare(&res, p, c, args, arg, i, tol)
		}
	}
	return res, nil
}

func (k *Kernel) compare(res *Check, p any, c Constants, args []View, arg, i int, tol Tolerance) {
	ref := k.Reference(p, c, args, arg, i)
	want, got := k.Args[arg].Type.Round(ref.Want), args[arg].At(i)
	res.Checked++
	if got == want || (math.IsNaN(got) && math.IsNaN(want)) {
		return
	}
	diff, limit := math.Abs(got-want), tol.limit(ref.Scale, want)
	if diff <= limit {
		res.MaxError = max(res.MaxError, diff)
		if ref.Scale > 0 {
			res.MaxRel = max(res.MaxRel, diff/ref.Scale)
		}
		return
	}
	if !math.IsNaN(diff) && !math.IsInf(diff, 0) {
		res.MaxError = max(res.MaxError, diff)
	}
	if res.Failure == "" {
		res.Failure = fmt.Sprintf("kernel %s: %s[%d] is %g, want %g ± %.3g", k.Name, k.Args[arg].Name, i, got, want, limit)
	}
}

// pick lists the indices of [0, n) to compare: all, or limit of them with both ends among them.
func pick(n, limit int, seed uint64) []int {
	if limit <= 0 || n <= limit {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	idx := make([]int, 0, limit)
	idx = append(idx, 0, n-1)
	for len(idx) < limit {
		idx = append(idx, r.IntN(n))
	}
	return idx
}
