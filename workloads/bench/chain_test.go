package bench

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/train"
	"assay/workloads/bench/benchtest"
)

func step(op string, t shaders.Type, n uint32, args ...string) Step {
	return Step{Pick: shaders.Pick{Op: op, Type: t}, Params: elementwise.ElementwiseParams{N: n}, Args: args}
}

func TestChainSharesInputsAndOwnsOutputs(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	steps := []Step{step("add", shaders.F32, 10, "x", "y", "sum"), step("relu", shaders.F32, 8, "sum", "out")}
	inputs := Buffers{}
	first, err := s.Chain(steps, inputs)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Chain(steps, inputs)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 2 || len(inputs) != 2 || first[1].Bindings[0].Buffer != first[0].Bindings[2].Buffer {
		t.Errorf("%d launches, %d inputs; the second takes %v", len(first), len(inputs), first[1].Bindings)
	}
	if first[0].Bindings[0].Buffer != second[0].Bindings[0].Buffer || first[0].Bindings[2].Buffer == second[0].Bindings[2].Buffer {
		t.Error("two chains do not share their inputs, or share their outputs")
	}
	if err := s.Verify(first...); err != nil {
		t.Error(err)
	}
	if n, err := Footprint(steps); err != nil || n != 4*(10+10+10+8) {
		t.Errorf("a footprint of %d B, %v", n, err)
	}
}

func TestChainRefuses(t *testing.T) {
	for want, steps := range map[string][]Step{
		"1 arguments":           {step("relu", shaders.F32, 1, "x")},
		"no operation":          {step("nope", shaders.F32, 1, "x", "y")},
		"parameters are":        {{Pick: shaders.Pick{Op: "relu", Type: shaders.F32}, Params: 7, Args: []string{"x", "y"}}},
		"is f16":                {step("relu", shaders.F32, 1, "x", "y"), step("relu", shaders.F16, 1, "y", "z")},
		"which is an input":     {step("relu", shaders.F32, 1, "x", "y"), step("relu", shaders.F32, 1, "y", "x")},
		"an earlier step wrote": {step("relu", shaders.F32, 1, "x", "y"), step("relu", shaders.F32, 1, "x", "y")},
	} {
		if _, err := Operands(steps); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestChainCopiesWhatItOverwrites: an in-place update leaves the shared input unchanged, and is verified against it.
func TestChainCopiesWhatItOverwrites(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	steps := []Step{
		step("mul", shaders.F32, 10, "w", "x", "dw"),
		{
			Pick: shaders.Pick{Op: "sgd", Type: shaders.F32}, Params: train.SGDParams{N: 10, Rate: 0.5},
			Args: []string{"w", "dw"},
		},
	}
	operands, err := Operands(steps)
	if err != nil || !operands[0].InPlace || operands[1].InPlace {
		t.Fatalf("operands %+v, %v", operands, err)
	}
	inputs := Buffers{}
	launches, err := s.Chain(steps, inputs)
	if err != nil {
		t.Fatal(err)
	}
	if w := launches[1].Bindings[0].Buffer; w == inputs["w"] || w != launches[0].Bindings[0].Buffer {
		t.Error("the update does not overwrite a copy that the first step reads")
	}
	before, after := make([]float32, 10), make([]float32, 10)
	if err := s.Floats(inputs["w"], shaders.F32)(before, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(launches...); err != nil {
		t.Error(err)
	}
	if err := s.Floats(inputs["w"], shaders.F32)(after, 0); err != nil || !slices.Equal(before, after) {
		t.Errorf("the input changed from %v to %v, %v", before, after, err)
	}
}
