package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"assay/gpu"
	"assay/shaders"
)

// digestBytes is the number of output bytes per digest.
const digestBytes = 4 << 10

// digest is the hash of a part of an integer output.
type digest struct {
	sum    uint64
	kernel string
	arg    string
	first  int // byte
}

// digested is work with integer outputs.
type digested interface {
	Work
	// digests hash the current integer outputs.
	digests(seed maphash.Seed) ([]digest, error)
	poison(with byte) error
	// putsBack reports whether Verify leaves outputs as they were before later launches changed them.
	putsBack() bool
}

// digestsOver runs work over poison and returns the digests of what it leaves.
func digestsOver(ctx context.Context, w digested, with byte, round int, seed maphash.Seed) ([]digest, error) {
	if err := w.poison(with); err != nil {
		return nil, err
	}
	if _, err := run(ctx, w, round); err != nil {
		return nil, err
	}
	return w.digests(seed)
}

// verifyIntegers finds elements of integer outputs that were not written. Every bit pattern is a valid integer, so poison
// cannot be recognized: the work, which was verified, runs again over different poison and must give the same outputs. The failure is
// empty if it does.
func verifyIntegers(ctx context.Context, w Work, round int) (failure string, err error) {
	d, ok := w.(digested)
	if !ok {
		return "", nil
	}
	seed := maphash.MakeSeed()
	before, err := d.digests(seed)
	if err != nil || len(before) == 0 {
		return "", err
	}
	if d.putsBack() {
		if before, err = digestsOver(ctx, d, gpu.PoisonByte, round, seed); err != nil {
			return "", err
		}
	}
	after, err := digestsOver(ctx, d, ^byte(gpu.PoisonByte), round, seed)
	if err != nil {
		return "", err
	}
	for i, d := range before {
		if d.sum != after[i].sum {
			return fmt.Sprintf("kernel %s: some bytes of %s from %d on were not written, or differ from run to run", d.kernel, d.arg, d.first), nil
		}
	}
	return "", nil
}

func (l *launches) putsBack() bool { return l.inPlace != nil }

// digests returns the hashes of the current integer outputs of all sets.
func (l *launches) digests(seed maphash.Seed) (all []digest, err error) {
	for _, d := range slices.Concat(l.sets...) {
		k := d.Kernel.Spec()
		integer := func(arg int) bool { return !k.Args[arg].Type.Float() && k.Args[arg].Access == shaders.Out }
		if !slices.ContainsFunc(k.Outputs(), integer) {
			continue
		}
		views, err := views(&d)
		if err != nil {
			return nil, err
		}
		for _, arg := range k.Outputs() {
			if !integer(arg) {
				continue
			}
			first := 0
			for part := range slices.Chunk(views[arg].Data, digestBytes) {
				all = append(all, digest{maphash.Bytes(seed, part), k.Name, k.Args[arg].Name, first})
				first += len(part)
			}
		}
	}
	return all, nil
}
