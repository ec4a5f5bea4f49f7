package bench

import (
	"slices"

	"assay/gpu"
)

// Compact is Chain with as little memory as the steps need: an operand that no later step reads passes its buffer on to the next one written,
// if that fits. Anything that no step reads is a result of the chain and keeps its own buffer. held is how many bytes of the pool the chain
// holds for what it writes, without inputs.
//
//go:noinline
func (s *Scope) Compact(steps []Step, inputs Buffers) (launches []gpu.Launch, held int64, err error) {
	operands, err := Operands(steps)
	if err != nil {
		return nil, 0, err
	}
	all := Buffers{}
	for _, o := range operands {
		if o.Input {
			if all[o.Label], err = s.operand(o, inputs); err != nil {
				return nil, 0, err
			}
		}
	}
	before := s.bench.Pool.Stats().LiveBytes
	if err := s.share(steps, operands, all); err != nil {
		return nil, 0, err
	}
	held = s.bench.Pool.Stats().LiveBytes - before
	launches, err = s.bind(steps, all)
	return launches, held, err
}

// share assigns buffers to what the steps write, passing them on from one to another.
//
//go:noinline
func (s *Scope) share(steps []Step, operands []Operand, all Buffers) error {
	byLabel := map[string]*Operand{}
	for i := range operands {
		byLabel[operands[i].Label] = &operands[i]
	}
	read := lastReads(steps)
	var free []gpu.Buffer
	for i := range steps {
		for _, label := range steps[i].Args {
			if o := byLabel[label]; o != nil && all[label] == nil {
				b, err := s.taken(o, &free)
				if err != nil {
					return err
				}
				all[label] = b
			}
		}
		for _, label := range steps[i].Args {
			if last, again := read[label]; again && last == i && !byLabel[label].Input {
				free = append(free, all[label])
				delete(read, label) // which may stand for two arguments
			}
		}
	}
	return nil
}

// lastReads returns the last step that has a label among its arguments, for labels that more than one step has.
func lastReads(steps []Step) map[string]int {
	first, last := map[string]int{}, map[string]int{}
	for i := range steps {
		for _, label := range steps[i].Args {
			if _, known := first[label]; !known {
				first[label] = i
			} else if i > first[label] && label != None {
				last[label] = i
			}
		}
	}
	return last
}

// wasted is the largest share of a reused buffer that may stay unused, relative to what is needed: otherwise an operand that stays would
// keep a much larger buffer from the operands it was meant for.
const wasted = 0.25

// taken returns the smallest free buffer that an operand fits into without wasting much, or a new one.
//
//go:noinline
func (s *Scope) taken(o *Operand, free *[]gpu.Buffer) (gpu.Buffer, error) {
	bytes, best := aligned(max(o.Type.Bytes(o.Elements), 1)), -1
	for i, b := range *free {
		if fits := b.Size() >= bytes && float64(b.Size()) <= (1+wasted)*float64(bytes); fits && (best < 0 || b.Size() < (*free)[best].Size()) {
			best = i
		}
	}
	if best < 0 {
		return s.Buffer(o.Type, o.Elements, o.Label)
	}
	b := (*free)[best]
	*free = slices.Delete(*free, best, best+1)
	return b, nil
}
