package chain

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/shaders"
)

// all returns a program with every operation.
func all(reduce Reduction) Program {
	p := Program{Inputs: 2, Constants: []float32{0.5, 1e-9, 3}, Reduce: reduce}
	for i := range operations {
		p.Steps = append(p.Steps, Step{Op: Code(i), X: i, Y: i + 1})
	}
	return p
}

// TestGeneratedSourcesCompile compiles each form of a generated kernel, with every operation.
func TestGeneratedSourcesCompile(t *testing.T) {
	c, err := clang.Find()
	if err != nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	cache := filepath.Join(os.TempDir(), fmt.Sprintf("assay-shaders-test-%d", os.Getuid()))
	for _, form := range []struct {
		reduce  Reduction
		strides [4]int
		typ     shaders.Type
	}{{Each, [4]int{0, 0, 8, 1}, shaders.F32}, {Each, [4]int{0, 0, 1, 8}, shaders.F16}, {Mean, [4]int{0, 0, 8, 1}, shaders.F16}, {Largest, [4]int{0, 0, 8, 1}, shaders.F32}} {
		s := Shape{Dims: [4]int{1, 1, 8, 8}, Strides: [][4]int{form.strides, {}}}
		k, _, err := New(all(form.reduce), s, form.typ, "all")
		if err != nil {
			t.Fatal(err)
		}
		l, err := c.Compile(t.Context(), msl.Source{Name: k.Impl.Source.File, Text: k.Impl.Source.Text()}, clang.Options{Cache: cache})
		if err != nil {
			t.Fatalf("%v in\n%s", err, k.Impl.Source.Text())
		}
		if entries := l.Entries(); len(entries) != 1 || entries[0].Name != k.Name || len(entries[0].Args) < len(k.Args)+1 {
			t.Errorf("entries %+v, want %s of %d buffers", entries, k.Name, len(k.Args)+1)
		}
	}
}

// TestHeaderAgrees compares numbers and sizes with params/chain.h.
func TestHeaderAgrees(t *testing.T) {
	header, err := fs.ReadFile(shaders.Headers(), "params/chain.h")
	if err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`X\((\d+), (\w+)\)`).FindAllStringSubmatch(string(header), -1)
	if len(numbers) != len(operations) {
		t.Fatalf("%d operations in the header, want %d", len(numbers), len(operations))
	}
	for i, m := range numbers {
		if m[1] != fmt.Sprint(i) || m[2] != operations[i].Name {
			t.Errorf("operation %d is %s in the header, want %s", i, m[0], operations[i].Name)
		}
	}
	for name, want := range map[string]int{
		"CHAIN_INPUTS": MaxInputs, "CHAIN_CONSTANTS": MaxConstants, "CHAIN_REGISTERS": MaxRegisters, "CHAIN_STEPS": MaxSteps,
		"CHAIN_EACH": int(Each), "CHAIN_SUM": int(Sum), "CHAIN_MEAN": int(Mean), "CHAIN_LARGEST": int(Largest),
	} {
		if m := regexp.MustCompile(`#define ` + name + ` (\d+)`).FindSubmatch(header); m == nil || string(m[1]) != fmt.Sprint(want) {
			t.Errorf("%s is %q, want %d", name, m, want)
		}
	}
	if n := len(shaders.EncodeParams(Params{})); n != int(reflect.TypeFor[Params]().Size()) {
		t.Errorf("parameters encode to %d B", n)
	}
}

func TestProgramsAreRefused(t *testing.T) {
	for want, p := range map[string]Program{
		"0 inputs, want 1 to 8":                      {},
		"9 inputs, want 1 to 8":                      {Inputs: 9},
		"9 constants, want at most 8":                {Inputs: 1, Constants: make([]float32, 9)},
		"33 steps, want at most 32":                  {Inputs: 1, Steps: make([]Step, 33)},
		"step 0 reads a value that is not there yet": {Inputs: 1, Steps: []Step{{X: 1}}},
	} {
		if err := p.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestCostByHand has a chain of an addition and GELU on a column and a row.
func TestCostByHand(t *testing.T) {
	add, gelu := code("add"), code("gelu")
	p := Program{Inputs: 2, Steps: []Step{{Op: add, X: 0, Y: 1}, {Op: gelu, X: 2, Y: 2}}}
	k, params, err := New(p, Shape{Dims: [4]int{1, 1, 3, 5}, Strides: [][4]int{{0, 0, 1, 0}, {0, 0, 0, 1}}}, shaders.F32, "x")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := k.Cost(params), (shaders.Cost{Ops: 15 * 9, Bytes: 4 * (3 + 5 + 15)}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// code returns the code of an operation.
func code(name string) Code {
	return Code(slices.IndexFunc(Operations(), func(o Operation) bool { return o.Name == name }))
}
