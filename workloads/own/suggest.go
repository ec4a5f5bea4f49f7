package own

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
)

// Suggestion is a possible description of a source: for each argument of an entry point, and each function constant that needs a
// value, the text of its value in TOML. Buffers have n elements.
type Suggestion struct {
	Entry           string
	Args, Constants []Suggested
}

// Suggested is a key with a value.
type Suggested struct{ Name, Value string }

// Suggest compiles a kernel's source and suggests a description for the entry point that the description names, or else for the first
// one.
func Suggest(ctx context.Context, f Files, cache string) (*Suggestion, error) {
	d, _ := Parse(f.Path, f.Description)
	if d.Source == "" {
		d.Source = defaultSource(f.Path)
	}
	source, err := sourceOf(d, d.Source, f.Source)
	if err != nil {
		return nil, err
	}
	compiler, err := clang.Find()
	if err != nil {
		return nil, fmt.Errorf("kernels cannot be compiled: %w", err)
	}
	library, err := compiler.Compile(ctx, source, clang.Options{Cache: cache, FastMath: d.FastMath})
	if err != nil {
		return nil, refusal(err)
	}
	entries := library.Entries()
	if len(entries) == 0 {
		return nil, errors.New("the source has no kernel")
	}
	e := &entries[0]
	for i := range entries {
		if entries[i].Name == d.Entry {
			e = &entries[i]
		}
	}
	return suggestion(e, library.Constants()), nil
}

// refusal returns an error of a source without its consequences.
func refusal(err error) error {
	var refused *msl.CompileError
	if errors.As(err, &refused) && len(refused.Diagnostics) > 0 {
		return fmt.Errorf("the source does not compile: %v", refused.Diagnostics[0])
	}
	return err
}

func suggestion(e *msl.Entry, constants []msl.Constant) *Suggestion {
	s := &Suggestion{Entry: e.Name}
	for _, a := range e.Args {
		if a.Kind != msl.Builtin && a.Condition == "" {
			s.Args = append(s.Args, Suggested{a.Name, suggestedValue(a)})
		}
	}
	for _, c := range constants {
		if c.Required {
			s.Constants = append(s.Constants, Suggested{c.Name, "1"})
		}
	}
	return s
}

// suggestedValue returns what an argument could hold. Structs are left for the user to fill in: the front end does not report their
// fields.
func suggestedValue(a msl.Arg) string {
	if a.Kind == msl.Threadgroup {
		return "{ bytes = 1024 }"
	}
	if a.Tensor != nil {
		return suggestedTensor(a)
	}
	e, err := elementOf(typeOf(a.Type))
	switch {
	case err != nil && !strings.Contains(a.Type, "*"):
		return `{ fields = [{ type = "uint", value = "n" }] }`
	case !strings.Contains(a.Type, "*") && e.scalar.float:
		return "{ value = 1 }"
	case !strings.Contains(a.Type, "*"):
		return `{ value = "n" }`
	case a.Access == msl.ReadWrite:
		return `{ fill = "output", length = "n" }`
	}
	return `{ fill = "random", length = "n" }`
}

// suggestedTensor has n elements in each dimension that the source leaves open.
func suggestedTensor(a msl.Arg) string {
	extents := make([]string, len(a.Tensor.Extents))
	for i, n := range a.Tensor.Extents {
		if extents[i] = `"n"`; n >= 0 {
			extents[i] = fmt.Sprint(n)
		}
	}
	return `{ fill = "random", extents = [` + strings.Join(extents, ", ") + `] }`
}

// ReadSource reads a .metal file as a kernel: with the description that names it, or with one yet to be written next to it.
func ReadSource(path string) (Files, error) {
	all, err := Find(path)
	if err == nil {
		f, _, err := Read(all[0])
		return f, err
	}
	if !errors.Is(err, ErrUndescribed) {
		return Files{}, err
	}
	text, err := msl.ReadFile(path)
	return Files{Path: strings.TrimSuffix(path, ".metal") + ending, Source: text}, err
}
