package shaders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"assay/internal/race"
)

// Check is the outcome of comparing a kernel's outputs with its reference.
type Check struct {
	Checked  int     // elements compared
	Outputs  int     // elements in the outputs
	MaxError float64 // largest |got − want|, in the output's unit
	MaxRel   float64 // largest |got − want| / scale
	Failure  string  // empty if every element is within tolerance; otherwise the first bad element in words
}

// OK reports whether every compared element was within tolerance.
func (c Check) OK() bool { return c.Failure == "" }

// Verify compares the outputs among args with the kernel's reference. It compares at most limit elements of each output: the
// first, the last and others chosen by seed; limit ≤ 0 compares all. Views of absent arguments may be empty; those of in-out
// arguments hold their previous contents in Before. For these, up to limit elements that still hold their previous value are
// compared too, since elements that were not written are among them.
func (k *Kernel) Verify(p any, args []View, limit int, seed uint64) Check {
	res, _ := k.VerifyContext(context.Background(), p, args, limit, seed) // which never ends
	return res
}

// VerifyContext is Verify, but stops between two elements when ctx ends, with the error of ctx.
func (k *Kernel) VerifyContext(ctx context.Context, p any, args []View, limit int, seed uint64) (Check, error) {
	v := verification{kernel: k, call: k.Call(p).Remembering(), args: args}
	v.tolerance = k.Impl.Op.Tolerance(v.call)
	if v.read, v.check.Failure = k.asRead(p, args); v.check.Failure != "" {
		return v.check, nil
	}
	for i := range args { // the race run does not instrument this package
		race.Reads(args[i].Data)
	}
	for _, arg := range k.Outputs() {
		v.check.Outputs += k.Len(arg, p)
		for _, i := range v.choose(arg, k.Len(arg, p), limit, seed) {
			if err := ctx.Err(); err != nil {
				return v.check, err
			}
			v.compare(arg, i)
		}
	}
	return v.check, nil
}

// Expected is the allowed range of an output element according to the reference.
type Expected struct{ Want, Within float64 }

// Is reports whether an element holds an allowed value.
func (e Expected) Is(got float64) bool {
	return got == e.Want || math.IsNaN(got) && math.IsNaN(e.Want) || math.Abs(got-e.Want) <= e.Within
}

// Expect returns the allowed ranges of elements of an output, as Verify compares them.
func (k *Kernel) Expect(p any, args []View, arg int, elements []int) ([]Expected, error) {
	v := verification{kernel: k, call: k.Call(p).Remembering(), args: args}
	v.tolerance = k.Impl.Op.Tolerance(v.call)
	var missing string
	if v.read, missing = k.asRead(p, args); missing != "" {
		return nil, errors.New(missing)
	}
	for i := range args {
		race.Reads(args[i].Data)
	}
	out := make([]Expected, len(elements))
	for n, i := range elements {
		ref := k.Impl.Op.Reference(v.call, v.read, arg, i)
		want := k.Args[arg].Type.Round(ref.Want)
		out[n] = Expected{want, v.within(arg, ref.Scale, want)}
	}
	return out, nil
}

// within returns how far an output element may be from the expected value.
func (v *verification) within(arg int, scale, want float64) float64 {
	tolerance := v.tolerance // is for the kernel's type; an output of a wider type is rounded less
	tolerance.Store = min(tolerance.Store, types[v.kernel.Args[arg].Type].ulp)
	return tolerance.limit(scale, want)
}

// asRead returns the arguments as the reference reads them, or what is missing: in-out arguments hold their previous contents.
func (k *Kernel) asRead(p any, args []View) (read []View, failure string) {
	read = slices.Clone(args)
	for i, a := range k.Args {
		if a.Access != InOut || !k.Uses(i) {
			continue
		}
		if len(args[i].Before) < k.Bytes(i, p) {
			return nil, fmt.Sprintf("kernel %s: what argument %s held before is not known", k.Name, a.Name)
		}
		read[i].Data = args[i].Before
	}
	return read, ""
}

// verification is one comparison of a kernel's outputs with its reference.
type verification struct {
	kernel     *Kernel
	call       Call
	args, read []View // as the kernel left them; as the reference reads them
	tolerance  Tolerance
	check      Check
}

// choose lists the elements of an output of n to compare.
func (v *verification) choose(arg, n, limit int, seed uint64) []int {
	idx := pick(n, limit, seed)
	if limit > 0 && n > limit && v.kernel.Args[arg].Access == InOut {
		idx = append(idx, unchanged(v.args[arg], n, limit, seed)...)
		slices.Sort(idx)
	}
	return slices.Compact(idx)
}

// unchanged lists up to limit of the first n elements, chosen by seed, that hold their previous values.
func unchanged(v View, n, limit int, seed uint64) []int {
	r, before := rand.New(rand.NewPCG(seed, ^uint64(n))), View{Type: v.Type, Data: v.Before}
	var idx []int
	seen := 0
	for i := range n {
		if now, was := v.At(i), before.At(i); now != was && !(math.IsNaN(now) && math.IsNaN(was)) {
			continue
		}
		seen++
		if len(idx) < limit {
			idx = append(idx, i)
		} else if at := r.IntN(seen); at < limit {
			idx[at] = i
		}
	}
	return idx
}

func (v *verification) compare(arg, i int) {
	k, res := v.kernel, &v.check
	ref := k.Impl.Op.Reference(v.call, v.read, arg, i)
	want, got := k.Args[arg].Type.Round(ref.Want), v.args[arg].At(i)
	res.Checked++
	if got == want || (math.IsNaN(got) && math.IsNaN(want)) {
		return
	}
	diff, limit := math.Abs(got-want), v.within(arg, ref.Scale, want)
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

// pick lists the indices of [0, n) to compare, each once: all, or limit of them including both ends.
func pick(n, limit int, seed uint64) []int {
	if limit <= 0 || n <= limit {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	idx, picked := []int{0, n - 1}, map[int]bool{0: true, n - 1: true}
	for len(idx) < limit {
		if i := r.IntN(n); !picked[i] {
			idx, picked[i] = append(idx, i), true
		}
	}
	return idx
}
