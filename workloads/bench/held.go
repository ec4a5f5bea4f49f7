package bench

import (
	"slices"

	"assay/gpu"
)

// Held returns how many bytes of the pool the buffers that launches use take, each counted once, including what the pool adds to the size
// requested.
func Held(all ...[]gpu.Launch) int64 { return HeldBeside(nil, all...) }

// HeldBeside is Held without some of the buffers, such as inputs.
func HeldBeside(beside []gpu.Buffer, all ...[]gpu.Launch) int64 {
	sizes := map[gpu.Buffer]int64{}
	for _, launches := range all {
		for i := range launches {
			for _, b := range launches[i].Bindings {
				if b.Buffer != nil && !slices.Contains(beside, b.Buffer) {
					sizes[b.Buffer] = granted(b.Buffer)
				}
			}
		}
	}
	var total int64
	for _, n := range sizes {
		total += n
	}
	return total
}

// granted returns the size of the engine's buffer behind a lease.
func granted(b gpu.Buffer) int64 {
	if w, is := b.(gpu.Wrapper); is {
		if inner, err := w.Unwrap(); err == nil {
			b = inner
		}
	}
	return int64(b.Size())
}
