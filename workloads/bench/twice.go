package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"assay/gpu"
	"assay/shaders"
)

// digestBytes is how much of an output one digest is of.
const digestBytes = 4 << 10

// digest stands for a part of an integer output.
type digest struct {
	sum    uint64
	kernel string
	arg    string
	first  int // byte
}

// digested is work with integer outputs.
type digested interface {
	// digests are of the integer outputs as they are.
	digests(seed maphash.Seed) ([]digest, error)
	poison(with byte) error
}

func digestsOf(w Work, seed maphash.Seed) ([]digest, error) {
	if d, ok := w.(digested); ok {
		return d.digests(seed)
	}
	return nil, nil
}

func poisonOf(w Work, with byte) error {
	if d, ok := w.(digested); ok {
		return d.poison(with)
	}
	return nil
}

// verifyIntegers finds elements of integer outputs that were not written. Every pattern of bits is a valid integer, so none
// shows poison: the work is done again on other poison, and must leave the same. The failure is empty if it does.
func verifyIntegers(ctx context.Context, w Work, round int) (failure string, err error) {
	seed := maphash.MakeSeed()
	before, err := digestsOf(w, seed)
	if err != nil || len(before) == 0 {
		return "", err
	}
	if err := poisonOf(w, ^byte(gpu.PoisonByte)); err != nil {
		return "", err
	}
	if _, err := run(ctx, w, round); err != nil {
		return "", err
	}
	after, err := digestsOf(w, seed)
	if err != nil {
		return "", err
	}
	for i, d := range before {
		if d.sum != after[i].sum {
			return fmt.Sprintf("kernel %s: of %s some bytes from %d on were not written, or differ from run to run", d.kernel, d.arg, d.first), nil
		}
	}
	return "", nil
}

// digests are those of the integer outputs of all sets, as they are.
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
