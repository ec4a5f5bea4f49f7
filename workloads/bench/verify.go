package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/race"
	"assay/shaders"
	"assay/workloads/measure"
)

// verifyLimit is the number of elements of each output compared with the reference. Sets share it, with at least
// minPerSet each.
const (
	verifyLimit = 256
	minPerSet   = 8
)

// Verify is part of Verifier: it compares outputs of all used sets, different elements for each set and each time.
func (l *launches) Verify(ctx context.Context) (measure.Check, error) {
	total := measure.Check{OK: true}
	limit := max(minPerSet, verifyLimit/len(l.sets))
	defer func() { l.verified++ }()
	if l.inPlace != nil {
		if err := l.inPlace.look(); err != nil {
			return total, err
		}
	}
	together := measure.Check{OK: true}
	if l.whole != nil { // before verifying each, which may restore previous contents
		var err error
		if together, err = l.whole(ctx); err != nil {
			return total, err
		}
	}
	for i, set := range l.sets {
		if !l.written[i] {
			continue
		}
		c, err := l.verifySet(ctx, i, set, limit)
		if err != nil {
			return total, err
		}
		total.Add(c)
	}
	total.Warnings = l.inPlace.warnings()
	total.Add(together) // a wrong launch is reported first, because it says where
	return total, nil
}

// verifySet compares limit elements of each output of a set with the references. Only in-out arguments are written by
// more than one launch. Launches are verified last to first: undoing one restores the outputs of those before it.
func (l *launches) verifySet(ctx context.Context, i int, set []gpu.Launch, limit int) (measure.Check, error) {
	total := measure.Check{OK: true}
	if l.inPlace != nil {
		if err := l.inPlace.pass(ctx, i, set, gpu.PoisonByte); err != nil {
			return total, err
		}
	}
	seed := l.scope.bench.Seed + uint64(i) + l.verified<<32
	for j, d := range slices.Backward(set) {
		c, err := l.verifyLaunch(ctx, i, j, &d, limit, seed)
		if err != nil {
			return total, err
		}
		total.Checked += c.Checked
		total.Outputs += c.Outputs
		total.MaxError, total.MaxRel = max(total.MaxError, c.MaxError), max(total.MaxRel, c.MaxRel)
		if !c.OK() {
			total.OK, total.Failure = false, c.Failure // of the first launch that is wrong
		}
	}
	return total, nil
}

func (l *launches) verifyLaunch(ctx context.Context, i, j int, d *gpu.Launch, limit int, seed uint64) (shaders.Check, error) {
	views, err := views(d)
	if err != nil {
		return shaders.Check{}, err
	}
	undo := func() error { return nil }
	if l.inPlace != nil {
		if undo, err = l.inPlace.before(i, j, views); err != nil {
			return shaders.Check{}, err
		}
	}
	c, err := d.Kernel.Spec().VerifyContext(ctx, d.Params, views, limit, seed)
	if err != nil {
		return c, err
	}
	if c.OK() {
		c.Failure = unwritten(d.Kernel.Spec(), views)
	}
	if c.OK() {
		if c.Failure, err = l.witnesses.note(i, j, d, views); err != nil {
			return c, err
		}
	}
	return c, undo()
}

// unwritten names the first element of a float output that is still poison, which Verify may not have compared; empty
// if there is none.
func unwritten(k *shaders.Kernel, views []shaders.View) string {
	for _, arg := range k.Outputs() {
		v, size := views[arg], k.Args[arg].Type.Bytes(1)
		if !k.Args[arg].Type.Float() || k.Args[arg].Access == shaders.InOut {
			continue // every bit pattern is a valid integer: see verifyIntegers; in-out arguments are not poisoned
		}
		if at := firstPoison(v.Data, size); at >= 0 {
			return fmt.Sprintf("kernel %s: %s[%d] was not written", k.Name, k.Args[arg].Name, at/size)
		}
	}
	return ""
}

// firstPoison returns the offset of the first element of size 1, 2 or 4 that is entirely poison, or −1 if there is none. It checks
// eight bytes at a time, because outputs are large. The race detector is told once about everything read, and not for each element.
//
//go:norace
func firstPoison(data []byte, size int) int {
	low := ^uint64(0) / (1<<(8*size) - 1) // lowest bits of the elements
	high := low << (8*size - 1)
	race.Reads(data)
	at := 0
	for ; at+8 <= len(data); at += 8 {
		y := ^binary.NativeEndian.Uint64(data[at:]) // zero where it is poison
		if (y-low)&^y&high != 0 {
			break // there is a zero element among these
		}
	}
	for ; at+size <= len(data); at += size {
		if bytes.Count(data[at:at+size], []byte{gpu.PoisonByte}) == size {
			return at
		}
	}
	return -1
}

// views returns host copies of a dispatch's arguments, or the memory itself if the host sees it.
func views(d *gpu.Launch) ([]shaders.View, error) {
	k := d.Kernel.Spec()
	out := make([]shaders.View, len(k.Args))
	for i, arg := range k.Args {
		bound := d.Bindings[i]
		if bound.Buffer == nil {
			continue
		}
		data, err := contents(bound, k.Bytes(i, d.Params))
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", arg.Name, k.Name, err)
		}
		out[i] = shaders.View{Type: arg.Type, Data: data}
	}
	return out, nil
}

// contents returns a host copy of n bytes, or the memory itself if the host sees it.
func contents(at gpu.Binding, n int) ([]byte, error) {
	if all := at.Buffer.Bytes(); all != nil {
		return all[at.Offset:][:n], nil
	}
	data := make([]byte, n)
	return data, at.Buffer.Read(at.Offset, data)
}
