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
	// digestsOver hashes the integer outputs of each launch of a run over poison, including those that a later launch changes.
	digestsOver(ctx context.Context, with byte, round int, seed maphash.Seed) ([]digest, error)
	// putsBack reports whether Verify leaves what outputs held before, if launches of a set write to the same memory.
	putsBack() bool
}

// verifyIntegers finds elements of integer outputs that were not written. Every bit pattern is a valid integer, so poison
// cannot be recognized: the work runs again over different poison and must give the same outputs. What it left the first time is
// still there, unless verification restored something; then it runs once more. The failure is empty if the outputs are the same.
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
		if before, err = d.digestsOver(ctx, gpu.PoisonByte, round, seed); err != nil {
			return "", err
		}
	}
	after, err := d.digestsOver(ctx, ^byte(gpu.PoisonByte), round, seed)
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

// digestsOfRun returns the digests of what work leaves when it is run over poison.
func digestsOfRun(ctx context.Context, w digested, with byte, round int, seed maphash.Seed) ([]digest, error) {
	if err := w.poison(with); err != nil {
		return nil, err
	}
	if _, err := run(ctx, w, round); err != nil {
		return nil, err
	}
	return w.digests(seed)
}

func (l *launches) putsBack() bool { return l.inPlace != nil }

func (l *launches) digests(seed maphash.Seed) (all []digest, err error) {
	for _, set := range l.sets {
		for j := range set {
			if all, err = appendDigests(all, &set[j], seed); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (l *launches) digestsOver(ctx context.Context, with byte, round int, seed maphash.Seed) (all []digest, err error) {
	if l.inPlace == nil {
		return digestsOfRun(ctx, l, with, round, seed)
	}
	for i, set := range l.sets {
		if err := l.inPlace.pass(ctx, i, set, with); err != nil {
			return nil, err
		}
		for j := range slices.Backward(set) { // as verifySet
			if all, err = appendDigests(all, &set[j], seed); err == nil {
				err = l.inPlace.undo(i, j)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// appendDigests appends the hashes of a launch's integer outputs.
func appendDigests(all []digest, d *gpu.Launch, seed maphash.Seed) ([]digest, error) {
	k := d.Kernel.Spec()
	integer := func(arg int) bool { return !k.Args[arg].Type.Float() && k.Args[arg].Access == shaders.Out }
	if !slices.ContainsFunc(k.Outputs(), integer) {
		return all, nil
	}
	views, err := views(d)
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
	return all, nil
}
