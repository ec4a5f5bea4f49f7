package bench

import (
	"fmt"
	"slices"

	"assay/gpu"
	"assay/shaders"
)

// Step is one dispatch of a chain, as data. Args labels the kernel's arguments in order, with None for one that does not exist
// under the constants. Anything that no earlier step of the chain has written is an input.
type Step struct {
	shaders.Pick
	Constants shaders.Constants
	Params    any
	Args      []string
}

// StepOps are the operations of steps, each once.
func StepOps(steps []Step) []string {
	var ops []string
	for i := range steps {
		if op := steps[i].Op; !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	return ops
}

// None labels an argument that does not exist.
const None = ""

// Operand is the buffer behind a label of a chain: an input, or something its steps write.
type Operand struct {
	Label    string
	Type     shaders.Type
	Elements int
	Input    bool
	InPlace  bool // an input that a step overwrites, such as weights being updated
}

// Operands lists what the steps read and write, in order of first occurrence. An operand is as long as the longest
// argument that it stands for.
func Operands(steps []Step) ([]Operand, error) {
	var list []Operand
	at := map[string]int{}
	for i := range steps {
		spec, err := steps[i].kernel()
		if err != nil {
			return nil, err
		}
		for j, label := range steps[i].Args {
			if label == None {
				continue
			}
			arg, n := spec.Args[j], spec.Len(j, steps[i].Params)
			k, known := at[label]
			if !known {
				k = len(list)
				at[label] = k
				list = append(list, Operand{Label: label, Type: arg.Type, Input: arg.Access != shaders.Out})
			}
			o := &list[k]
			o.InPlace = o.InPlace || o.Input && arg.Access == shaders.InOut
			if err := o.admit(arg, !known, spec.Name); err != nil {
				return nil, err
			}
			o.Elements = max(o.Elements, n)
		}
	}
	return list, nil
}

// admit rejects an argument that the operand cannot stand for.
func (o *Operand) admit(arg shaders.Arg, first bool, kernel string) error {
	switch {
	case arg.Type != o.Type:
		return fmt.Errorf("chain: argument %s of %s is %v, %s is %v", arg.Name, kernel, arg.Type, o.Label, o.Type)
	case o.Input && arg.Access == shaders.Out:
		return fmt.Errorf("chain: %s writes %s, which is an input", kernel, o.Label)
	case !o.Input && !first && arg.Access == shaders.Out:
		return fmt.Errorf("chain: %s writes %s, which an earlier step wrote", kernel, o.Label)
	}
	return nil
}

func (s *Step) kernel() (shaders.Kernel, error) {
	k, err := find(s.Pick)
	if err != nil {
		return k, err
	}
	k = k.With(s.Constants)
	if len(s.Args) != len(k.Args) {
		return k, fmt.Errorf("chain: %d arguments for %s, which has %d", len(s.Args), k.Name, len(k.Args))
	}
	return k, k.Check(s.Params)
}

// Footprint returns how many bytes the operands of a chain take.
func Footprint(steps []Step) (int64, error) {
	operands, err := Operands(steps)
	var total int64
	for _, o := range operands {
		total += int64(o.Type.Bytes(o.Elements))
	}
	return total, err
}

// Buffers maps labels to operands.
type Buffers map[string]gpu.Buffer

// Chain returns the launches of steps, with new buffers for what they write. Inputs come from inputs; missing ones are filled with random
// values and added, so that chains can share them. If steps overwrite an input in place, the chain gets its own copy of it.
func (s *Scope) Chain(steps []Step, inputs Buffers) ([]gpu.Launch, error) {
	operands, err := Operands(steps)
	if err != nil {
		return nil, err
	}
	all := Buffers{}
	for _, o := range operands {
		if all[o.Label], err = s.operand(o, inputs); err != nil {
			return nil, err
		}
	}
	return s.bind(steps, all)
}

// bind returns the launches of steps on existing buffers.
func (s *Scope) bind(steps []Step, all Buffers) ([]gpu.Launch, error) {
	var launches []gpu.Launch
	for i := range steps {
		args := make([]gpu.Buffer, len(steps[i].Args))
		for j, label := range steps[i].Args {
			args[j] = all[label] // nil for None
		}
		l, err := s.Dispatch(steps[i].Pick, steps[i].Constants, steps[i].Params, args...)
		if err != nil {
			return nil, err
		}
		launches = append(launches, l)
	}
	return launches, nil
}

// operand returns a buffer for what the steps write, or the shared one for an input.
func (s *Scope) operand(o Operand, inputs Buffers) (gpu.Buffer, error) {
	if !o.Input {
		return s.Output(o.Type, o.Elements, o.Label)
	}
	if inputs[o.Label] == nil {
		b, err := s.Random(o.Type, o.Elements, o.Label)
		if err != nil {
			return nil, err
		}
		inputs[o.Label] = b
	}
	if o.InPlace {
		return s.copied(o, inputs[o.Label])
	}
	return inputs[o.Label], nil
}

// copied returns a buffer with the contents of a float input.
func (s *Scope) copied(o Operand, from gpu.Buffer) (gpu.Buffer, error) {
	b, err := s.Buffer(o.Type, o.Elements, o.Label)
	if err != nil {
		return nil, err
	}
	return b, s.FillFloats(b, o.Type, o.Elements, s.Floats(from, o.Type))
}
