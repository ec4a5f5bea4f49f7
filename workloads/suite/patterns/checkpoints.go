package patterns

import (
	"errors"
	"slices"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/bench"
)

// checkpointed is a training step that keeps only the results of every segment-th layer, and recomputes those in between when the
// backward pass reaches them. The results of the last segment are still available.
func checkpointed(size sizes, segment int) []bench.Step {
	var steps []bench.Step
	for l := 1; l <= size.layers; l++ {
		steps = append(steps, forward(l, size, activation))
	}
	steps = append(steps, lossOf(size))
	last := (size.layers - 1) / segment * segment // start of the last segment
	again := func(l int) string {
		if l%segment == 0 || l > last {
			return activation(l)
		}
		return activation(l) + " again"
	}
	for end := size.layers; end > 0; {
		from := (end - 1) / segment * segment
		for l := from + 1; l < end && end <= last; l++ {
			steps = append(steps, forward(l, size, again))
		}
		for l := end; l > from; l-- {
			steps = append(steps, backward(l, size, again)...)
		}
		end = from
	}
	return append(steps, updates(size)...)
}

// segmentOf returns how many layers lie between checkpoints: as set, or about the square root of their number, which keeps the fewest
// results.
func segmentOf(set, layers int) int {
	if set > 0 {
		return set
	}
	root := 1
	for root*root < layers {
		root++
	}
	return root
}

// shared is a list of steps whose results share memory.
type shared struct {
	steps    []bench.Step
	launches []gpu.Launch
	work     bench.Work
	held     int64 // bytes
}

func share(s *bench.Scope, steps []bench.Step, inputs bench.Buffers) (shared, error) {
	launches, held, err := s.Compact(steps, inputs)
	return shared{steps, launches, s.Launches(launches), held}, err
}

func (c *shared) variant(name string, size sizes) bench.Variant {
	return bench.Variant{Name: name, Work: c.work, Items: float64(size.n), Adjust: holding(func() int64 { return c.held })}
}

// sameWeights verifies a step in which nothing shares memory, and compares its weights bit by bit with those of the other variants:
// they compute the same, and recomputed results equal the original ones.
func sameWeights(s *bench.Scope, size sizes, inputs bench.Buffers, others ...shared) error {
	plain := shared{steps: wholeStep(size)}
	var err error
	if plain.launches, err = s.Chain(plain.steps, inputs); err != nil {
		return err
	}
	plain.work = s.Launches(plain.launches)
	if err := errors.Join(s.VerifyWork(plain.work), plain.once(s)); err != nil {
		return err
	}
	for _, c := range others {
		if err := c.once(s); err != nil {
			return err
		}
		for l := 1; l <= size.layers; l++ {
			from, to := layerCols(l-1, size), layerCols(l, size)
			for name, n := range map[string]int{label("w", l): from * to, label("b", l): to} {
				if err := equal(s, plain.written(name), c.written(name), n, size.t, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// once runs the step on the given weights.
func (c *shared) once(s *bench.Scope) error {
	wait, err := c.work.Start(s.Context(), 1)
	if err == nil {
		_, err = wait()
	}
	return err
}

// written returns the buffer behind a label.
func (c *shared) written(label string) gpu.Buffer {
	for i, st := range c.steps {
		if j := slices.Index(st.Args, label); j >= 0 {
			return c.launches[i].Bindings[j].Buffer
		}
	}
	return nil
}

// equal returns an error if two buffers of n elements differ.
func equal(s *bench.Scope, a, b gpu.Buffer, n int, t shaders.Type, name string) error {
	one, other := make([]float32, n), make([]float32, n)
	if err := errors.Join(s.Floats(a, t)(one, 0), s.Floats(b, t)(other, 0)); err != nil {
		return err
	}
	for i := range one {
		if one[i] != other[i] {
			return bench.Wrong("%s[%d] is %g where memory is shared, and %g where it is not", name, i, other[i], one[i])
		}
	}
	return nil
}
